import { open } from 'node:fs/promises'
import { extname } from 'node:path'

import { RECORD_SEPARATOR } from './feature-lines.ts'
import { isObject } from './source-row.ts'

/** A `geojson` file has one or several objects; `ndjson` includes GeoJSON text sequences. */
export type SourceFormat = 'csv' | 'geojson' | 'ndjson'

const formats: Readonly<Record<string, SourceFormat>> = {
  '.csv': 'csv',
  '.geojson': 'geojson',
  '.json': 'geojson',
  '.ndjson': 'ndjson',
  '.jsonl': 'ndjson',
  '.geojsonl': 'ndjson',
  '.geojsons': 'ndjson',
}

const BEGINNING_BYTES = 262_144
const beginsCollection = /^\{\s*"type"\s*:\s*"FeatureCollection"/
const beginsFeature = /^\{\s*"type"\s*:\s*"Feature"/

/** Detects the format by the beginning, because .json and .geojson are used for every kind of GeoJSON. */
export async function detectFormat(path: string): Promise<SourceFormat> {
  const named = formats[extname(path).toLowerCase()]
  if (named === 'csv') return named
  const text = await readBeginning(path)
  if (text.startsWith(RECORD_SEPARATOR)) return 'ndjson'
  if (!text.startsWith('{')) return named ?? 'csv'
  if (beginsCollection.test(text)) return 'geojson'
  const [first = '', second = ''] = text.split('\n').filter((line) => line.trim() !== '')
  const isLines = isWholeFeature(first) || (beginsFeature.test(first) && second.trimStart().startsWith('{'))
  return isLines ? 'ndjson' : (named ?? 'geojson')
}

async function readBeginning(path: string): Promise<string> {
  const file = await open(path)
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(BEGINNING_BYTES), 0, BEGINNING_BYTES, 0)
    return buffer
      .toString('utf8', 0, bytesRead)
      .replace(/^\uFEFF/, '')
      .trimStart()
  } finally {
    await file.close()
  }
}

function isWholeFeature(line: string): boolean {
  try {
    const value: unknown = JSON.parse(line)
    return isObject(value) && value['type'] === 'Feature'
  } catch {
    return false
  }
}
