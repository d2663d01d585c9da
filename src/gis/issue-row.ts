import { join, type Sql, sql } from '../database/database.ts'
import { isInAreaByPointIndex } from '../geo/area.ts'
import { toGeometry } from '../geo/shapes.ts'
import { ADDRESS_MAX } from '../issues/schema.ts'
import { type IssueRecord, knownCategory, placeUrlName, publicAssigneeId, publicSource } from '../issues/records/columns.ts'
import type { FilterGeometry } from './cql2/geometry.ts'
import { queryable, type QueryableProperty, type QueryableRow } from './cql2/queryable.ts'

export const pointColumns = { point: sql`i.point`, lng: sql`i.lng`, lat: sql`i.lat` }

const column = queryable<keyof IssueRecord | 'rating_count'>

const nullable = { isNullable: true }

const requestTypeTitle = sql`(SELECT request_types.title FROM request_types WHERE request_types.id = i.request_type_id)`

const organizationId = sql`(SELECT request_types.organization_id FROM request_types WHERE request_types.id = i.request_type_id)`

const organizationName = sql`
  (SELECT organizations.name FROM request_types JOIN organizations ON organizations.id = request_types.organization_id
    WHERE request_types.id = i.request_type_id)`

/**
 * Reporters are not queryable, because a filter would tell who reported anonymously. `comment_count` and `archived_at` are not, because they
 * read other tables for each issue.
 */
const queryables: readonly QueryableProperty[] = [
  column('id', 'integer', sql`i.id`),
  column('status', 'text', sql`i.status::text`),
  column('summary', 'text', sql`i.summary`),
  column('description', 'text', sql`i.description`, { isNullable: true, isSortable: false }),
  column('address', 'text', sql`i.address`, { isNullable: true, lengthMax: ADDRESS_MAX }),
  {
    ...column('request_type', 'text', requestTypeTitle, nullable),
    cost_ns: 3_000,
    isOneOf: (titles) =>
      sql`i.request_type_id = ANY(ARRAY(SELECT request_types.id FROM request_types WHERE request_types.title = ANY(${titles}::text[])))`,
  },
  column('request_type_id', 'integer', sql`i.request_type_id`, nullable),
  {
    ...column('organization', 'text', organizationName, nullable),
    cost_ns: 4_000,
    isOneOf: (names) => sql`i.request_type_id = ANY(ARRAY(
      SELECT request_types.id FROM request_types JOIN organizations ON organizations.id = request_types.organization_id
      WHERE organizations.name = ANY(${names}::text[])))`,
  },
  {
    ...column('place_url_name', 'text', placeUrlName, { isNullable: true, isSortable: false }),
    cost_ns: 45_000,
    isOneOfCost_ns: 45_000,
    isOneOf: (urlNames) => sql`(
      i.point && ANY(ARRAY(SELECT places.boundary FROM places WHERE places.url_name = ANY(${urlNames}::text[])))
      AND ${placeUrlName} = ANY(${urlNames}::text[]))`,
  },
  column('category', 'text', knownCategory),
  column('rating_count', 'integer', sql`i.rating`),
  column('created_at', 'timestamp', sql`i.created_at`),
  column('updated_at', 'timestamp', sql`i.updated_at`),
  column('acknowledged_at', 'timestamp', sql`i.acknowledged_at`, nullable),
  column('closed_at', 'timestamp', sql`i.closed_at`, nullable),
  column('reopened_at', 'timestamp', sql`i.reopened_at`, nullable),
  { ...column('assignee_id', 'integer', publicAssigneeId, nullable), cost_ns: 3_000 },
  { ...column('organization_id', 'integer', organizationId, { isNullable: true, isSortable: false }), cost_ns: 3_000 },
  column('vote_count', 'integer', sql`i.vote_count`),
  column('source', 'text', publicSource, nullable),
  column('outcome', 'text', sql`i.outcome`, nullable),
]

/** Edges belong to their area, by the same condition as in lists. */
function intersects(geometry: FilterGeometry): Sql {
  switch (geometry.kind) {
    case 'box':
      return isInAreaByPointIndex(pointColumns, { kind: 'box', box: geometry.box })
    case 'polygon':
      return isInAreaByPointIndex(pointColumns, geometry)
    case 'point':
      return sql`(i.point && ${toGeometry(geometry.point)} AND i.lng = ${geometry.point.lng}::double precision AND i.lat = ${geometry.point.lat}::double precision)`
    case 'simple':
      return sql`ST_Intersects(i.point, ST_SetSRID(ST_GeomFromGeoJSON(${geometry.geojson}), 4326))`
    case 'anyOf':
      return sql`(${join(geometry.parts.map(intersects), ' OR ')})`
  }
}

/** The columns of issues `i` that filters use. */
export const issueRow: QueryableRow = {
  queryables: new Map(queryables.map((queryable) => [queryable.name, queryable])),
  intersects,
  positionCost_ns: 50,
}
