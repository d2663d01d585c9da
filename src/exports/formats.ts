import { type DownloadFormat, type FormatName, listFormats } from '../gis/downloads/formats.ts'
import { geoJsonWriter } from '../gis/downloads/geojson.ts'
import type { Layer, OpenWriter } from '../gis/downloads/writer.ts'
import { csvWithBomWriter, csvWriter, geoJsonLinesWriter, gpxWriter, kmlWriter } from './writers/text-writers.ts'
import { inWorker } from './writers/worker.ts'

interface Writers {
  readonly openWriter: OpenWriter
  /** The writer for `bom=true`. */
  readonly openBomWriter?: OpenWriter
}

export type ExportFormat = DownloadFormat & Writers

const writers: Readonly<Record<FormatName, Writers>> = {
  geojson: { openWriter: geoJsonWriter },
  geojsonl: { openWriter: geoJsonLinesWriter },
  csv: { openWriter: csvWriter, openBomWriter: csvWithBomWriter },
  gpx: { openWriter: gpxWriter },
  kml: { openWriter: kmlWriter },
  fgb: { openWriter: inWorker('fgb') },
  parquet: { openWriter: inWorker('parquet') },
  gpkg: { openWriter: inWorker('gpkg') },
}

export const listExportFormats = (geometry: Layer['geometry']): readonly ExportFormat[] =>
  listFormats(geometry).map((format) => ({ ...format, ...writers[format.name] }))
