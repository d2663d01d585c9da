import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { DemoRefused, seedDemo } from '../../prisma/seeds/demo/demo.ts'
import { raw, sql, type Database } from '../../src/database/database.ts'
import { openTestDatabase, resetDatabase } from '../helpers/database.ts'
import { queryRows } from '../helpers/query-rows.ts'

const NOW = new Date('2026-03-10T15:00:00Z')
const options = { now: NOW, issuesPerCity: 120, say: () => {} }

let database: Database
beforeAll(async () => {
  database = await openTestDatabase()
  await seedDemo(database, options)
})
afterAll(() => database.close())

const issues = async () => (await queryRows(database, sql`SELECT i.id FROM issues i`)).length

/** Returns a hash of all rows, without random salts, and the times and transactions of triggers. */
async function checksum(): Promise<string> {
  // Cell 0 of the pyramid and the table versions are random, so the hash leaves them out.
  const tables = await queryRows<{ name: string }>(
    database,
    sql`
    SELECT t.tablename AS name FROM pg_tables t
    WHERE t.schemaname = 'public'
      AND t.tablename NOT IN ('_prisma_migrations', 'spatial_ref_sys', 'search_words', 'issue_cells', 'table_versions')
    ORDER BY t.tablename`,
  )
  const hash = createHash('sha256')
  const stamped = ['password_hash', 'public_revision', 'all_changes_revision', 'summary_revision', 'changed_at', 'xid']
  for (const { name } of tables) {
    const rows = await queryRows<{ row: string }>(
      database,
      sql`
      SELECT (to_jsonb(t) - ${stamped}::text[])::text AS row FROM ${raw(`"${name}"`)} t ORDER BY 1`,
    )
    hash.update(JSON.stringify([name, rows]))
  }
  return hash.digest('hex')
}

describe('seedDemo', () => {
  it('is idempotent', async () => {
    const before = await checksum()

    expect(await seedDemo(database, { ...options, seed: 7 })).toMatchObject({ added: false })

    expect(await checksum()).toBe(before)
  })

  it('creates the same rows for the same seed and day, and others for another seed', async () => {
    const first = await checksum()
    await resetDatabase(database)
    await seedDemo(database, { ...options, now: new Date(NOW.getTime() + 2 * 60 * 60 * 1000) })
    const again = await checksum()
    await resetDatabase(database)
    await seedDemo(database, { ...options, seed: 7 })

    expect(again).toBe(first)
    expect(await checksum()).not.toBe(first)
  })

  it('uses ids after those of existing data', async () => {
    await resetDatabase(database)
    await database.execute(sql`INSERT INTO users (name) VALUES ('Here before')`)

    await seedDemo(database, { ...options, issuesPerCity: 3 })

    const [found] = await queryRows(database, sql`SELECT u.id, u.civic_points FROM users u WHERE u.name = 'Here before'`)
    expect(found).toEqual({ id: 1, civic_points: 0 })
    expect(await issues()).toBe(24)
  })

  it('fails and names a conflicting row of the same name', async () => {
    await resetDatabase(database)
    await database.execute(sql`
      WITH inserted AS (INSERT INTO users (name) VALUES ('Ada Park') RETURNING id)
      INSERT INTO email_addresses (user_id, email) SELECT s.id, 'Admin@Example.org' FROM inserted s`)

    const seeding = seedDemo(database, options)

    await expect(seeding).rejects.toThrow(DemoRefused)
    await expect(seeding).rejects.toThrow('the e-mail address Admin@Example.org')
    expect(await issues()).toBe(0)
  })
})
