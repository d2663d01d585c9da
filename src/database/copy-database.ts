import { AsyncLocalStorage } from 'node:async_hooks'
import Type from 'typebox'

import { UserFacingError } from '../errors/user-facing-error.ts'
import { Count, nullable } from './columns.ts'
import { toCopyText } from './copy-text.ts'
import { type Database, type Queryable, raw, sql } from './database.ts'
import { assertLastOlderVersion } from './older-version.ts'

/** These are not copied: `verifyPyramid` rebuilds them, and rate limits last a minute. */
const derivedTables = ['issue_cells', 'issue_changes', 'area_parts', 'table_versions', 'rate_limits']

const olderTables: Readonly<Record<string, string>> = {
  email_addresses: 'emails',
  mails: 'mail_deliveries',
  outbox_deliveries: 'event_effects',
  removal_log: 'removals',
  suppressed_addresses: 'unwanted_addresses',
  trusted_devices: 'familiar_clients',
  user_write_positions: 'caller_writes',
}

const olderAreaColumns = { boundary_cells: ['edge_cells'], bounding_cells: ['around_cells'] }

/** A column that was renamed twice has two older names. */
const olderColumns: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  claimed_memberships: { email_address_id: ['email_id'] },
  idempotency_keys: { lease_id: ['holder'], result: ['receipt'] },
  issues: {
    public_revision: ['revision'],
    public_change_at: ['changed_at'],
    all_changes_revision: ['internal_revision', 'inner_revision'],
    any_change_at: ['internal_changed_at', 'inner_changed_at'],
  },
  mails: { attempts: ['tries'], email_address_id: ['email_id'], reply: ['answer'] },
  moderation_items: { requested_transition: ['requested_move'] },
  one_time_tokens: { email_address_id: ['email_id'] },
  outbox_deliveries: { delivered_at: ['done_at'], requeues: ['attempts', 'tries'], starts: ['failures'] },
  places: olderAreaColumns,
  removal_log: { table_name: ['kind'] },
  users: {
    summary_revision: ['revision'],
    summary_changed_at: ['changed_at'],
    any_change_at: ['internal_changed_at', 'inner_changed_at'],
  },
  watch_areas: olderAreaColumns,
}

const olderHandlers: Readonly<Record<string, readonly string[]>> = {
  'create-issue-mails': ['create-issue-notifications', 'notify-followers'],
  'create-question-mails': ['create-question-notifications', 'notify-authors'],
  'create-smaller-images': ['shrink-picture'],
  'create-square-avatar': ['shrink-avatar'],
  'match-watch-areas': ['notify-watchers'],
  'send-account-mails': ['send-mails'],
}

/** Names that event types have in older databases. */
const olderEventTypes: Readonly<Record<string, string>> = {
  'comment.transition_refused': 'comment.move_refused',
  'image.added': 'medium.added',
  'issue.reopened': 'issue.opened',
}

/** This limits one read to a few thousand rows. */
const PAGES_PER_READ = 200

interface Table {
  readonly name: string
  /** Generated columns are left out. */
  readonly columns: readonly string[]
}

/** Both tables have their columns in the same order. */
interface TablePair extends Table {
  readonly older: Table
}

const LastId = Type.Object({ table: Type.String(), last: nullable(Type.Integer()) })

/** The name of a sequence contains the older name of its table, so sequences are found by their tables. */
const lastIdsQuery = sql`
  SELECT c.relname AS "table", pg_sequence_last_value(s.seqrelid) AS last
  FROM pg_sequence s
  JOIN pg_depend d ON d.classid = 'pg_class'::regclass AND d.objid = s.seqrelid AND d.deptype IN ('a', 'i')
  JOIN pg_class c ON c.oid = d.refobjid AND c.relnamespace = 'public'::regnamespace`

/**
 * Copies every row of an older database, which must not change meanwhile, in one transaction. Run `verifyPyramid` afterwards.
 * @param name name of the older database in messages
 * @returns the number of rows by table
 * @throws UserFacingError if the older database is not of the last older version, or the new one is not empty
 */
export async function copyDatabase(from: Database, to: Database, name: string): Promise<Map<string, number>> {
  await assertLastOlderVersion(from, name)
  const tables = await listTables(from, to)
  const lastIds = new Map((await from.query(LastId, lastIdsQuery)).map(({ table, last }) => [table, last]))
  // The other database is read outside of the transaction's async context, which allows only its own handle.
  const outside = AsyncLocalStorage.snapshot()
  return to.bulk(async (session) => {
    await assertEmpty(session, tables)
    const counts = new Map<string, number>()
    // Triggers are disabled because the rows already contain their results.
    for (const table of tables) await session.execute(raw(`ALTER TABLE ${table.name} DISABLE TRIGGER USER`))
    for (const table of tables) {
      for (let page = 0, pages = await outside(() => countPages(from, table.older)); page < pages; page += PAGES_PER_READ) {
        const rows = await outside(() => readPages(from, table.older, page))
        if (rows.length > 0) await session.copy(table.name, table.columns, toCopyText(rows))
      }
      counts.set(table.name, await countRows(session, table))
      const expected = await outside(() => countRows(from, table.older))
      if (counts.get(table.name) !== expected)
        throw new Error(`${table.name} has ${counts.get(table.name)} rows instead of ${expected}`)
    }
    for (const [handler, older] of Object.entries(olderHandlers))
      await session.execute(
        sql`UPDATE outbox_deliveries delivery SET handler = ${handler} WHERE delivery.handler = ANY (${older}::text[])`,
      )
    for (const [type, older] of Object.entries(olderEventTypes))
      await session.execute(sql`
        UPDATE events event SET type = ${type}, subject_type = split_part(${type}, '.', 1) WHERE event.type = ${older}`)
    await session.execute(sql`
      UPDATE events event SET payload = event.payload - 'email_id' || jsonb_build_object('email_address_id', event.payload -> 'email_id')
      WHERE event.payload -> 'email_id' IS NOT NULL`)
    await session.execute(sql`UPDATE signing_keys stored SET name = 'trusted devices' WHERE stored.name = 'familiar clients'`)
    for (const table of tables) await session.execute(raw(`ALTER TABLE ${table.name} ENABLE TRIGGER USER`))
    for (const { name: table, older } of tables) {
      const last = lastIds.get(older.name) ?? null
      if (last !== null) await session.execute(sql`SELECT setval(pg_get_serial_sequence(${table}, 'id'), ${last}::bigint)`)
    }
    return counts
  })
}

const TableRow = Type.Object({ table: Type.String(), columns: Type.Array(Type.String()), refers_to: Type.Array(Type.String()) })

/** The order follows the foreign keys. */
async function listTables(from: Queryable, to: Queryable): Promise<TablePair[]> {
  const findColumns = (db: Queryable) =>
    db.query(
      TableRow,
      sql`
        SELECT c.relname AS "table", array_agg(quote_ident(a.attname) ORDER BY a.attnum) AS columns,
          (SELECT coalesce(array_agg(r.relname::text), '{}') FROM pg_constraint k JOIN pg_class r ON r.oid = k.confrelid
           WHERE k.conrelid = c.oid AND k.contype = 'f') AS refers_to
        FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = ''
        WHERE c.relnamespace = 'public'::regnamespace AND c.relkind = 'r' AND c.relname NOT IN ('_prisma_migrations', 'spatial_ref_sys')
        GROUP BY c.oid, c.relname ORDER BY c.relname`,
    )
  const older = new Map((await findColumns(from)).map(({ table, columns }) => [table, columns]))
  const olderName = (table: string) => [olderTables[table], table].find((name) => name !== undefined && older.has(name))
  const remaining = (await findColumns(to)).filter(({ table }) => olderName(table) !== undefined && !derivedTables.includes(table))
  const ordered: TablePair[] = []
  while (remaining.length > 0) {
    const next = remaining.findIndex(({ refers_to }) => !remaining.some(({ table }) => refers_to.includes(table)))
    const [{ table, columns }] = remaining.splice(next, 1) as [(typeof remaining)[number]]
    ordered.push(pairTables({ name: table, columns }, olderName(table) ?? table, older))
  }
  return ordered
}

function pairTables({ name, columns }: Table, olderName: string, older: ReadonlyMap<string, readonly string[]>): TablePair {
  const olderNames = older.get(olderName) ?? []
  const pairs = columns.flatMap((column) => {
    const olderColumn = [...(olderColumns[name]?.[column] ?? []), column].find((one) => olderNames.includes(one))
    return olderColumn === undefined ? [] : [{ column, olderColumn }]
  })
  return {
    name,
    columns: pairs.map(({ column }) => column),
    older: { name: olderName, columns: pairs.map(({ olderColumn }) => olderColumn) },
  }
}

async function assertEmpty(db: Queryable, tables: readonly Table[]): Promise<void> {
  for (const table of tables) {
    if ((await countRows(db, table)) > 0) {
      throw new UserFacingError(
        `The target database already has rows (in ${table.name}). Set DATABASE_URL or DATA_DIR to a new, empty database.`,
      )
    }
  }
}

const RowCount = Type.Object({ count: Count })

async function countRows(db: Queryable, { name }: Table): Promise<number> {
  const [row] = await db.query(RowCount, sql`SELECT count(*) AS count FROM ${raw(name)}`)
  return row?.count ?? 0
}

const PageCount = Type.Object({ pages: Count })

async function countPages(db: Queryable, { name }: Table): Promise<number> {
  const [row] = await db.query(
    PageCount,
    sql`
      SELECT pg_relation_size(${name}::regclass) / current_setting('block_size')::bigint AS pages`,
  )
  return row?.pages ?? 0
}

const CopiedRow = Type.Object({ row: Type.Array(nullable(Type.String())) })

async function readPages(db: Queryable, { name, columns }: Table, first: number): Promise<(string | null)[][]> {
  const rows = await db.query(
    CopiedRow,
    sql`
      SELECT json_build_array(${raw(columns.map((column) => `t.${column}::text`).join(', '))}) AS row FROM ${raw(name)} t
      WHERE t.ctid >= ${`(${first},0)`}::tid AND t.ctid < ${`(${first + PAGES_PER_READ},0)`}::tid`,
  )
  return rows.map(({ row }) => row)
}
