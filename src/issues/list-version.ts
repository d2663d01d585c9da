import { type Queryable, type Sql, sql } from '../database/database.ts'
import { prepared } from '../database/prepared.ts'
import type { Area } from '../geo/area.ts'
import { changesIn, type ChangesKept } from '../geo/pyramid/totals.ts'
import type { Viewer } from '../http/access.ts'
import type { UserSummaryRow } from '../users/present.ts'
import { userSummary } from '../users/queries.ts'
import type { RequestTypeRow } from './queries.ts'

/*
 * What a list depends on, known without reading it (docs/adr/0032): how often anything in the cells of its area changed, what the caller is,
 * and those people and request types that show in it, whose names are too many issues' to touch. Which ones those are the tag itself tells.
 */

/** The people and request types that show in a list, by their ids. */
export interface Shown {
  readonly people: ReadonlyMap<number, UserSummaryRow>
  readonly types: ReadonlyMap<number, RequestTypeRow>
}

/** More than that and the tag would become longer than it is worth. */
const SHOWN_MAX = 300

export interface ListVersion {
  readonly changes: number
  readonly viewer_changed_at: string | null
  /** Of the organisations that the caller works for: their areas say for what they act. */
  readonly organizations: string | null
  /** Of the place or watch area whose border it is. */
  readonly border: string | null
}

/** Which changes a list depends on for this caller; undefined where no count of them may be told. */
export function changesFor(viewer: Viewer | null): ChangesKept | undefined {
  // Employees see more of some issues, and must not learn from a tag what happens out of sight in others. Moderators see it all.
  if (viewer && !viewer.isModerator && viewer.organizationIds.length > 0) return undefined
  return viewer?.isModerator ? 'inner_changes' : 'changes'
}

/** The columns of a `ListVersion` but for `changes`. */
export function versionColumns(area: Area, viewer: Viewer | null): Sql {
  // Another text for nobody: with parameters that are null its plan would look dearer than one for these values, and be made each time.
  const ofViewer = viewer
    ? sql`(SELECT u.inner_changed_at FROM users u WHERE u.id = ${viewer.id}::integer) AS viewer_changed_at,
        (SELECT string_agg(concat_ws(' ', o.id, md5(ST_AsBinary(o.area))), ',' ORDER BY o.id) FROM organizations o
          WHERE o.id = ANY(${viewer.organizationIds}::integer[])) AS organizations`
    : sql`NULL::timestamptz AS viewer_changed_at, NULL::text AS organizations`
  return sql`${ofViewer}, ${borderOf(area)} AS border`
}

/**
 * To be asked of the same reader as the list, and not after it: it may then be older than the list, and never newer. Undefined where the cells
 * do not know, since the area is in no table, or the caller must not.
 * @param carried whom to look up at the same time: what they are now, those that are gone missing
 */
export async function findListVersion(
  reader: Queryable,
  area: Area,
  viewer: Viewer | null,
  carried?: CarriedIds,
): Promise<FoundVersion | undefined> {
  const kept = changesFor(viewer)
  const changes = kept && changesIn(area, kept)
  if (!changes) return undefined
  const [found] = await reader.query<ListVersion & ShownRows>(
    prepared(sql`
      SELECT ${changes} AS changes, ${versionColumns(area, viewer)},
        ${
          carried
            ? shownColumns({ people: sql`${carried.people}::integer[]`, types: sql`${carried.types}::integer[]` })
            : sql`'[]'::json AS people, '[]'::json AS types`
        }`),
  )
  if (!found) return undefined
  const { people, types, ...version } = found
  return { version, shown: { people: byId(people), types: byId(types) } }
}

export interface FoundVersion {
  readonly version: ListVersion
  readonly shown: Shown
}

/** The columns of `shownColumns`. */
export interface ShownRows {
  readonly people: readonly UserSummaryRow[]
  readonly types: readonly RequestTypeRow[]
}

/** @param ids SQL arrays of whom to look up */
export const shownColumns = (ids: Readonly<Record<keyof CarriedIds, Sql>>) => sql`
  coalesce((SELECT json_agg(${userSummary(sql`u`)}) FROM users u WHERE u.id = ANY(${ids.people})), '[]') AS people,
  coalesce((
    SELECT json_agg(json_build_object('id', rt.id, 'title', rt.title, 'organization', o.name, 'organization_id', o.id))
    FROM request_types rt LEFT JOIN organizations o ON o.id = rt.organization_id
    WHERE rt.id = ANY(${ids.types})), '[]') AS types`

/** Of the border itself: a version of its row would tell what else of it changes. */
function borderOf(area: Area): Sql {
  if (area.kind === 'place') return sql`(SELECT md5(ST_AsBinary(p.boundary)) FROM places p WHERE p.id = ${area.placeId})`
  if (area.kind === 'watched') return sql`(SELECT md5(ST_AsBinary(w.area)) FROM watch_areas w WHERE w.id = ${area.watchAreaId})`
  return sql`NULL::text`
}

export const byId = <Row extends { readonly id: number }>(rows: readonly Row[]) => new Map(rows.map((row) => [row.id, row]))

/**
 * Of all that a list shows, each person and type once; undefined where one shows in two ways, because it changed while the list was read, or
 * where there are too many.
 */
export function shownIn(people: readonly (UserSummaryRow | null)[], types: readonly (RequestTypeRow | null)[]): Shown | undefined {
  const [shownPeople, shownTypes] = [inOneWay(people), inOneWay(types)]
  if (!shownPeople || !shownTypes || shownPeople.size + shownTypes.size > SHOWN_MAX) return undefined
  return { people: shownPeople, types: shownTypes }
}

function inOneWay<Row extends { readonly id: number }>(rows: readonly (Row | null)[]): Map<number, Row> | undefined {
  const shown = new Map<number, Row>()
  for (const row of rows) {
    if (!row) continue
    const before = shown.get(row.id)
    if (before && JSON.stringify(before) !== JSON.stringify(row)) return undefined
    shown.set(row.id, row)
  }
  return shown
}

/** The same text for the same people and types, in whatever order they were found. */
export const textOf = ({ people, types }: Shown): string => JSON.stringify([inOrder(people), inOrder(types)])

const inOrder = <Row extends { readonly id: number }>(rows: ReadonlyMap<number, Row>) =>
  [...rows.values()].sort((a, b) => a.id - b.id)

export interface CarriedIds {
  readonly people: readonly number[]
  readonly types: readonly number[]
}

/** The ids as a tag carries them: base 36, people, then types. */
export const carriedText = ({ people, types }: Shown): string => `${idsText([...people.keys()])}~${idsText([...types.keys()])}`

const idsText = (ids: readonly number[]) =>
  ids
    .toSorted((a, b) => a - b)
    .map((id) => id.toString(36))
    .join('.')

/** Undefined for what we would not have written. */
export function readCarried(text: string | undefined): CarriedIds | undefined {
  const parts = /^([0-9a-z.]*)~([0-9a-z.]*)$/.exec(text ?? '')
  const [people, types] = [idsFrom(parts?.[1]), idsFrom(parts?.[2])]
  if (!people || !types || people.length + types.length > SHOWN_MAX) return undefined
  return { people, types }
}

function idsFrom(text: string | undefined): number[] | undefined {
  if (text === undefined) return undefined
  const ids = text === '' ? [] : text.split('.').map((part) => Number.parseInt(part, 36))
  return ids.every((id) => Number.isInteger(id) && id > 0 && id <= 2 ** 31 - 1) ? ids : undefined
}
