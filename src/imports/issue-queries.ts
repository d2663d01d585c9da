import Type, { type Static } from 'typebox'

import { Id, IdRow } from '../database/columns.ts'
import { type BulkSession, type Database, raw, sql } from '../database/database.ts'
import { toCopyText, type CopyValue } from '../database/copy-text.ts'
import type { IssueRow } from './issue-rows.ts'

/** The rows of a batch that are already in the database. */
export interface ExistingData {
  readonly importKeys: ReadonlySet<string>
  readonly ids: ReadonlySet<number>
  /** The category of each request type that exists. */
  readonly requestTypes: ReadonlyMap<number, string>
}

/** Lets one import at a time write a batch, so that two of one file take turns instead of colliding. Held until the commit. */
export async function lockImports(session: BulkSession): Promise<void> {
  await session.execute(sql`SELECT pg_advisory_xact_lock(hashtext('fixpoint import'))`)
}

const KeyRow = Type.Object({ import_key: Type.String() })
const TypeRow = Type.Object({ id: Id, category: Type.String() })

export async function findExisting(session: BulkSession, rows: readonly IssueRow[]): Promise<ExistingData> {
  const types = [...new Set(rows.map((row) => row.requestTypeId).filter((id) => id !== null))]
  const byKey = await session.query(
    KeyRow,
    sql`
      SELECT i.import_key
      FROM issues i
      WHERE i.import_key = ANY (${rows.map((row) => row.importKey)}::text[])`,
  )
  const byId = await session.query(
    IdRow,
    sql`
      SELECT i.id FROM issues i WHERE i.id = ANY (${rows.map((row) => row.id)}::integer[])`,
  )
  const byType = await session.query(
    TypeRow,
    sql`
      SELECT t.id, t.category FROM request_types t WHERE t.id = ANY (${types}::integer[])`,
  )
  return {
    importKeys: new Set(byKey.map((row) => row.import_key)),
    ids: new Set(byId.map((row) => row.id)),
    requestTypes: new Map(byType.map((row) => [row.id, row.category])),
  }
}

export async function nextIds(session: BulkSession, count: number): Promise<number[]> {
  const rows = await session.query(
    IdRow,
    sql`
      SELECT nextval(pg_get_serial_sequence('issues', 'id'))::integer AS id
      FROM generate_series(1, ${count}::integer)`,
  )
  return rows.map((row) => row.id)
}

/** People whom only their id is known of, such as "User 12", who cannot log in; in the order of ids, as everybody locks users. */
export async function addPlaceholders(session: BulkSession, ids: readonly number[]): Promise<void> {
  await session.execute(sql`
    INSERT INTO users (id, name)
    SELECT given.id, 'User ' || given.id
    FROM unnest(${[...new Set(ids)]}::integer[]) AS given (id)
    WHERE NOT EXISTS (SELECT FROM users u WHERE u.id = given.id)
    ORDER BY given.id
    ON CONFLICT DO NOTHING`)
}

const copiedColumnValues: Readonly<Record<string, (row: IssueRow) => CopyValue>> = {
  id: (row) => row.id,
  import_key: (row) => row.importKey,
  status: (row) => row.status,
  base_rating: (row) => row.baseRating,
  summary: (row) => row.summary,
  description: (row) => row.description,
  lng: (row) => row.lng,
  lat: (row) => row.lat,
  address: (row) => row.address,
  reporter_id: (row) => row.reporterId,
  anonymous: (row) => row.reporterId === null,
  assignee_id: (row) => row.assigneeId,
  request_type_id: (row) => row.requestTypeId,
  video_url: (row) => row.videoUrl,
  created_at: (row) => row.createdAt,
  updated_at: (row) => row.updatedAt,
  acknowledged_at: (row) => row.acknowledgedAt,
  closed_at: (row) => row.closedAt,
  reopened_at: (row) => row.reopenedAt,
}
const copiedValues = Object.values(copiedColumnValues)
const copiedColumns = [...Object.keys(copiedColumnValues), 'category', 'imported_at']

/** Copies the rows into the table itself: after `findExisting` and `reserveIds` no row can conflict with an existing one. */
export async function copyIssues(session: BulkSession, rows: readonly IssueRow[], known: ExistingData, now: string): Promise<void> {
  const values = rows.map((row) => [
    ...copiedValues.map((valueOf) => valueOf(row)),
    (row.requestTypeId === null ? undefined : known.requestTypes.get(row.requestTypeId)) ?? 'other',
    now,
  ])
  await session.copy('issues', copiedColumns, toCopyText(values))
}

const SequencePosition = Type.Object({ is_past: Type.Boolean() })

/**
 * Moves the sequence of a table past `id`, so that no new row takes an id that a file brings. The sequence is locked for that
 * moment (that is all that the ALTER is for): read and then set, it would otherwise go back where somebody took an id in between.
 * The lock also waits for those who took one and did not commit yet.
 */
export async function reserveIds(database: Database, table: 'issues' | 'users', id: number): Promise<void> {
  const isPast = sql`coalesce(pg_sequence_last_value(pg_get_serial_sequence(${table}, 'id')::regclass), 0) >= ${id}::bigint`
  const [found] = await database.query(SequencePosition, sql`SELECT ${isPast} AS is_past`)
  if (found?.is_past) return
  await database.bulk(async (session) => {
    await session.execute(raw(`ALTER SEQUENCE ${table}_id_seq CACHE 1`))
    await session.execute(sql`SELECT setval(pg_get_serial_sequence(${table}, 'id'), ${id}::bigint) WHERE NOT ${isPast}`)
  })
}

const RenumberedRow = Type.Object({ id: Id, newId: Id })

/** The issues of a source whose id is not the one of their file, in the order of their ids from above `after`. */
export function listRenumbered(
  database: Database,
  source: string,
  after: number,
  limit: number,
): Promise<Static<typeof RenumberedRow>[]> {
  const before = sql`(${source}::text || ':')`
  const rest = sql`substr(i.import_key, length${before} + 1)`
  // Without an index for it, a large table takes longer than other statements may.
  return database.bulk((session) =>
    session.query(
      RenumberedRow,
      sql`
        SELECT found.id::integer AS id, found.new_id AS "newId"
        FROM (
          SELECT ${rest} AS id, i.id AS new_id
          FROM issues i
          WHERE i.id > ${after} AND starts_with(i.import_key, ${before}) AND ${rest} ~ '^[1-9][0-9]{0,9}$' AND ${rest} <> i.id::text
          ORDER BY i.id
          LIMIT ${limit}::integer) found
        ORDER BY found.new_id`,
    ),
  )
}

/** Tells the planner what the tables hold now: the embedded engine never does so by itself, a server only after a while. */
export async function refreshStatistics(database: Database): Promise<void> {
  await database.executeScript('ANALYZE issues, users, search_words')
}
