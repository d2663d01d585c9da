import { type Queryable, type Sql, sql } from '../database/database.ts'
import { prepared } from '../database/prepared.ts'
import { type Cell, LEVEL_MAX, placeOf } from '../geo/pyramid/cells.ts'
import { type CountIn, type FoundRing, held, ringFrom } from '../geo/pyramid/ring-breadth.ts'
import { stripIn, touchesArea } from '../geo/pyramid/ring.ts'
import type { Page } from '../http/lists/pagination.ts'
import type { IssueTotal } from './count-queries.ts'
import { type IssueFilter, splitConditions } from './filter.ts'
import { indexed } from './matching.ts'
import { isBehind, type Order, type Position, sortKey } from './order.ts'
import type { Status } from '../issue-lifecycle/status.ts'

/*
 * A list by distance behind a position (docs/adr/0033): no index begins there, but the cells of the pyramid know what lies around the ring at that
 * distance. What they count only says how broad a ring to read; the rows are those of the issues themselves, and the very distances of the list.
 */

export type ByDistance = Extract<Order, { by: 'distance' }>

/** A broader ring is read where one had too few issues of the filter; after so many the other ways are shorter. */
const RINGS_MAX = 5
/** More than that is not read to find out that nearly nothing of it is wanted. */
const LEFT_MAX = 20_000

/** So many issues along the index of distances cost what rings do. */
const STEPS_MIN = 1_000

/** Whether the way by rings is shorter than the one from the origin to page `page`; of few issues neither is better than to sort all of them. */
export function isForRings(order: Order, { page, perPage }: Page, { entries, inTable }: IssueTotal): order is ByDistance {
  const stepsAPage = (perPage * Math.max(inTable, entries)) / entries
  const isLong = page * stepsAPage > STEPS_MIN && entries > STEPS_MIN + 3 * stepsAPage
  return order.by === 'distance' && order.direction === 'ASC' && isLong
}

/**
 * The first `wanted` rows behind a position, or all where there are fewer. Null where rings do not get there: the filter wants too few of what lies
 * around.
 */
export async function alongRings<Row>(
  db: Queryable,
  filter: IssueFilter,
  order: ByDistance,
  after: Position,
  wanted: number,
  total: IssueTotal,
  find: (source: Sql) => Promise<Row[]>,
): Promise<Row[] | null> {
  const from_m = Math.max(Number(after.key), 0)
  let enough = 2 * wanted
  for (let n = 0; n < RINGS_MAX; n++) {
    const found = await ringFrom(order.origin, from_m, enough, touchesArea(filter.area), countIn(db, filter.statuses))
    if (held(found.cells) > Math.min(total.entries, enough === Infinity ? LEFT_MAX : Infinity)) return null
    const rows = await find(inRing(filter, order, after, found))
    if (rows.length >= wanted || found.ring.to_m === Infinity) return rows
    // At the end of a list there are not so many: the last ring is everything that is left.
    enough = n < RINGS_MAX - 2 ? enough * 2 * Math.min(wanted / Math.max(rows.length, 1), 8) : Infinity
  }
  return null
}

/** Ids and distances of the issues of the filter that lie in a ring, behind the position, in no order. */
function inRing(filter: IssueFilter, order: ByDistance, after: Position, { ring, cells }: FoundRing): Sql {
  const { along, keep } = splitConditions(filter)
  const ranges = cells.map(({ cell }) => rangeOf(cell))
  const strips = cells.map((cell) => stripIn(ring, cell))
  return sql`
    SELECT i.* FROM (
      SELECT i.id, ${sortKey(order)} AS sort_key
      FROM unnest(${listed(ranges.map(([first]) => first))}::bigint[], ${listed(ranges.map(([, last]) => last))}::bigint[],
        ${listed(strips.map(({ perLng }) => perLng))}::double precision[], ${listed(strips.map(({ perLat }) => perLat))}::double precision[],
        ${listed(strips.map(({ least }) => least))}::double precision[], ${listed(strips.map(({ most }) => most))}::double precision[])
        k (first, last, per_lng, per_lat, least, most)
      CROSS JOIN LATERAL (${inCell(filter, along)} ${cellByCell}) i
      WHERE ${keep} ${cellByCell}) i
    WHERE ${isBehind(sql`i.sort_key`, order, after)} AND i.sort_key <= ${String(ring.to_m)}::text::double precision`
}

/** Numbers as one text, an array of which the database makes: `pg` writes an array number by number, each in quotes. */
const listed = (numbers: readonly number[]) => sql`(SELECT string_to_array(${numbers.join()}::text, ','))`

/**
 * The index of current cells has all that is compared. Where it does not, that of all cells says whether anything is there before any row is read, which
 * most cells of a dense city are left out by.
 */
function inCell(filter: IssueFilter, along: Sql): Sql {
  const inIndex = !filter.statuses.includes('Archived') && filter.search === undefined
  return inIndex
    ? sql`SELECT ${indexed} FROM issues i WHERE ${along} AND ${inStrip}`
    : sql`SELECT i.* FROM issues i WHERE ${along} AND ${inStrip} AND (SELECT TRUE FROM issues i WHERE ${along} AND ${inStrip} LIMIT 1)`
}

/** Of cell `k`, as an index of cells has it. */
const inStrip = sql`i.cell BETWEEN k.first AND k.last AND i.lng * k.per_lng + i.lat * k.per_lat BETWEEN k.least AND k.most`

/** Each cell is looked up by itself, by no other index, and each distance measured once. */
const cellByCell = sql`OFFSET 0`

/** The cells of the finest level beneath a cell. */
function rangeOf(cell: Cell): readonly [first: Cell, last: Cell] {
  const finer = 4 ** (LEVEL_MAX - placeOf(cell).level)
  return [cell * finer, (cell + 1) * finer - 1]
}

/** As totals are summed: what is added up, and what is not yet. */
const countIn =
  (db: Queryable, statuses: readonly Status[]): CountIn =>
  async (cells, level) => {
    const [open, acknowledged, closed, archived] = (['Open', 'Acknowledged', 'Closed', 'Archived'] as const).map((status) =>
      Number(statuses.includes(status)),
    )
    const sum = (of: Sql) => sql`
      ${of}.open * w.open + ${of}.acknowledged * w.acknowledged + ${of}.closed * w.closed + ${of}.archived * w.archived`
    // Numbers of cells are Morton numbers: those beneath one cell follow each other. As one value, since reading hundreds of rows takes as long as counting.
    const [row] = await db.query<{ counts: readonly number[] }>(
      prepared(sql`
        SELECT ('[' || coalesce(string_agg(b.cell || ',' || b.issues, ','), '') || ']')::json AS counts
        FROM (
          SELECT b.cell, sum(b.issues) AS issues
          FROM unnest(${listed(cells)}::bigint[]) k (cell)
          CROSS JOIN (SELECT ${open}::integer AS open, ${acknowledged}::integer AS acknowledged, ${closed}::integer AS closed,
            ${archived}::integer AS archived, ${2 * level}::integer AS bits) w
          CROSS JOIN LATERAL (
            SELECT c.cell, ${sum(sql`c`)} AS issues
            FROM issue_cells c WHERE c.cell BETWEEN first_cell_in(k.cell) >> (32 - w.bits) AND last_cell_in(k.cell) >> (32 - w.bits)
            UNION ALL
            SELECT u.cell >> (32 - w.bits), ${sum(sql`u`)}
            FROM issue_cell_changes u WHERE u.cell BETWEEN first_cell_in(k.cell) AND last_cell_in(k.cell)) b
          GROUP BY b.cell) b
        WHERE b.issues > 0`),
    )
    return pairs(row?.counts ?? [])
  }

/** Numbers in twos. */
const pairs = (numbers: readonly number[]) =>
  Array.from({ length: numbers.length / 2 }, (_, n) => [numbers[2 * n] ?? 0, numbers[2 * n + 1] ?? 0] as const)
