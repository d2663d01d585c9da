import { expect, it } from 'vitest'

import { findCallSites } from '../../.ci/count-data-access.ts'

it.each([
  ['prisma', 'await tx.prisma.vote.count({ where: { issue_id } })'],
  ['prisma', 'const found = await db.prisma\n  .vote.findFirst()'],
  ['rows', 'await db.query(sql.type(VoteRow)`\n  SELECT v.user_id FROM votes v`)'],
  ['rows', 'await db.query(\n  prepared(sql.type(VoteRow)`SELECT v.user_id FROM votes v`),\n)'],
  ['rows', 'for await (const rows of snapshot.batches(statement)) yield rows'],
  ['execute', 'await tx.execute(sql`DELETE FROM votes v`)'],
  ['script', "await db.executeScript('ANALYZE')"],
  ['unchecked', 'await client.$queryRaw`SELECT 1`'],
  ['unchecked', "await pool.query('SELECT 1')"],
  ['unchecked', 'await db.query(sql`SELECT 1`)'],
])('counts as %s: %s', (kind, code) => {
  expect(findCallSites(`\n// db.query(sql)\n${code}`)).toEqual([{ kind, line: 3 }])
})
