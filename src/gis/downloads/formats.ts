import Type, { type TSchema } from 'typebox'

import { CSV_TYPE, GEOJSON_TYPE, LINES_TYPE } from '../../http/formats/content-types.ts'
import { licenceText } from '../../http/formats/feature-collection.ts'
import { failsWith } from '../../http/schema/fields.ts'
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

const text = (name: FormatName, title: string, contentType: string, geometries: DownloadFormat['geometries'] = both) => ({
  ...{ name, title, contentType, geometries },
  isText: true,
})
const binary = (name: FormatName, title: string, contentType: string) => ({
  ...{ name, title, contentType, geometries: both },
  isText: false,
})

const downloadFormats: readonly DownloadFormat[] = [
  text('geojson', 'GeoJSON (RFC 7946)', GEOJSON_TYPE),
  text('geojsonl', 'GeoJSONL', LINES_TYPE),
  text('csv', 'CSV (RFC 4180)', `${CSV_TYPE}; header=present`),
  text('gpx', 'GPX 1.1', 'application/gpx+xml; charset=utf-8', ['Point']),
  text('kml', 'KML 2.2', 'application/vnd.google-earth.kml+xml; charset=utf-8'),
  binary('fgb', 'FlatGeobuf', 'application/flatgeobuf'),
  binary('parquet', 'GeoParquet 1.1', 'application/vnd.apache.parquet'),
  binary('gpkg', 'GeoPackage 1.3', 'application/geopackage+sqlite3'),
]

export const listFormats = (geometry: Layer['geometry']): readonly DownloadFormat[] =>
  downloadFormats.filter(({ geometries }) => geometries.includes(geometry))

/** Returns a content type without its parameters. */
export const mediaType = (contentType: string): string => contentType.split(';')[0] ?? contentType

/** Headers of a whole download. */
export const downloadHeaders = { 'X-Total-Count': Type.String(), 'X-Changes-Cursor': Type.String() }

/** Returns the responses to a request for a part of a file in one of these media types. */
export const partResponses = (mediaTypes: readonly string[]) => ({
  206: {
    description: 'The requested part of the file (RFC 9110, 14). It is never compressed.',
    headers: { 'Content-Range': Type.String() },
    content: Object.fromEntries(
      mediaTypes.map((type) => [type, { schema: Type.String({ description: 'Some bytes of the file.', examples: ['…'] }) }]),
    ),
  },
  ...failsWith(412, 416),
})

/** Returns the schema of a whole download as GeoJSON. */
export const wholeCollection = <Feature extends TSchema>(feature: Feature, title: string) =>
  Type.Object(
    {
      type: Type.Unsafe<'FeatureCollection'>({ type: 'string', const: 'FeatureCollection' }),
      name: Type.String({ description: 'The name of the layer.', examples: ['issues'] }),
      title: Type.String({ examples: ['Issues in Denver'] }),
      licence: Type.String({ examples: [licenceText] }),
      attribution: Type.String({ examples: ['Fixpoint, http://127.0.0.1:3000/'] }),
      features: Type.Array(feature),
      numberMatched: Type.Integer({ description: 'The number of features.', examples: [1] }),
      numberReturned: Type.Integer({ description: 'The same number.', examples: [1] }),
    },
    { title },
  )
