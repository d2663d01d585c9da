import { EntriesRow, join, type Queryable, type Sql, sql } from '../../database/database.ts'
import { AreaQuery, resolveArea } from '../../geo/area-query.ts'
import { type Box, longitudeRanges, toGeometry } from '../../geo/shapes.ts'
import { isInStoredArea } from '../../geo/area.ts'
import { touchesArea } from '../../gis/place-area.ts'
import { toPlaceFeature } from '../../places/records/present.ts'
import { PlaceRecord, placeRecordsStatement } from '../../places/records/queries.ts'
import { PlaceProperties } from '../../places/records/schema.ts'
import { findPlacesVersion } from '../../places/queries.ts'
import type { FilterGeometry } from '../../gis/cql2/geometry.ts'
import { isAfter, orderList } from './order.ts'
import { queryable, type QueryableProperty, type QueryableRow } from '../../gis/cql2/queryable.ts'
import type { Collection, Context, Selection } from './collection.ts'

const column = queryable<keyof PlaceRecord>
const nullable = { isNullable: true }

const queryables: readonly QueryableProperty[] = [
  column('id', 'integer', sql`p.id`),
  column('name', 'text', sql`p.name`),
  column('url_name', 'text', sql`p.url_name`),
  column('place_type', 'text', sql`p.place_type::text`),
  column('county', 'text', sql`p.county`, nullable),
  column('state', 'text', sql`p.state`, nullable),
  column('area_m2', 'number', sql`round(p.area_m2::numeric, 3)::double precision`),
  column('center_lng', 'number', sql`p.center_lng`),
  column('center_lat', 'number', sql`p.center_lat`),
  column('external_id', 'text', sql`p.external_id`, nullable),
]

/** Places and boxes that only touch intersect, too. */
function intersects(geometry: FilterGeometry): Sql {
  switch (geometry.kind) {
    case 'box':
      return intersectsBox(geometry.box)
    case 'point':
      return isInStoredArea('place', sql`p.id`, toGeometry(geometry.point))
    case 'polygon':
    case 'simple':
      return sql`ST_Intersects(p.boundary, ST_SetSRID(ST_GeomFromGeoJSON(${geometry.geojson}), 4326))`
    case 'anyOf':
      return sql`(${join(geometry.parts.map(intersects), ' OR ')})`
  }
}

/** The envelope of two corners is also valid for a box without width or height. */
function intersectsBox(box: Box): Sql {
  const parts = longitudeRanges(box).map(([west, east]) => {
    const corners = sql`ST_MakeLine(${toGeometry({ lng: west, lat: box.south })}, ${toGeometry({ lng: east, lat: box.north })})`
    return sql`ST_Intersects(p.boundary, ST_Envelope(${corners}))`
  })
  return sql`(${join(parts, ' OR ')})`
}

const row: QueryableRow = {
  queryables: new Map(queryables.map((queryable) => [queryable.name, queryable])),
  intersects,
  positionCost_ns: 20_000,
}

export const placeCollection: Collection = {
  id: 'places',
  title: 'Places',
  parameters: AreaQuery,
  hasTiles: false,
  hasDownloads: true,
  description: 'Cities, counties and other administrative areas with their boundaries.',
  properties: PlaceProperties,
  geometryType: 'MultiPolygon',
  timeProperty: undefined,
  tableColumns: ['name', 'place_type', 'county', 'state', 'area_m2'],
  row,
  idColumn: sql`p.id`,
  publicRows: sql`places p`,
  geometryColumn: sql`p.boundary`,
  async readFilter({ areas }, query) {
    const area = await resolveArea(query as AreaQuery, areas)
    return { area, statuses: [] }
  },
  // The version of the places does not change with a watch area.
  findVersion: async ({ reader }, { filter }) => (filter?.area.kind === 'watchArea' ? undefined : findPlacesVersion(reader)),
  countRows: ({ reader }) => countPlaces(reader, sql`TRUE`),
  readItems,
  async readItem({ reader, urls }, id) {
    const [record] = await reader.query(
      sql.type(PlaceRecord)`${placeRecordsStatement({ condition: sql`p.id = ${id}::integer`, limit: 1 })}`,
    )
    return record && toPlaceFeature(record, urls)
  },
}

async function countPlaces(reader: Queryable, condition: Sql): Promise<number> {
  const [total] = await reader.query(sql.type(EntriesRow)`SELECT count(*)::integer AS entries FROM places p WHERE ${condition}`)
  return total?.entries ?? 0
}

async function readItems({ reader, urls }: Context, { filter, box, conditions, order, position, offset, limit }: Selection) {
  const inArea = filter ? touchesArea(filter.area) : sql`TRUE`
  const selected = join([inArea, ...(box ? [intersectsBox(box)] : []), ...conditions], ' AND ')
  const condition = position ? sql`${selected} AND ${isAfter(order, position)}` : selected
  const [entries, records] = await Promise.all([
    countPlaces(reader, selected),
    reader.query(
      sql.type(PlaceRecord)`${placeRecordsStatement({ condition, limit: limit + 1, offset, orderBy: orderList(order) })}`,
    ),
  ])
  const last = records.length > limit ? records[limit - 1] : undefined
  const values = order.keys.map(({ queryable: { name } }) => last?.[name as 'name'] ?? null)
  return {
    entries,
    features: records.slice(0, limit).map((record) => toPlaceFeature(record, urls)),
    next: last && { values, id: last.id },
  }
}
