import { type Queryable, type Sql, sql } from '../../database/database.ts'
import { prepared } from '../../database/prepared.ts'
import type { Area } from '../../geo/area.ts'
import { aroundOf } from '../../geo/pyramid/area-cells.ts'
import { type ChangesKept, heldAround } from '../../geo/pyramid/totals.ts'
import type { Viewer } from '../../http/auth/access.ts'
import { among, byId, type ShownIds, idsOf, type Shown, shownColumns, type ShownTexts } from './etag-dependencies.ts'

/*
 * What a list depends on, known without reading it (docs/adr/0046): how often anything in the cells of its area changed, what the caller is,
 * and those people and request types that show in it, whose names are too many issues' to touch. Which ones those are the tag itself tells.
 */

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

/** The version among other columns of a row; undefined where the caller must not be told. */
export function versionFrom(row: ListVersion, viewer: Viewer | null): ListVersion | undefined {
  const { changes, viewer_changed_at, organizations, border } = row
  return changesFor(viewer) && { changes, viewer_changed_at, organizations, border }
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
  carried?: ShownIds,
): Promise<FoundVersion | undefined> {
  const kept = changesFor(viewer)
  const around = kept && aroundOf(area)
  if (!around) return undefined
  const [found] = await reader.query<ListVersion & ShownTexts>(
    prepared(sql`
      SELECT h.changes, ${versionColumns(area, viewer)},
        ${carried ? shownColumns(idsOf(carried)) : sql`'[]'::json AS people, '[]'::json AS types`}
      FROM (${heldAround(around, () => sql`0`, kept)}) h`),
  )
  if (!found) return undefined
  const { people, types, ...version } = found
  const [knownPeople, knownTypes] = [byId(people), byId(types)]
  return { version, shown: { people: among(knownPeople, carried?.people ?? []), types: among(knownTypes, carried?.types ?? []) } }
}

export interface FoundVersion {
  readonly version: ListVersion
  readonly shown: Shown
}

/** Of the border itself: a version of its row would tell what else of it changes. */
function borderOf(area: Area): Sql {
  if (area.kind === 'place') return sql`(SELECT md5(ST_AsBinary(p.boundary)) FROM places p WHERE p.id = ${area.placeId})`
  if (area.kind === 'watched') return sql`(SELECT md5(ST_AsBinary(w.area)) FROM watch_areas w WHERE w.id = ${area.watchAreaId})`
  return sql`NULL::text`
}
