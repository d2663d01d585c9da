import { expect, onTestFinished, test } from 'vitest'

import { carryOver } from '../../src/database/carry-over.ts'
import { type Database, raw, sql } from '../../src/database/database.ts'
import { migrate } from '../../src/database/migrate.ts'
import { verifyPyramid } from '../../src/geo/pyramid/verify.ts'
import { openTestDatabase } from '../helpers/database.ts'
import { createFactories } from '../helpers/factories.ts'
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
  const create = createFactories(db)
  const ada = await create.user({ name: 'Ada\tPark\\\n', share_location: true })
  await create.place()
  await create.watchArea({ of: ada })
  const on = await create.issue({ reporter: ada })
  await create.comment({ on, by: ada })
  await create.vote({ on, by: ada })
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

test('tables and columns that were renamed since are carried over', async () => {
  const [from, to] = [await givenOlder(), await givenDatabase()]
  await givenCity(from)
  await from.execute(sql`INSERT INTO events (type, subject_type, subject_id) VALUES ('issue.reported', 'issue', 1)`)
  await from.execute(sql`
    INSERT INTO outbox_deliveries (event_id, handler, attempts, delivered_at) VALUES (1, 'notify-watchers', 3, '2026-11-20T10:00:00Z')`)
  await from.execute(sql`INSERT INTO trusted_devices (user_id, mark) VALUES (1, 'a hash')`)
  const rows = async (db: Database) => [
    await queryRows(db, sql`SELECT d.* FROM outbox_deliveries d`),
    await queryRows(db, sql`SELECT d.* FROM trusted_devices d`),
  ]
  const before = await rows(from)
  const older = [
    'ALTER TABLE trusted_devices RENAME TO familiar_clients',
    'ALTER TABLE outbox_deliveries RENAME COLUMN attempts TO tries',
    'ALTER TABLE outbox_deliveries RENAME COLUMN delivered_at TO done_at',
    'ALTER TABLE outbox_deliveries RENAME TO event_effects',
  ]
  const today = [
    'ALTER TABLE event_effects RENAME TO outbox_deliveries',
    'ALTER TABLE outbox_deliveries RENAME COLUMN done_at TO delivered_at',
    'ALTER TABLE outbox_deliveries RENAME COLUMN tries TO attempts',
    'ALTER TABLE familiar_clients RENAME TO trusted_devices',
  ]
  for (const statement of older) await from.execute(raw(statement))
  onTestFinished(async () => {
    for (const statement of today) await from.execute(raw(statement))
  })

  const counts = await carryOver(from, to, 'The older one')

  expect(await rows(to)).toEqual(before)
  expect([counts.get('outbox_deliveries'), counts.get('trusted_devices')]).toEqual([1, 1])
})

test('nothing is carried over from a database of this version, or of one that is older still', async () => {
  const [older, to] = [await givenOlder('20261122003800_newest_in_cells'), await givenDatabase()]

  await expect(carryOver(to, older, 'That one')).rejects.toThrow('use it as it is')
  await expect(carryOver(older, to, 'That one')).rejects.toThrow('Start its own last version once before')
})
