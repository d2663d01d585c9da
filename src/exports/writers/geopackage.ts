import { rmSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import type { MultiPolygon, Point } from 'geojson'
import { geojsonToWkb } from 'hyparquet-writer'

import type { Column } from '../../gis/columns.ts'
import { type Bounds, toBounds, extendBounds, noBounds } from './flatgeobuf.ts'
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
  const head = Buffer.alloc(isPoint ? 8 : 40)
  head.write('GP', 'latin1')
  head.writeUInt8(isPoint ? 0b0001 : 0b0011, 3)
  head.writeInt32LE(SRS_ID, 4)
  if (!isPoint) for (const [i, side] of [west, east, south, north].entries()) head.writeDoubleLE(side, 8 + 8 * i)
  return Buffer.concat([head, geojsonToWkb(geometry)])
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

// Numbers of requirements and texts of tables are those of OGC 12-128r18 (GeoPackage 1.3.1).
const APPLICATION_ID = 0x47504b47
const USER_VERSION = 10_300
const SRS_ID = 4326
const geometryColumn = 'geom'
const idColumn = 'fid'

const columnTypes = { integer: 'INTEGER', number: 'REAL', text: 'TEXT', timestamp: 'DATETIME' } as const satisfies Record<
  Column['type'],
  string
>

const quote = (name: string) => `"${name.replaceAll('"', '""')}"`

const wgs84 =
  'GEOGCS["WGS 84",DATUM["WGS_1984",SPHEROID["WGS 84",6378137,298.257223563,AUTHORITY["EPSG","7030"]],AUTHORITY["EPSG","6326"]],' +
  'PRIMEM["Greenwich",0,AUTHORITY["EPSG","8901"]],UNIT["degree",0.0174532925199433,AUTHORITY["EPSG","9122"]],AUTHORITY["EPSG","4326"]]'

/** The tables of the standard, of its extensions for metadata and schema, and the three required reference systems. */
const standardTables = `
  CREATE TABLE gpkg_spatial_ref_sys (
    srs_name TEXT NOT NULL, srs_id INTEGER PRIMARY KEY, organization TEXT NOT NULL, organization_coordsys_id INTEGER NOT NULL,
    definition TEXT NOT NULL, description TEXT);
  INSERT INTO gpkg_spatial_ref_sys VALUES
    ('Undefined Cartesian SRS', -1, 'NONE', -1, 'undefined', 'undefined Cartesian coordinate reference system'),
    ('Undefined geographic SRS', 0, 'NONE', 0, 'undefined', 'undefined geographic coordinate reference system'),
    ('WGS 84 geodetic', ${SRS_ID}, 'EPSG', 4326, '${wgs84}', 'longitude/latitude coordinates in decimal degrees on the WGS 84 spheroid');
  CREATE TABLE gpkg_contents (
    table_name TEXT NOT NULL PRIMARY KEY, data_type TEXT NOT NULL, identifier TEXT UNIQUE, description TEXT DEFAULT '',
    last_change DATETIME NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ','now')), min_x DOUBLE, min_y DOUBLE, max_x DOUBLE, max_y DOUBLE,
    srs_id INTEGER, CONSTRAINT fk_gc_r_srs_id FOREIGN KEY (srs_id) REFERENCES gpkg_spatial_ref_sys(srs_id));
  CREATE TABLE gpkg_geometry_columns (
    table_name TEXT NOT NULL, column_name TEXT NOT NULL, geometry_type_name TEXT NOT NULL, srs_id INTEGER NOT NULL, z TINYINT NOT NULL,
    m TINYINT NOT NULL, CONSTRAINT pk_geom_cols PRIMARY KEY (table_name, column_name), CONSTRAINT uk_gc_table_name UNIQUE (table_name),
    CONSTRAINT fk_gc_tn FOREIGN KEY (table_name) REFERENCES gpkg_contents(table_name),
    CONSTRAINT fk_gc_srs FOREIGN KEY (srs_id) REFERENCES gpkg_spatial_ref_sys (srs_id));
  CREATE TABLE gpkg_extensions (
    table_name TEXT, column_name TEXT, extension_name TEXT NOT NULL, definition TEXT NOT NULL, scope TEXT NOT NULL,
    CONSTRAINT ge_tce UNIQUE (table_name, column_name, extension_name));
  CREATE TABLE gpkg_metadata (
    id INTEGER CONSTRAINT m_pk PRIMARY KEY ASC NOT NULL, md_scope TEXT NOT NULL DEFAULT 'dataset', md_standard_uri TEXT NOT NULL,
    mime_type TEXT NOT NULL DEFAULT 'text/xml', metadata TEXT NOT NULL DEFAULT '');
  CREATE TABLE gpkg_metadata_reference (
    reference_scope TEXT NOT NULL, table_name TEXT, column_name TEXT, row_id_value INTEGER,
    timestamp DATETIME NOT NULL DEFAULT (strftime('%Y-%m-%dT%H:%M:%fZ','now')), md_file_id INTEGER NOT NULL, md_parent_id INTEGER,
    CONSTRAINT crmr_mfi_fk FOREIGN KEY (md_file_id) REFERENCES gpkg_metadata(id),
    CONSTRAINT crmr_mpi_fk FOREIGN KEY (md_parent_id) REFERENCES gpkg_metadata(id));
  CREATE TABLE gpkg_data_columns (
    table_name TEXT NOT NULL, column_name TEXT NOT NULL, name TEXT, title TEXT, description TEXT, mime_type TEXT, constraint_name TEXT,
    CONSTRAINT pk_gdc PRIMARY KEY (table_name, column_name), CONSTRAINT gdc_tn UNIQUE (table_name, name));
  CREATE TABLE gpkg_data_column_constraints (
    constraint_name TEXT NOT NULL, constraint_type TEXT NOT NULL, value TEXT, min NUMERIC, min_is_inclusive BOOLEAN, max NUMERIC,
    max_is_inclusive BOOLEAN, description TEXT, CONSTRAINT gdcc_ntv UNIQUE (constraint_name, constraint_type, value));
  INSERT INTO gpkg_extensions VALUES
    ('gpkg_metadata', NULL, 'gpkg_metadata', 'http://www.geopackage.org/spec130/#extension_metadata', 'read-write'),
    ('gpkg_metadata_reference', NULL, 'gpkg_metadata', 'http://www.geopackage.org/spec130/#extension_metadata', 'read-write'),
    ('gpkg_data_columns', NULL, 'gpkg_schema', 'http://www.geopackage.org/spec130/#extension_schema', 'read-write'),
    ('gpkg_data_column_constraints', NULL, 'gpkg_schema', 'http://www.geopackage.org/spec130/#extension_schema', 'read-write');`

function featureTable({ name, geometry, columns }: Layer): string {
  const definitions = columns.map(
    (column) => `${quote(column.name)} ${columnTypes[column.type]}${column.isNullable ? '' : ' NOT NULL'}`,
  )
  const id = `${idColumn} INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL`
  return `CREATE TABLE ${quote(name)} (${[id, `${geometryColumn} ${geometry.toUpperCase()}`, ...definitions].join(', ')})`
}

const indexName = ({ name }: Layer) => `rtree_${name}_${geometryColumn}`

/** Returns the triggers by which programs that edit the file keep its index current. Their functions `ST_…` are those of the programs. */
function indexTriggers(layer: Layer): string {
  const table = quote(layer.name)
  const index = quote(indexName(layer))
  const trigger = (name: string) => `CREATE TRIGGER ${quote(`${indexName(layer)}_${name}`)} AFTER`
  const hasGeometry = `(NEW.${geometryColumn} NOTNULL AND NOT ST_IsEmpty(NEW.${geometryColumn}))`
  const hasNone = `(NEW.${geometryColumn} ISNULL OR ST_IsEmpty(NEW.${geometryColumn}))`
  const sides = ['MinX', 'MaxX', 'MinY', 'MaxY'].map((side) => `ST_${side}(NEW.${geometryColumn})`)
  const insert = `INSERT OR REPLACE INTO ${index} VALUES (NEW.${idColumn}, ${sides.join(', ')});`
  const remove = `DELETE FROM ${index} WHERE id = OLD.${idColumn};`
  const removeBoth = `DELETE FROM ${index} WHERE id IN (OLD.${idColumn}, NEW.${idColumn});`
  const isSameId = `OLD.${idColumn} = NEW.${idColumn}`
  const isNewId = `OLD.${idColumn} != NEW.${idColumn}`
  return `
    ${trigger('insert')} INSERT ON ${table} WHEN ${hasGeometry} BEGIN ${insert} END;
    ${trigger('update1')} UPDATE OF ${geometryColumn} ON ${table} WHEN ${isSameId} AND ${hasGeometry} BEGIN ${insert} END;
    ${trigger('update2')} UPDATE OF ${geometryColumn} ON ${table} WHEN ${isSameId} AND ${hasNone} BEGIN ${remove} END;
    ${trigger('update3')} UPDATE ON ${table} WHEN ${isNewId} AND ${hasGeometry} BEGIN ${remove} ${insert} END;
    ${trigger('update4')} UPDATE ON ${table} WHEN ${isNewId} AND ${hasNone} BEGIN ${removeBoth} END;
    ${trigger('delete')} DELETE ON ${table} WHEN OLD.${geometryColumn} NOT NULL BEGIN ${remove} END;`
}
