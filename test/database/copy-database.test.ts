import { describe, expect, it, onTestFinished } from 'vitest'

import { copyDatabase } from '../../src/database/copy-database.ts'
import { type Database, raw, sql } from '../../src/database/database.ts'
import { verifyPyramid } from '../../src/geo/pyramid/verify.ts'
import { openTestDatabase } from '../helpers/database.ts'
import { createFactories } from '../helpers/factories.ts'
import { queryRows } from '../helpers/query-rows.ts'

async function createDatabase(): Promise<Database> {
  const db = await openTestDatabase()
  onTestFinished(() => db.close())
  return db
}

async function createCity(db: Database): Promise<void> {
  const create = createFactories(db)
  const ada = await create.user({ name: 'Ada\tPark\\\n', share_location: true })
  await create.place()
  await create.watchArea({ of: ada })
  const on = await create.issue({ reporter: ada })
  await create.comment({ on, by: ada })
  await create.vote({ on, by: ada })
}

const readContents = async (db: Database) => {
  const rows: Record<string, unknown> = {}
  for (const table of ['users', 'places', 'watch_areas', 'issues', 'comments', 'votes', 'search_words']) {
    rows[table] = await queryRows(db, sql`SELECT to_jsonb(t) AS row FROM ${raw(table)} t ORDER BY t::text`)
  }
  return {
    ...rows,
    last: await queryRows(
      db,
      sql`SELECT s.sequencename, s.last_value FROM pg_sequences s WHERE s.last_value IS NOT NULL
    AND s.sequencename <> 'area_parts_id_seq' ORDER BY s.sequencename`,
    ),
  }
}

describe('copyDatabase', () => {
  it('copies every row of a database, which is only read', async () => {
    const [from, to] = [await createDatabase(), await createDatabase()]
    await createCity(from)
    const before = await readContents(from)

    const counts = await copyDatabase(from, to, 'The pilot')
    await verifyPyramid(to)

    expect(await readContents(from)).toEqual(before)
    expect(await readContents(to)).toEqual(before)
    expect([counts.get('issues'), counts.get('users')]).toEqual([1, 1])
    expect(await verifyPyramid(to)).toMatchObject({ wrong: [], covers: 0, parts: 0 })
    const [next] = await queryRows<{ id: number }>(to, sql`INSERT INTO users (name) VALUES ('Next') RETURNING id`)
    expect(next?.id).toBe(2)
    await expect(copyDatabase(from, to, 'The pilot')).rejects.toThrow('The target database already has rows')
  })

  it('refuses a database with other migrations', async () => {
    const [from, to] = [await createDatabase(), await createDatabase()]
    await from.execute(sql`UPDATE _prisma_migrations SET checksum = reverse(checksum)`)
    onTestFinished(async () => void (await from.execute(sql`UPDATE _prisma_migrations SET checksum = reverse(checksum)`)))

    await expect(copyDatabase(from, to, 'That database')).rejects.toThrow(
      'That database is not a database of this version of Fixpoint.',
    )
  })
})
