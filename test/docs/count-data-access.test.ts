import { expect, it } from 'vitest'

import { findCallSites } from '../../.ci/count-data-access.ts'

it.each([
  ['prisma', 'await tx.prisma.vote.count({ where: { issue_id } })'],
  ['prisma', 'const found = await db.prisma\n  .vote.findFirst()'],
  ['rows', 'await db.query(\n  VoteRow,\n  sql`SELECT v.user_id FROM votes v`,\n)'],
  ['rows', 'for await (const rows of snapshot.batches(VoteRow, statement)) yield rows'],
  ['rows', 'await db.query(Type.Object({ id: Id, ...VoteRow.properties }), sql`SELECT 1 AS id`)'],
  ['execute', 'await tx.execute(sql`DELETE FROM votes v`)'],
  ['script', "await db.executeScript('ANALYZE')"],
  ['unchecked', 'await client.$queryRaw`SELECT 1`'],
  ['unchecked', "await pool.query('SELECT 1')"],
  ['unchecked', 'await db.query(sql`SELECT 1`)'],
])('counts as %s: %s', (kind, code) => {
  expect(findCallSites(`\n// db.query(sql)\n${code}`)).toEqual([{ kind, line: 3 }])
})
