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
  toTextsById,
  type DependencyIds,
  toIdArrays,
  type EtagDependencies,
  dependencyColumns,
  DependencyTexts,
} from './etag-dependencies.ts'

/** The names of users are not part of a version (docs/adr/0007): a new name would touch the cells of too many issues. */

export const ListVersion = Type.Object({
  changes: Type.Integer(),
  viewer_changed_at: nullable(Timestamp),
  /** The areas of the caller's organisations decide for which issues the caller acts. */
  organizations: nullable(Type.String()),
  boundary_digest: nullable(Type.String()),
})
export type ListVersion = Static<typeof ListVersion>

export function changeColumnFor(viewer: Viewer | null): ChangeColumn | undefined {
  // An ETag must not reveal private changes of issues that an employee may not read. Moderators may read all.
  if (viewer && !viewer.isModerator && viewer.organizationIds.length > 0) return undefined
  return viewer?.isModerator ? 'internal_changes' : 'changes'
}

export function toListVersion(row: ListVersion, viewer: Viewer | null): ListVersion | undefined {
  const { changes, viewer_changed_at, organizations, boundary_digest } = row
  return changeColumnFor(viewer) && { changes, viewer_changed_at, organizations, boundary_digest }
}

/** Returns the columns of a `ListVersion`, except `changes`. */
export function listVersionColumns(area: Area, viewer: Viewer | null): Sql {
  // Null parameters would make the generic plan look expensive, and PostgreSQL would plan the anonymous text each time.
  const viewerColumns = viewer
    ? sql`(SELECT u.internal_changed_at FROM users u WHERE u.id = ${viewer.id}::integer) AS viewer_changed_at,
        (SELECT string_agg(concat_ws(' ', o.id, md5(ST_AsBinary(o.area))), ',' ORDER BY o.id) FROM organizations o
          WHERE o.id = ANY(${viewer.organizationIds}::integer[])) AS organizations`
    : sql`NULL::timestamptz AS viewer_changed_at, NULL::text AS organizations`
  return sql`${viewerColumns}, ${boundaryDigest(area)} AS boundary_digest`
}

const VersionWithDependencies = Type.Object({ ...ListVersion.properties, ...DependencyTexts.properties })

/**
 * Call it before the list is read, with the same reader: the version may then be older than the list, never newer. Returns
 * undefined if the area has no cells or the caller may not know the version.
 */
export async function findListVersion(
  reader: Queryable,
  area: Area,
  viewer: Viewer | null,
  dependencyIds?: DependencyIds,
): Promise<FoundVersion | undefined> {
  const changeColumn = changeColumnFor(viewer)
  const boundingCells = changeColumn && boundingCellsSubquery(area)
  if (!boundingCells) return undefined
  const [found] = await reader.query(
    VersionWithDependencies,
    prepared(sql`
      SELECT counts.changes, ${listVersionColumns(area, viewer)},
        ${dependencyIds ? dependencyColumns(toIdArrays(dependencyIds)) : sql`'[]'::json AS users, '[]'::json AS "requestTypes"`}
      FROM (${boundingCellCounts(boundingCells, () => sql`0`, changeColumn)}) counts`),
  )
  if (!found) return undefined
  const { users, requestTypes, ...version } = found
  const [usersById, requestTypesById] = [toTextsById(users), toTextsById(requestTypes)]
  return {
    version,
    dependencies: {
      users: pickTexts(usersById, dependencyIds?.users ?? []),
      requestTypes: pickTexts(requestTypesById, dependencyIds?.requestTypes ?? []),
    },
  }
}

export interface FoundVersion {
  readonly version: ListVersion
  readonly dependencies: EtagDependencies
}

/** Only the boundary is hashed: a revision of the row would reveal its other changes. */
function boundaryDigest(area: Area): Sql {
  if (area.kind === 'place') return sql`(SELECT md5(ST_AsBinary(p.boundary)) FROM places p WHERE p.id = ${area.placeId})`
  if (area.kind === 'watchArea') return sql`(SELECT md5(ST_AsBinary(w.area)) FROM watch_areas w WHERE w.id = ${area.watchAreaId})`
  return sql`NULL::text`
}
