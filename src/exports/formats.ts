import { geoJsonWriter } from '../gis/downloads/geojson.ts'
import type { Layer, OpenWriter } from '../gis/downloads/writer.ts'
import { CSV_TYPE, GEOJSON_TYPE } from '../http/formats/content-types.ts'
import { csvWithBomWriter, csvWriter } from './writers/csv.ts'
import { geoJsonLinesWriter } from './writers/geojsonl.ts'
import { gpxWriter } from './writers/gpx.ts'
import { kmlWriter } from './writers/kml.ts'
import { inWorker } from './writers/worker.ts'

export interface ExportFormat {
  /** The extension of the file and the end of the path. */
  readonly name: string
  readonly title: string
  readonly contentType: string
  /** Text is sent compressed; other formats compress by themselves or stay as they are. */
  readonly isText: boolean
  readonly geometries: readonly Layer['geometry'][]
  readonly openWriter: OpenWriter
  /** The writer for `bom=true`. */
  readonly openBomWriter?: OpenWriter
}

const both = ['Point', 'MultiPolygon'] as const

/** All formats of whole downloads. A new format is one more line. */
export const exportFormats: readonly ExportFormat[] = [
  {
    name: 'geojson',
    title: 'GeoJSON (RFC 7946)',
    contentType: GEOJSON_TYPE,
    isText: true,
    geometries: both,
    openWriter: geoJsonWriter,
  },
  {
    name: 'geojsonl',
    title: 'newline-delimited GeoJSON',
    contentType: 'application/x-ndjson; charset=utf-8',
    isText: true,
    geometries: both,
    openWriter: geoJsonLinesWriter,
  },
  {
    name: 'csv',
    title: 'CSV (RFC 4180)',
    contentType: `${CSV_TYPE}; header=present`,
    isText: true,
    geometries: both,
    openWriter: csvWriter,
    openBomWriter: csvWithBomWriter,
  },
  {
    name: 'gpx',
    title: 'GPX 1.1',
    contentType: 'application/gpx+xml; charset=utf-8',
    isText: true,
    geometries: ['Point'],
    openWriter: gpxWriter,
  },
  {
    name: 'kml',
    title: 'KML 2.2',
    contentType: 'application/vnd.google-earth.kml+xml; charset=utf-8',
    isText: true,
    geometries: both,
    openWriter: kmlWriter,
  },
  {
    name: 'fgb',
    title: 'FlatGeobuf, with its spatial index',
    contentType: 'application/flatgeobuf',
    isText: false,
    geometries: both,
    openWriter: inWorker('fgb'),
  },
  {
    name: 'parquet',
    title: 'GeoParquet 1.1',
    contentType: 'application/vnd.apache.parquet',
    isText: false,
    geometries: both,
    openWriter: inWorker('parquet'),
  },
  {
    name: 'gpkg',
    title: 'GeoPackage 1.3, with its spatial index',
    contentType: 'application/geopackage+sqlite3',
    isText: false,
    geometries: both,
    openWriter: inWorker('gpkg'),
  },
]

export const listFormats = (geometry: Layer['geometry']): readonly ExportFormat[] =>
  exportFormats.filter(({ geometries }) => geometries.includes(geometry))
