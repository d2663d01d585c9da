import { join, type Queryable, type Sql, sql } from '../database/database.ts'
import { prepared } from '../database/prepared.ts'
import { totalIn, totalsIn, type Wanted } from '../geo/pyramid/totals.ts'
import type { Viewer } from '../http/auth/access.ts'
import { type IssueFilter, isOfArea } from './filter.ts'
import { changesFor, findListVersion, type ListVersion, versionColumns } from './list-version.ts'
import { matching } from './matching.ts'
import { type Status, statuses } from '../issue-lifecycle/status.ts'

/*
 * How many issues there are. Whatever asks for an area and statuses only is summed from the pyramid (docs/adr/0031), everything else is counted
 * one by one, in an index where there is one (matching.ts); both are exact.
 */

export interface IssueTotal {
  /** The exact number of issues over all pages. */
  readonly entries: number
  /** About how many issues there are at all, as the planner believes. */
  readonly inTable: number
}

const inTable = sql`(SELECT greatest(t.reltuples, 0)::integer FROM pg_class t WHERE t.oid = 'issues'::regclass)`

export async function countIssues(db: Queryable, filter: IssueFilter): Promise<IssueTotal> {
  const summed = isOfArea(filter) ? totalIn(filter.area, wantedOf(filter.statuses)) : null
  if (summed) {
    // It takes longer to plan than to run, and its text is one of few; what is counted row by row needs the plan of its own values.
    const [row] = await db.query<TotalRow>(prepared(sql`SELECT n.*, ${inTable} AS "inTable" FROM (${summed}) n`))
    return row ? totalFrom(row) : NONE
  }
  const [total] = await db.query<IssueTotal>(sql`
    SELECT count(*)::integer AS entries, ${inTable} AS "inTable" FROM (${matching(filter, sql`i.id`)}) i`)
  return total ?? NONE
}

/**
 * The total together with the version of the list, from one look at its cells where they know both.
 * @returns the version as `findListVersion` has it, undefined where that is
 */
export async function countWithVersion(
  reader: Queryable,
  filter: IssueFilter,
  viewer: Viewer | null,
): Promise<{ readonly version: ListVersion | undefined; readonly total: IssueTotal }> {
  const counted = countedWithVersion(filter, viewer)
  if (!counted) {
    const known = await findListVersion(reader, filter.area, viewer)
    return { version: known?.version, total: await countIssues(reader, filter) }
  }
  const [row] = await reader.query<CountedRow>(prepared(counted))
  return row ? countedFrom(row) : { version: undefined, total: NONE }
}

/** Both as the one row of a statement, which `countedFrom` reads; null where cells do not know both. */
export function countedWithVersion(filter: IssueFilter, viewer: Viewer | null): Sql | null {
  const kept = changesFor(viewer)
  const summed = kept && isOfArea(filter) ? totalIn(filter.area, wantedOf(filter.statuses), kept) : null
  return (
    summed &&
    sql`SELECT coalesce(n.entries, 0) AS entries, n.changes, ${inTable} AS "inTable", ${versionColumns(filter.area, viewer)} FROM (${summed}) n`
  )
}

export type CountedRow = TotalRow & ListVersion

export function countedFrom(row: CountedRow): { readonly version: ListVersion; readonly total: IssueTotal } {
  const { changes, viewer_changed_at, organizations, border } = row
  return { version: { changes, viewer_changed_at, organizations, border }, total: totalFrom(row) }
}

const NONE: IssueTotal = { entries: 0, inTable: 0 }

/** Null where an area has no cells that hold anything. */
interface TotalRow {
  readonly entries: number | null
  readonly inTable: number
}

const totalFrom = ({ entries, inTable }: TotalRow): IssueTotal => ({ entries: entries ?? 0, inTable })

/**
 * Statuses as columns of the pyramid and as a condition. The words stand in it, since a kept plan knows no values; and that none is Archived is said
 * as the index of current cells says it, in which old cities have far fewer.
 */
function wantedOf(wanted: readonly Status[]): Wanted {
  const folded = (of: Sql) =>
    join(
      wanted.map((status) => sql`${of}.${COLUMN[status]}`),
      ' + ',
    )
  const isOne = join(
    wanted.map((status) => sql`i.status = ${WORD[status]}`),
    ' OR ',
  )
  if (wanted.includes('Archived')) return { folded, isWanted: wanted.length === statuses.length ? sql`TRUE` : sql`(${isOne})` }
  return { folded, isWanted: wanted.length === statuses.length - 1 ? isCurrent : sql`${isCurrent} AND (${isOne})` }
}

const isCurrent = sql`i.status <> 'Archived'`
const COLUMN = { Open: sql`open`, Acknowledged: sql`acknowledged`, Closed: sql`closed`, Archived: sql`archived` } as const
const WORD = { Open: sql`'Open'`, Acknowledged: sql`'Acknowledged'`, Closed: sql`'Closed'`, Archived: sql`'Archived'` } as const

export type CountByStatus = Readonly<Partial<Record<Status, number>>>

/** How many issues of each status the filter asks for; a status without any is absent. */
export async function countIssuesByStatus(db: Queryable, filter: IssueFilter): Promise<CountByStatus> {
  const totals = isOfArea(filter) ? totalsIn(filter.area) : null
  if (totals) {
    const [row] = await db.query<Totals>(prepared(totals))
    const counts = filter.statuses.map((status): [Status, number] => [status, row ? countOf(row, status) : 0])
    return Object.fromEntries(counts.filter(([, issues]) => issues > 0))
  }
  const rows = await db.query<{ status: Status; issues: number }>(sql`
    SELECT i.status, count(*)::integer AS issues FROM (${matching(filter, sql`i.status`)}) i GROUP BY i.status ORDER BY i.status`)
  return Object.fromEntries(rows.map(({ status, issues }) => [status, issues]))
}

/** A row of `totalsIn`. */
type Totals = Readonly<Record<'open' | 'acknowledged' | 'closed' | 'archived', number | null>>

function countOf(totals: Totals, status: Status): number {
  switch (status) {
    case 'Open':
      return totals.open ?? 0
    case 'Acknowledged':
      return totals.acknowledged ?? 0
    case 'Closed':
      return totals.closed ?? 0
    case 'Archived':
      return totals.archived ?? 0
  }
}

/** How many open issues lie in each of these places, by the place's id. */
export async function countOpenIssues(
  db: Queryable,
  places: readonly { readonly id: number; readonly center_lng: number; readonly center_lat: number }[],
): Promise<ReadonlyMap<number, number>> {
  if (places.length === 0) return new Map()
  const counts = places.flatMap(({ id, center_lng: lng, center_lat: lat }) => {
    const open = totalIn({ kind: 'place', placeId: id, centre: { lng, lat } }, wantedOf(['Open']))
    return open ? [sql`SELECT ${id}::integer AS id, coalesce(n.entries, 0) AS issues FROM (${open}) n`] : []
  })
  const rows = await db.query<{ id: number; issues: number }>(join(counts, ' UNION ALL '))
  return new Map(rows.map(({ id, issues }) => [id, issues]))
}
