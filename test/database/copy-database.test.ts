import { describe, expect, it, onTestFinished } from 'vitest'

import { copyDatabase } from '../../src/database/copy-database.ts'
import { type Database, raw, sql } from '../../src/database/database.ts'
import { migrate } from '../../src/database/migrate.ts'
import { verifyPyramid } from '../../src/geo/pyramid/verify.ts'
import { openTestDatabase } from '../helpers/database.ts'
import { createFactories } from '../helpers/factories.ts'
import { queryRows } from '../helpers/query-rows.ts'

async function createDatabase(): Promise<Database> {
  const db = await openTestDatabase()
  onTestFinished(() => db.close())
  return db
}

/** Creates a database with the current tables, and records the last migration of an older version as the only one. */
async function createOlderDatabase(last = '20261123400200_place_triggers_restore'): Promise<Database> {
  const db = await createDatabase()
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
  for (const table of ['users', 'places', 'watch_areas', 'issues', 'comments', 'votes', 'search_words', 'removal_log']) {
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

/** Every renamed table and column with its older name. A sequence has the name of its table. */
const renamedTables = [
  ['email_addresses', 'emails'],
  ['mails', 'mail_deliveries'],
  ['outbox_deliveries', 'event_effects'],
  ['removal_log', 'removals'],
  ['suppressed_addresses', 'unwanted_addresses'],
  ['trusted_devices', 'familiar_clients'],
  ['user_write_positions', 'caller_writes'],
] as const
const renamedSequences = [
  ['email_addresses_id_seq', 'emails_id_seq'],
  ['removal_log_id_seq', 'removals_id_seq'],
] as const
const renamedColumns = [
  ['claimed_memberships', 'email_address_id', 'email_id'],
  ['idempotency_keys', 'lease_id', 'holder'],
  ['idempotency_keys', 'result', 'receipt'],
  ['issues', 'all_changes_revision', 'internal_revision'],
  ['issues', 'any_change_at', 'internal_changed_at'],
  ['issues', 'public_change_at', 'changed_at'],
  ['issues', 'public_revision', 'revision'],
  ['mails', 'attempts', 'tries'],
  ['mails', 'email_address_id', 'email_id'],
  ['mails', 'reply', 'answer'],
  ['moderation_items', 'requested_transition', 'requested_move'],
  ['one_time_tokens', 'email_address_id', 'email_id'],
  ['outbox_deliveries', 'delivered_at', 'done_at'],
  ['outbox_deliveries', 'requeues', 'attempts'],
  ['outbox_deliveries', 'starts', 'failures'],
  ['places', 'boundary_cells', 'edge_cells'],
  ['places', 'bounding_cells', 'around_cells'],
  ['removal_log', 'table_name', 'kind'],
  ['users', 'any_change_at', 'inner_changed_at'],
  ['users', 'summary_changed_at', 'changed_at'],
  ['users', 'summary_revision', 'revision'],
  ['watch_areas', 'boundary_cells', 'edge_cells'],
  ['watch_areas', 'bounding_cells', 'around_cells'],
] as const

async function useOlderNames(db: Database): Promise<void> {
  const run = (statement: string) => db.execute(raw(statement))
  for (const [table, name, older] of renamedColumns) await run(`ALTER TABLE ${table} RENAME COLUMN ${name} TO ${older}`)
  for (const [name, older] of renamedTables) await run(`ALTER TABLE ${name} RENAME TO ${older}`)
  for (const [name, older] of renamedSequences) await run(`ALTER SEQUENCE ${name} RENAME TO ${older}`)
  onTestFinished(async () => {
    for (const [name, older] of renamedSequences) await run(`ALTER SEQUENCE ${older} RENAME TO ${name}`)
    for (const [name, older] of renamedTables) await run(`ALTER TABLE ${older} RENAME TO ${name}`)
    for (const [table, name, older] of renamedColumns) await run(`ALTER TABLE ${table} RENAME COLUMN ${older} TO ${name}`)
  })
}

describe('copyDatabase', () => {
  it('copies every row of an older database, which is not migrated', async () => {
    const [from, to] = [await createOlderDatabase(), await createDatabase()]
    await createCity(from)
    const before = await readContents(from)

    const refused: unknown = await migrate(from).catch((error: unknown) => error)
    const counts = await copyDatabase(from, to, 'The older database')
    await verifyPyramid(to)

    expect(String(refused)).toContain('was created by an older version of Fixpoint. It was not changed.')
    expect(await readContents(from)).toEqual(before)
    expect(await readContents(to)).toEqual(before)
    expect([counts.get('issues'), counts.get('users')]).toEqual([1, 1])
    expect(await verifyPyramid(to)).toMatchObject({ wrong: [], covers: 0, parts: 0 })
    const [next] = await queryRows<{ id: number }>(to, sql`INSERT INTO users (name) VALUES ('Next') RETURNING id`)
    expect(next?.id).toBe(2)
    await expect(copyDatabase(from, to, 'The older database')).rejects.toThrow('The target database already has rows')
  })

  it('copies tables, columns, sequences, handlers, event types and keys that have been renamed', async () => {
    const [from, to] = [await createOlderDatabase(), await createDatabase()]
    await createCity(from)
    for (const statement of [
      sql`UPDATE users SET name = 'Ada Parker' WHERE id = 1`,
      sql`INSERT INTO events (type, subject_type, subject_id) VALUES ('issue.reported', 'issue', 1)`,
      sql`INSERT INTO events (type, subject_type, subject_id) VALUES ('issue.reopened', 'issue', 1)`,
      sql`INSERT INTO events (type, subject_type, subject_id) VALUES ('image.added', 'image', 1)`,
      sql`INSERT INTO events (type, subject_type, subject_id, payload) VALUES ('user.password_changed', 'user', 1, '{"email_address_id": 1}')`,
      sql`INSERT INTO signing_keys (name, key) VALUES ('trusted devices', 'a key')`,
      sql`INSERT INTO outbox_deliveries (event_id, handler, requeues, starts, delivered_at)
        VALUES (1, 'match-watch-areas', 3, 2, '2026-11-20T10:00:00Z'), (1, 'create-issue-mails', 0, 0, now()), (2, 'create-issue-mails', 0, 0, now())`,
      sql`INSERT INTO email_addresses (user_id, email) VALUES (1, 'mails@example.org')`,
      sql`INSERT INTO mails (event_id, email_address_id, attempts, sent_at, reply) SELECT 1, max(e.id), 2, '2026-11-20T10:00:00Z', '250 OK' FROM email_addresses e`,
      sql`INSERT INTO trusted_devices (user_id, mark) VALUES (1, 'a hash')`,
      sql`INSERT INTO suppressed_addresses (address_hash) VALUES ('a hash')`,
      sql`INSERT INTO user_write_positions (user_id, wal_lsn) VALUES (1, '0/1')`,
      sql`INSERT INTO removal_log (table_name) VALUES ('users'), ('issues')`,
      sql`INSERT INTO idempotency_keys (scope, fingerprint, lease_id, leased_until, result)
        VALUES ('a scope', 'a hash', gen_random_uuid(), now(), '{"id": 1}')`,
    ]) {
      await from.execute(statement)
    }
    const tables = [
      'events',
      'signing_keys',
      ...new Set([...renamedTables.map(([table]) => table), ...renamedColumns.map(([table]) => table)]),
    ]
    const readTables = (db: Database) =>
      Promise.all(tables.map((table) => queryRows(db, sql`SELECT to_jsonb(t) AS row FROM ${raw(table)} t ORDER BY t::text`)))
    const before = await readTables(from)
    await useOlderNames(from)
    for (const [handler, eventId, older] of [
      ['match-watch-areas', 1, 'notify-watchers'],
      ['create-issue-mails', 1, 'notify-followers'],
      ['create-issue-mails', 2, 'create-issue-notifications'],
    ] as const)
      await from.execute(sql`UPDATE event_effects SET handler = ${older} WHERE handler = ${handler} AND event_id = ${eventId}`)
    await from.execute(sql`UPDATE events SET type = 'medium.added', subject_type = 'medium' WHERE type = 'image.added'`)
    await from.execute(sql`UPDATE events SET payload = '{"email_id": 1}' WHERE type = 'user.password_changed'`)
    await from.execute(sql`UPDATE events SET type = 'issue.opened' WHERE type = 'issue.reopened'`)
    await from.execute(sql`UPDATE signing_keys SET name = 'familiar clients'`)

    const counts = await copyDatabase(from, to, 'The older database')

    expect(await readTables(to)).toEqual(before)
    expect(renamedTables.map(([table]) => counts.get(table))).toEqual([2, 1, 3, 2, 1, 1, 1])
    const [next] = await queryRows<{ id: number }>(to, sql`INSERT INTO removal_log (table_name) VALUES ('places') RETURNING id`)
    expect(next?.id).toBe(3)
  })

  it('refuses a database of this version, and one that is older than the last older version', async () => {
    const [older, to] = [await createOlderDatabase('20261122003800_newest_in_cells'), await createDatabase()]

    await expect(copyDatabase(to, older, 'That database')).rejects.toThrow('That database already has the current version.')
    await expect(copyDatabase(older, to, 'That database')).rejects.toThrow('That database is too old to be copied')
  })
})
