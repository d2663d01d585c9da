import { expect, onTestFinished, test } from 'vitest'

import { carryOver } from '../../src/database/carry-over.ts'
import { type Database, raw, sql } from '../../src/database/database.ts'
import { migrate } from '../../src/database/migrate.ts'
import { verifyPyramid } from '../../src/geo/pyramid/verify.ts'
import { openTestDatabase } from '../helpers/database.ts'
import { givenIn } from '../helpers/given.ts'
import { queryRows } from '../helpers/query-rows.ts'

async function givenDatabase(): Promise<Database> {
  const db = await openTestDatabase()
  onTestFinished(() => db.close())
  return db
}

/** Has the tables of today, and says that the migrations before they were squashed made them. */
async function givenOlder(last = '20261123400200_place_triggers_restore'): Promise<Database> {
  const db = await givenDatabase()
  const before = await queryRows<{ id: string; name: string }>(
    db,
    sql`SELECT m.id, m.migration_name AS name FROM _prisma_migrations m`,
  )
  await db.execute(sql`UPDATE _prisma_migrations SET migration_name = ${last}`)
  onTestFinished(async () => {
    for (const { id, name } of before)
      await db.execute(sql`UPDATE _prisma_migrations SET migration_name = ${name} WHERE id = ${id}`)
  })
  return db
}

async function givenCity(db: Database): Promise<void> {
  const given = givenIn(db)
  const ada = await given.user({ name: 'Ada\tPark\\\n', share_location: true })
  await given.place()
  await given.watchArea({ of: ada })
  const on = await given.issue({ reporter: ada })
  await given.comment({ on, by: ada })
  await given.vote({ on, by: ada })
}

const contents = async (db: Database) => {
  const rows: Record<string, unknown> = {}
  for (const table of ['users', 'places', 'watch_areas', 'issues', 'comments', 'votes', 'search_words', 'removals']) {
    rows[table] = await queryRows(db, sql`SELECT to_jsonb(t) AS row FROM ${raw(table)} t ORDER BY t::text`)
  }
  return {
    ...rows,
    last: await queryRows(
      db,
      sql`SELECT s.sequencename, s.last_value FROM pg_sequences s WHERE s.last_value IS NOT NULL
    AND s.sequencename <> 'area_pieces_id_seq' ORDER BY s.sequencename`,
    ),
  }
}

test('a database of an older version is refused, and has every row in a new one afterwards', async () => {
  const [from, to] = [await givenOlder(), await givenDatabase()]
  await givenCity(from)
  const before = await contents(from)

  const refused: unknown = await migrate(from).catch((error: unknown) => error)
  const counts = await carryOver(from, to, 'The older one')
  await verifyPyramid(to)

  expect(String(refused)).toContain('nothing of it was changed')
  expect(await contents(from)).toEqual(before)
  expect(await contents(to)).toEqual(before)
  expect([counts.get('issues'), counts.get('users')]).toEqual([1, 1])
  expect(await verifyPyramid(to)).toMatchObject({ wrong: [], covers: 0, pieces: 0 })
  const [next] = await queryRows<{ id: number }>(to, sql`INSERT INTO users (name) VALUES ('Next') RETURNING id`)
  expect(next?.id).toBe(2)
  await expect(carryOver(from, to, 'The older one')).rejects.toThrow('has rows already')
})

test('nothing is carried over from a database of this version, or of one that is older still', async () => {
  const [older, to] = [await givenOlder('20261122003800_newest_in_cells'), await givenDatabase()]

  await expect(carryOver(to, older, 'That one')).rejects.toThrow('use it as it is')
  await expect(carryOver(older, to, 'That one')).rejects.toThrow('Start its own last version once before')
})
