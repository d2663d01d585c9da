import Type from 'typebox'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { type Queryable, sql } from '../../src/database/database.ts'
import { type EmbeddedDatabase, openEmbedded } from '../../src/database/embedded.ts'
import { withStatementLimit } from '../../src/database/statement-timeout/limit-statements.ts'

const LIMIT_MS = 200
/** It takes about two seconds. */
const slow = sql`SELECT count(*)::integer AS n FROM generate_series(1, 3000) a (n), generate_series(1, 1000) b (n) WHERE (a.n * b.n)::text LIKE '%9%9%'`
const Row = Type.Object({ n: Type.Integer() })
const timeout = expect.objectContaining({ code: '57014' }) as Error

let db: EmbeddedDatabase
beforeAll(async () => {
  db = await openEmbedded()
})
afterAll(() => db.close())

const usedMs = async (work: () => Promise<unknown>) => {
  const start = process.cpuUsage()
  await work()
  const { user, system } = process.cpuUsage(start)
  return (user + system) / 1_000
}

describe('a statement of the embedded engine', () => {
  it('ends at its limit, and the next one runs', async () => {
    const used_ms = await usedMs(() =>
      expect(withStatementLimit(LIMIT_MS, () => db.query(sql.type(Row)`${slow}`))).rejects.toThrow(timeout),
    )

    expect(used_ms).toBeLessThan(5 * LIMIT_MS)
    expect(await withStatementLimit(LIMIT_MS, () => db.query(sql.type(Row)`SELECT 1 AS n`))).toEqual([{ n: 1 }])
  })

  it('rolls its transaction back', async () => {
    await db.executeScript('CREATE TABLE written (n integer)')

    const transaction = withStatementLimit(LIMIT_MS, () =>
      db.transaction(async (tx) => {
        await tx.execute(sql`INSERT INTO written VALUES (1)`)
        await tx.query(sql.type(Row)`${slow}`)
      }),
    )

    await expect(transaction).rejects.toThrow('canceling statement')
    expect(await db.query(sql.type(Row)`SELECT count(*)::integer AS n FROM written`)).toEqual([{ n: 0 }])
  })

  it.each(['bulk', 'longTransaction'] as const)('has no limit in %s', async (name) => {
    const [row] = await withStatementLimit(LIMIT_MS, () => db[name]((session: Queryable) => session.query(sql.type(Row)`${slow}`)))

    expect(row).toEqual({ n: expect.any(Number) as number })
  })
})
