import Type, { type Static } from 'typebox'

import { nullable, Timestamp } from '../../database/columns.ts'
import { type Queryable, type Sql, sql } from '../../database/database.ts'
import { prepared } from '../../database/prepared.ts'
import type { Area } from '../../geo/area.ts'
import { cellsAround } from '../../geo/pyramid/area-cells.ts'
import { areaVersion, type ChangeScope } from '../../geo/pyramid/totals.ts'
import type { Viewer } from '../../http/auth/authentication.ts'
import {
  pickSerialized,
  toSerializedById,
  type DependencyIds,
  toIdArrays,
  type EtagDependencies,
  dependencyColumns,
  SerializedDependencies,
} from './etag-dependencies.ts'

/* The names of users are not part of a version (docs/adr/0007): a new name would touch the cells of too many issues. */

export const ListVersion = Type.Object({
  /** The number of changes of issues in the bounding cells of the area, plus the random number of the generation. */
  change_count: Type.Integer(),
  viewer_any_change_at: nullable(Timestamp),
  /** Ids and hashes of the areas of the caller's organisations, which decide for which issues the caller acts. */
  organization_area_hashes: nullable(Type.String()),
  boundary_hash: nullable(Type.String()),
})
export type ListVersion = Static<typeof ListVersion>

/** Returns which changes the version counts for this caller; undefined if the caller may not know the version. */
export function changeScopeFor(viewer: Viewer | null): ChangeScope | undefined {
  // An ETag must not reveal private changes of issues that an employee may not read. Moderators may read all.
  if (viewer && !viewer.isModerator && viewer.organizationIds.length > 0) return undefined
  return viewer?.isModerator ? 'all' : 'public'
}

/** Returns the columns of a `ListVersion`, except `change_count`. */
export function listVersionColumns(area: Area, viewer: Viewer | null): Sql {
  // Null parameters would make the generic plan look expensive, and PostgreSQL would plan the statement for anonymous callers each time.
  const viewerColumns = viewer
    ? sql`(SELECT users.any_change_at FROM users WHERE users.id = ${viewer.id}::integer) AS viewer_any_change_at,
        (SELECT string_agg(concat_ws(' ', organizations.id, md5(ST_AsBinary(organizations.area))), ',' ORDER BY organizations.id) FROM organizations
          WHERE organizations.id = ANY(${viewer.organizationIds}::integer[])) AS organization_area_hashes`
    : sql`NULL::timestamptz AS viewer_any_change_at, NULL::text AS organization_area_hashes`
  return sql`${viewerColumns}, ${boundaryHash(area)} AS boundary_hash`
}

/** A text that differs whenever names of request types, organisations or places, or boundaries may have changed. */
export const namesVersion = sql`
  (SELECT string_agg(v.version::text, ',' ORDER BY v.name) FROM table_versions v WHERE v.name IN ('names', 'places'))`

const NamesVersion = Type.Object({ version: nullable(Type.String()) })

/** Returns `namesVersion`. Call it before the read, with the same reader. */
export async function findNamesVersion(reader: Queryable): Promise<string | undefined> {
  const [found] = await reader.query(NamesVersion, prepared(sql`SELECT ${namesVersion} AS version`))
  return found?.version ?? undefined
}

const VersionWithDependencies = Type.Object({ ...ListVersion.properties, ...SerializedDependencies.properties })

/**
 * Call it before the list is read, with the same reader: the version may then be older than the list, never newer. Returns
 * undefined if the caller may not know the version.
 */
export async function findListVersion(
  reader: Queryable,
  area: Area,
  viewer: Viewer | null,
  dependencyIds?: DependencyIds,
): Promise<FoundVersion | undefined> {
  const changeScope = changeScopeFor(viewer)
  if (!changeScope) return undefined
  const [found] = await reader.query(
    VersionWithDependencies,
    prepared(sql`
      SELECT area_version.changes AS change_count, ${listVersionColumns(area, viewer)},
        ${dependencyIds ? dependencyColumns(toIdArrays(dependencyIds)) : sql`'[]'::json AS users, '[]'::json AS "requestTypes"`}
      FROM (${areaVersion(cellsAround(area), changeScope)}) area_version`),
  )
  if (!found) return undefined
  const { users, requestTypes, ...version } = found
  const [usersById, requestTypesById] = [toSerializedById(users), toSerializedById(requestTypes)]
  return {
    version,
    dependencies: {
      users: pickSerialized(usersById, dependencyIds?.users ?? []),
      requestTypes: pickSerialized(requestTypesById, dependencyIds?.requestTypes ?? []),
    },
  }
}

export interface FoundVersion {
  readonly version: ListVersion
  readonly dependencies: EtagDependencies
}

/** Only the boundary is hashed. A revision of the place or watch area would reveal changes that the list does not show, such as a new name. */
function boundaryHash(area: Area): Sql {
  if (area.kind === 'place') return sql`(SELECT md5(ST_AsBinary(places.boundary)) FROM places WHERE places.id = ${area.placeId})`
  if (area.kind === 'watchArea')
    return sql`(SELECT md5(ST_AsBinary(watch_areas.area)) FROM watch_areas WHERE watch_areas.id = ${area.watchAreaId})`
  return sql`NULL::text`
}
