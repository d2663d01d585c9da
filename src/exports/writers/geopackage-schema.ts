import type { Column } from '../../gis/columns.ts'
import type { Layer } from '../../gis/downloads/writer.ts'

// Numbers of requirements and texts of tables are those of OGC 12-128r18 (GeoPackage 1.3.1).
export const APPLICATION_ID = 0x47504b47
export const USER_VERSION = 10_300
export const SRS_ID = 4326
export const geometryColumn = 'geom'
export const idColumn = 'fid'

const columnTypes = { integer: 'INTEGER', number: 'REAL', text: 'TEXT', timestamp: 'DATETIME' } as const satisfies Record<
  Column['type'],
  string
>

export const quote = (name: string) => `"${name.replaceAll('"', '""')}"`

const wgs84 =
  'GEOGCS["WGS 84",DATUM["WGS_1984",SPHEROID["WGS 84",6378137,298.257223563,AUTHORITY["EPSG","7030"]],AUTHORITY["EPSG","6326"]],' +
  'PRIMEM["Greenwich",0,AUTHORITY["EPSG","8901"]],UNIT["degree",0.0174532925199433,AUTHORITY["EPSG","9122"]],AUTHORITY["EPSG","4326"]]'

/** The tables of the standard, of its extensions for metadata and schema, and the three required reference systems. */
export const standardTables = `
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

export function featureTable({ name, geometry, columns }: Layer): string {
  const definitions = columns.map(
    (column) => `${quote(column.name)} ${columnTypes[column.type]}${column.isNullable ? '' : ' NOT NULL'}`,
  )
  const id = `${idColumn} INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL`
  return `CREATE TABLE ${quote(name)} (${[id, `${geometryColumn} ${geometry.toUpperCase()}`, ...definitions].join(', ')})`
}

export const indexName = ({ name }: Layer) => `rtree_${name}_${geometryColumn}`

/** Returns the triggers by which programs that edit the file keep its index current. Their functions `ST_…` are those of the programs. */
export function indexTriggers(layer: Layer): string {
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
