import { rmSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'

import type { MultiPolygon, Point } from 'geojson'

import type { Column } from '../../gis/columns.ts'
import { type Bounds, toBounds, extendBounds, noBounds } from './bounds.ts'
import {
  APPLICATION_ID,
  featureTable,
  geometryColumn,
  indexName,
  indexTriggers,
  quote,
  SRS_ID,
  standardTables,
  USER_VERSION,
} from './geopackage-schema.ts'
import { encodeWkb } from './wkb.ts'
import type { Feature, Layer, OpenWriter } from '../../gis/downloads/writer.ts'

const CACHE_KIB = 32_768

/**
 * Writes GeoPackage 1.3 with an R-tree index. Memory holds SQLite's cache of 32 MiB. A file that was not completed is unusable, so
 * there is no journal and one transaction. The key `fid` numbers the rows from 1, because DuckDB takes its greatest value for their number.
 */
export const openGeoPackage: OpenWriter = async (path, layer) => {
  rmSync(path, { force: true })
  const database = new DatabaseSync(path)
  database.exec(`
    PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${USER_VERSION};
    PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF; PRAGMA cache_size = -${CACHE_KIB};
    BEGIN;
    ${standardTables}
    ${featureTable(layer)};
    CREATE VIRTUAL TABLE ${quote(indexName(layer))} USING rtree(id, minx, maxx, miny, maxy);`)
  const parameters = layer.columns.map(() => ', ?').join('')
  const insertFeature = database.prepare(`INSERT INTO ${quote(layer.name)} VALUES (?, ?${parameters})`)
  const insertBox = database.prepare(`INSERT INTO ${quote(indexName(layer))} VALUES (?, ?, ?, ?, ?)`)
  let bounds = noBounds
  let count = 0
  return {
    async write(batch) {
      for (const { geometry, values } of batch) {
        const box = toBounds(geometry)
        const [west, south, east, north] = box
        bounds = extendBounds(bounds, box)
        count += 1
        insertFeature.run(count, encodeGeometry(geometry, box), ...toSqlValues(layer.columns, values))
        insertBox.run(count, west, east, south, north)
      }
    },
    async end() {
      describeLayer(database, layer, count === 0 ? undefined : bounds)
      database.exec(`${indexTriggers(layer)} COMMIT`)
      database.close()
    },
  }
}

/** Returns the standard's header and WKB. A point needs no box in the header. */
function encodeGeometry(geometry: Point | MultiPolygon, [west, south, east, north]: Bounds): Uint8Array {
  const isPoint = geometry.type === 'Point'
  const blob = encodeWkb(geometry, isPoint ? 8 : 40)
  blob.write('GP', 'latin1')
  blob.writeUInt8(0, 2)
  blob.writeUInt8(isPoint ? 0b0001 : 0b0011, 3)
  blob.writeInt32LE(SRS_ID, 4)
  if (!isPoint) for (const [i, side] of [west, east, south, north].entries()) blob.writeDoubleLE(side, 8 + 8 * i)
  return blob
}

/** A DATETIME has milliseconds in this version of the standard. */
function toSqlValues(columns: readonly Column[], values: Feature['values']): Feature['values'] {
  return values.map((value, i) =>
    columns[i]?.type === 'timestamp' && typeof value === 'string' ? new Date(value).toISOString() : value,
  )
}

function describeLayer(database: DatabaseSync, layer: Layer, bounds: Bounds | undefined): void {
  const { name, title, geometry, licence, attribution, columns } = layer
  const createdAt = new Date(layer.createdAt ?? Date.now()).toISOString()
  database
    .prepare('INSERT INTO gpkg_contents VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)')
    .run(name, 'features', title, `${attribution}. ${licence}`, createdAt, ...(bounds ?? [null, null, null, null]), SRS_ID)
  database
    .prepare('INSERT INTO gpkg_geometry_columns VALUES (?, ?, ?, ?, 0, 0)')
    .run(name, geometryColumn, geometry.toUpperCase(), SRS_ID)
  database
    .prepare('INSERT INTO gpkg_extensions VALUES (?, ?, ?, ?, ?)')
    .run(name, geometryColumn, 'gpkg_rtree_index', 'http://www.geopackage.org/spec130/#extension_rtree', 'write-only')
  const metadata = JSON.stringify({ licence, attribution })
  database
    .prepare('INSERT INTO gpkg_metadata VALUES (1, ?, ?, ?, ?)')
    .run('dataset', 'http://purl.org/dc/terms/', 'application/json', metadata)
  database.prepare("INSERT INTO gpkg_metadata_reference (reference_scope, table_name, md_file_id) VALUES ('table', ?, 1)").run(name)
  const insertDescription = database.prepare(
    'INSERT INTO gpkg_data_columns (table_name, column_name, description) VALUES (?, ?, ?)',
  )
  for (const column of columns) if (column.description !== undefined) insertDescription.run(name, column.name, column.description)
}
