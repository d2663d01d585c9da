import { expect, onTestFinished, test } from 'vitest'

import { copyDatabase } from '../../src/database/copy-database.ts'
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
  const counts = await copyDatabase(from, to, 'The older one')
  await verifyPyramid(to)

  expect(String(refused)).toContain('nothing of it was changed')
  expect(await contents(from)).toEqual(before)
  expect(await contents(to)).toEqual(before)
  expect([counts.get('issues'), counts.get('users')]).toEqual([1, 1])
  expect(await verifyPyramid(to)).toMatchObject({ wrong: [], covers: 0, pieces: 0 })
  const [next] = await queryRows<{ id: number }>(to, sql`INSERT INTO users (name) VALUES ('Next') RETURNING id`)
  expect(next?.id).toBe(2)
  await expect(copyDatabase(from, to, 'The older one')).rejects.toThrow('has rows already')
})

/** Every table and column that was renamed since, with its older name. */
const renamed = [
  ['trusted_devices', 'familiar_clients'],
  ['outbox_deliveries', 'event_effects'],
] as const
const renamedColumns = [
  ['issues', 'internal_changed_at', 'inner_changed_at'],
  ['issues', 'internal_revision', 'inner_revision'],
  ['mail_deliveries', 'attempts', 'tries'],
  ['outbox_deliveries', 'attempts', 'tries'],
  ['outbox_deliveries', 'delivered_at', 'done_at'],
  ['places', 'bounding_cells', 'around_cells'],
  ['users', 'internal_changed_at', 'inner_changed_at'],
  ['watch_areas', 'bounding_cells', 'around_cells'],
] as const

async function giveOlderNames(db: Database): Promise<void> {
  for (const [table, now, before] of renamedColumns) await db.execute(raw(`ALTER TABLE ${table} RENAME COLUMN ${now} TO ${before}`))
  for (const [now, before] of renamed) await db.execute(raw(`ALTER TABLE ${now} RENAME TO ${before}`))
  onTestFinished(async () => {
    for (const [now, before] of renamed) await db.execute(raw(`ALTER TABLE ${before} RENAME TO ${now}`))
    for (const [table, now, before] of renamedColumns)
      await db.execute(raw(`ALTER TABLE ${table} RENAME COLUMN ${before} TO ${now}`))
  })
}

test('tables and columns that were renamed since are carried over', async () => {
  const [from, to] = [await givenOlder(), await givenDatabase()]
  await givenCity(from)
  await from.execute(sql`INSERT INTO events (type, subject_type, subject_id) VALUES ('issue.reported', 'issue', 1)`)
  await from.execute(sql`
    INSERT INTO outbox_deliveries (event_id, handler, attempts, delivered_at) VALUES (1, 'notify-watchers', 3, '2026-11-20T10:00:00Z')`)
  await from.execute(sql`INSERT INTO trusted_devices (user_id, mark) VALUES (1, 'a hash')`)
  const tables = [...renamed.map(([table]) => table), ...renamedColumns.map(([table]) => table)]
  const rows = (db: Database) =>
    Promise.all(tables.map((table) => queryRows(db, sql`SELECT to_jsonb(t) AS row FROM ${raw(table)} t ORDER BY t::text`)))
  const before = await rows(from)
  await giveOlderNames(from)

  const counts = await copyDatabase(from, to, 'The older one')

  expect(await rows(to)).toEqual(before)
  expect([counts.get('outbox_deliveries'), counts.get('trusted_devices')]).toEqual([1, 1])
})

test('nothing is carried over from a database of this version, or of one that is older still', async () => {
  const [older, to] = [await givenOlder('20261122003800_newest_in_cells'), await givenDatabase()]

  await expect(copyDatabase(to, older, 'That one')).rejects.toThrow('use it as it is')
  await expect(copyDatabase(older, to, 'That one')).rejects.toThrow('Start its own last version once before')
})
