import type { FastifyReply } from 'fastify'
import Type, { type Static } from 'typebox'

import { Count, type Queryable, type Sql, sql, prepared } from '../database/database.ts'
import { problems } from '../errors/problems.ts'
import type { Area } from '../geo/area.ts'
import { idMax } from '../http/schema/fields.ts'
import { text } from '../locales/texts.ts'

/** The header that says from which position of the log a client can go on after a list or a download. */
export const CHANGES_CURSOR = 'x-changes-cursor'

/** Time for which the log is stored. Cursors are refused a day earlier, because changes of one transaction may be older than its position. */
export const CHANGES_KEPT_DAYS = 31
export const CURSOR_DAYS = 30
const DAY_MS = 86_400_000

/** A position in the log of changes: all changes at or before it are visible, whatever is committed later (docs/adr/0022). */
export const ChangesPosition = Type.Object({
  /** Identifies the log and the area. It is another one after a restore, and after a change of a stored area. */
  log: Type.String(),
  /** The position is after this issue in this transaction. */
  xid: Count,
  issue_id: Type.Integer(),
  /** Time in milliseconds since 1970 after which all later changes were made, with the tolerance of a day. */
  at: Type.Integer(),
})
export type ChangesPosition = Static<typeof ChangesPosition>

/** Reads the position of a snapshot. Call it before a list is read, with the same reader: it may then be older than the list, never newer. */
export const findChangesPosition = (reader: Queryable, area: Area): Promise<ChangesPosition> =>
  reader.query(prepared(sql.one(ChangesPosition)`SELECT ${positionColumns(area)}`))

/** Says the position of a page in `Server-Timing`, which its script can read. Call it before the page is read. */
export async function setPagePosition(reply: FastifyReply, reader: Queryable, area: Area = { kind: 'everywhere' }): Promise<void> {
  void reply.header('server-timing', `changes;desc="${encodeChangesCursor(await findChangesPosition(reader, area))}"`)
}

/** Every transaction before the oldest running one has ended, so no change can still appear before this position. */
export const positionColumns = (area: Area): Sql => sql`
  md5(concat_ws(' ', (SELECT v.version FROM table_versions v WHERE v.name = 'change log'), ${boundaryVersion(area)})) AS log,
  pg_snapshot_xmin(pg_current_snapshot())::text::bigint AS xid, -1 AS issue_id, (extract(epoch FROM now()) * 1000)::bigint AS at`

/** Returns a text that differs whenever the boundary of a stored area has changed. */
export function boundaryVersion(area: Area): Sql {
  if (area.kind === 'place') return sql`(SELECT p.changed_at FROM places p WHERE p.id = ${area.placeId}::integer)`
  if (area.kind === 'watchArea')
    return sql`(SELECT md5(ST_AsBinary(w.area)) FROM watch_areas w WHERE w.id = ${area.watchAreaId}::integer)`
  return sql`''`
}

export const encodeChangesCursor = ({ log, xid, issue_id, at }: ChangesPosition): string =>
  Buffer.from([log, xid, issue_id, at].join(' ')).toString('base64url')

/** @throws Problem 422 for a text that is no cursor */
export function parseChangesCursor(cursor: string): ChangesPosition {
  const [, log, xid, issue_id, at] =
    /^([0-9a-f]{32}) (\d{1,15}) (-1|\d{1,10}) (\d{1,15})$/.exec(Buffer.from(cursor, 'base64url').toString()) ?? []
  if (log === undefined || Number(issue_id) > idMax)
    throw problems.invalid({ since: text('must_be', { allowed: text('changes_cursor') }) })
  return { log, xid: Number(xid), issue_id: Number(issue_id), at: Number(at) }
}

/** Returns whether changes after the position may be missing: the log began anew, the area changed, or the position is too old. One of the future was forged. */
export const isGone = (position: ChangesPosition, current: ChangesPosition): boolean =>
  position.log !== current.log || current.at - position.at > CURSOR_DAYS * DAY_MS || position.at - current.at > DAY_MS

/** Returns the later one: a replica may be behind the position that another one has given. */
export function laterPosition(a: ChangesPosition, b: ChangesPosition): ChangesPosition {
  const later = a.xid > b.xid || (a.xid === b.xid && a.issue_id > b.issue_id) ? a : b
  return { ...later, at: Math.max(a.at, b.at) }
}
