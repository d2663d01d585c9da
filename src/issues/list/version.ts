import Type, { type Static } from 'typebox'

import { nullable, Timestamp } from '../../database/columns.ts'
import { type Queryable, type Sql, sql } from '../../database/database.ts'
import { prepared } from '../../database/prepared.ts'
import type { Area } from '../../geo/area.ts'
import { boundingCellsSubquery } from '../../geo/pyramid/area-cells.ts'
import { type ChangeColumn, boundingCellCounts } from '../../geo/pyramid/totals.ts'
import type { Viewer } from '../../http/auth/authentication.ts'
import {
  pickTexts,
  indexById,
  type DependencyIds,
  toIdArrays,
  type EtagDependencies,
  dependencyColumns,
  DependencyTexts,
} from './etag-dependencies.ts'

/**
 * The values on which a list depends, known without reading it (docs/adr/0005): change counts of its cells, the caller, and the
 * visible users and request types. A change of a user's name would touch the cells of too many issues, so the ETag lists the ids
 * instead.
 */

export const ListVersion = Type.Object({
  changes: Type.Integer(),
  viewer_changed_at: nullable(Timestamp),
  /** The areas of the caller's organisations decide for which issues the caller acts. */
  organizations: nullable(Type.String()),
  border: nullable(Type.String()),
})
export type ListVersion = Static<typeof ListVersion>

/** Returns which change count applies to the caller; undefined if the caller may not know any. */
export function changeColumnFor(viewer: Viewer | null): ChangeColumn | undefined {
  // Employees have access to private data of some issues, and an ETag must not reveal private changes of others. Moderators have
  // access to all.
  if (viewer && !viewer.isModerator && viewer.organizationIds.length > 0) return undefined
  return viewer?.isModerator ? 'internal_changes' : 'changes'
}

/** Returns the version from the columns of a row; undefined if the caller may not know it. */
export function toListVersion(row: ListVersion, viewer: Viewer | null): ListVersion | undefined {
  const { changes, viewer_changed_at, organizations, border } = row
  return changeColumnFor(viewer) && { changes, viewer_changed_at, organizations, border }
}

/** Returns the columns of a `ListVersion`, except `changes`. */
export function versionColumns(area: Area, viewer: Viewer | null): Sql {
  // Anonymous callers get a text without parameters: with null parameters the generic plan looks more expensive, and PostgreSQL
  // would plan each time.
  const viewerColumns = viewer
    ? sql`(SELECT u.internal_changed_at FROM users u WHERE u.id = ${viewer.id}::integer) AS viewer_changed_at,
        (SELECT string_agg(concat_ws(' ', o.id, md5(ST_AsBinary(o.area))), ',' ORDER BY o.id) FROM organizations o
          WHERE o.id = ANY(${viewer.organizationIds}::integer[])) AS organizations`
    : sql`NULL::timestamptz AS viewer_changed_at, NULL::text AS organizations`
  return sql`${viewerColumns}, ${borderDigest(area)} AS border`
}

const VersionWithDependencies = Type.Object({ ...ListVersion.properties, ...DependencyTexts.properties })

/**
 * Returns the version of a list. Call it before the list is read, with the same reader: the version may then be older than the
 * list, never newer. Returns undefined if the area has no cells or the caller may not know the version.
 * @param dependencyIds ids to look up at the same time; deleted ones are missing in the result
 */
export async function findListVersion(
  reader: Queryable,
  area: Area,
  viewer: Viewer | null,
  dependencyIds?: DependencyIds,
): Promise<FoundVersion | undefined> {
  const changeColumn = changeColumnFor(viewer)
  const coveringCells = changeColumn && boundingCellsSubquery(area)
  if (!coveringCells) return undefined
  const [found] = await reader.query(
    VersionWithDependencies,
    prepared(sql`
      SELECT h.changes, ${versionColumns(area, viewer)},
        ${dependencyIds ? dependencyColumns(toIdArrays(dependencyIds)) : sql`'[]'::json AS people, '[]'::json AS types`}
      FROM (${boundingCellCounts(coveringCells, () => sql`0`, changeColumn)}) h`),
  )
  if (!found) return undefined
  const { people, types, ...version } = found
  const [peopleById, typesById] = [indexById(people), indexById(types)]
  return {
    version,
    dependencies: {
      people: pickTexts(peopleById, dependencyIds?.people ?? []),
      types: pickTexts(typesById, dependencyIds?.types ?? []),
    },
  }
}

export interface FoundVersion {
  readonly version: ListVersion
  readonly dependencies: EtagDependencies
}

/** Only the border is hashed: a revision of the row would reveal its other changes. */
function borderDigest(area: Area): Sql {
  if (area.kind === 'place') return sql`(SELECT md5(ST_AsBinary(p.boundary)) FROM places p WHERE p.id = ${area.placeId})`
  if (area.kind === 'watchArea') return sql`(SELECT md5(ST_AsBinary(w.area)) FROM watch_areas w WHERE w.id = ${area.watchAreaId})`
  return sql`NULL::text`
}
