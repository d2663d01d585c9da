import { CSV_TYPE, GEOJSON_TYPE } from '../../http/formats/content-types.ts'
import type { Layer } from './writer.ts'

/** A format of whole downloads. src/exports has their writers. */
export interface DownloadFormat {
  /** The extension of the file and the end of the path. */
  readonly name: FormatName
  readonly title: string
  readonly contentType: string
  /** Text is sent compressed; other formats compress by themselves or stay as they are. */
  readonly isText: boolean
  readonly geometries: readonly Layer['geometry'][]
}

export type FormatName = 'geojson' | 'geojsonl' | 'csv' | 'gpx' | 'kml' | 'fgb' | 'parquet' | 'gpkg'

const both = ['Point', 'MultiPolygon'] as const

const downloadFormats: readonly DownloadFormat[] = [
  {
    name: 'geojson',
    title: 'GeoJSON (RFC 7946)',
    contentType: GEOJSON_TYPE,
    isText: true,
    geometries: both,
  },
  {
    name: 'geojsonl',
    title: 'newline-delimited GeoJSON',
    contentType: 'application/x-ndjson; charset=utf-8',
    isText: true,
    geometries: both,
  },
  {
    name: 'csv',
    title: 'CSV (RFC 4180)',
    contentType: `${CSV_TYPE}; header=present`,
    isText: true,
    geometries: both,
  },
  {
    name: 'gpx',
    title: 'GPX 1.1',
    contentType: 'application/gpx+xml; charset=utf-8',
    isText: true,
    geometries: ['Point'],
  },
  {
    name: 'kml',
    title: 'KML 2.2',
    contentType: 'application/vnd.google-earth.kml+xml; charset=utf-8',
    isText: true,
    geometries: both,
  },
  {
    name: 'fgb',
    title: 'FlatGeobuf, with its spatial index',
    contentType: 'application/flatgeobuf',
    isText: false,
    geometries: both,
  },
  {
    name: 'parquet',
    title: 'GeoParquet 1.1',
    contentType: 'application/vnd.apache.parquet',
    isText: false,
    geometries: both,
  },
  {
    name: 'gpkg',
    title: 'GeoPackage 1.3, with its spatial index',
    contentType: 'application/geopackage+sqlite3',
    isText: false,
    geometries: both,
  },
]

export const listFormats = (geometry: Layer['geometry']): readonly DownloadFormat[] =>
  downloadFormats.filter(({ geometries }) => geometries.includes(geometry))

/** Returns a content type without its parameters. */
export const mediaType = (contentType: string): string => contentType.split(';')[0] ?? contentType
