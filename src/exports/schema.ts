import Type, { type Static, type TSchema } from 'typebox'
import { AreaQuery } from '../geo/area-query.ts'
import { DownloadQuery, HistoryQuery } from '../gis/query.ts'
import { mediaType, partResponses } from '../gis/downloads/formats.ts'
import { idMax } from '../http/schema/fields.ts'
import { WorklistQuery } from '../staff/worklist/schema.ts'
import type { ExportFormat } from './formats.ts'

const AfterId = Type.Optional(
  Type.Integer({
    minimum: 0,
    maximum: idMax,
    description:
      'Only rows with a greater id. The text formats (geojson, geojsonl, csv, gpx, kml) are in the order of ids, so the last id that arrived completely continues a download that ended early. A part of an fgb, parquet or gpkg file is useless, so such a download must be repeated.',
    examples: [4711],
  }),
)

const Bom = Type.Optional(
  Type.Boolean({
    description: 'CSV begins with a byte order mark, so that Excel reads it as UTF-8. Other formats have none.',
    examples: [true],
  }),
)

const fileParameters = { after_id: AfterId, bom: Bom }

const { late, priority, assignee, note, number, waiting_since_before, outcome } = WorklistQuery.properties
/** Parameters of the file that the staff of an organisation get. */
export const staffFilters = {
  ...{ late, priority, assignee, note, number, waiting_since_before, outcome },
  people: Type.Optional(
    Type.Boolean({
      description: 'For staff: the file names the employees in charge. Needs `manage_organization`.',
      examples: [true],
    }),
  ),
}

export const IssueExportQuery = Type.Object({ ...DownloadQuery.properties, ...fileParameters, ...staffFilters })

export const HistoryExportQuery = Type.Object({ ...HistoryQuery.properties, ...fileParameters })

export const PlaceExportQuery = Type.Object({ ...AreaQuery.properties, ...fileParameters })

/** The formats are checked by the handler, so that the error names them. */
export const formatParams = (formats: readonly ExportFormat[]) =>
  Type.Object({
    format: Type.String({
      description: `One of ${formats.map(({ name }) => name).join(', ')}.`,
      examples: ['geojson'],
    }),
  })

export type FormatParams = Static<ReturnType<typeof formatParams>>

/** Returns the responses to a request for a part of a file in any of the formats. */
export const exportParts = (formats: readonly ExportFormat[]) =>
  partResponses(formats.map(({ contentType }) => mediaType(contentType)))

/** Returns the content of a response in any of the formats. */
export function exportContent(formats: readonly ExportFormat[], geoJson: TSchema): Record<string, { schema: TSchema }> {
  const contents = formats.map(({ name, title, contentType }) => {
    const schema = name === 'geojson' ? geoJson : Type.String({ description: `${title}.`, examples: ['…'] })
    return [mediaType(contentType), { schema }] as const
  })
  return Object.fromEntries(contents)
}
