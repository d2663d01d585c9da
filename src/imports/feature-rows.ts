import pick from 'stream-json/filters/pick.js'
import streamArray from 'stream-json/streamers/stream-array.js'
import type { Readable } from 'node:stream'

import type { Line } from './lines.ts'
import { ImportFailed, type Reading, type SourceRow } from './source-row.ts'

/** Features that are handed on together. */
const PORTION = 500
/** Begins each text of a GeoJSON text sequence (RFC 8142). */
const RECORD_SEPARATOR = '\u001e'

/** Reads newline-delimited GeoJSON: one Feature in each line. Blank lines are passed over. */
export function readFeatureLines(portions: AsyncIterable<Line[]>): Reading {
  return {
    portions: (async function* () {
      for await (const lines of portions) yield lines.flatMap(rowOfLine)
    })(),
  }
}

function rowOfLine({ number, text, fault, raw = Buffer.of() }: Line): SourceRow[] {
  if (fault !== undefined) return [{ line: number, values: {}, fault, raw }]
  const json = text.startsWith(RECORD_SEPARATOR) ? text.slice(1) : text
  if (json.trim() === '') return []
  try {
    return [rowOfFeature(number, JSON.parse(json))]
  } catch {
    return [{ line: number, values: {}, fault: 'the line is not JSON', raw: json }]
  }
}

/**
 * Reads the features of a FeatureCollection one by one. JSON that breaks off or goes wrong ends the reading, after the features
 * before it were handed on.
 */
export function readFeatureCollection(bytes: Readable): Reading {
  return { portions: features(bytes) }
}

async function* features(bytes: Readable): AsyncGenerator<SourceRow[]> {
  let isCollection = false
  const picked = pick.withParserAsStream({
    streamValues: false,
    once: true,
    filter: (path) => {
      const isFeatures = path.length === 1 && path[0] === 'features'
      isCollection ||= isFeatures
      return isFeatures
    },
  })
  const values = streamArray.asStream()
  // `pipe` does not hand errors on, and an error that nobody listens to ends the process.
  bytes.on('error', (error) => picked.destroy(error))
  picked.on('error', (error) => values.destroy(error))
  bytes.pipe(picked).pipe(values)

  let count = 0
  let portion: SourceRow[] = []
  try {
    for await (const { value } of values as AsyncIterable<{ value: unknown }>) {
      portion.push(rowOfFeature(++count, value))
      if (portion.length === PORTION) {
        yield portion
        portion = []
      }
    }
  } catch (error) {
    yield portion
    throw new ImportFailed(`The GeoJSON is broken after feature ${count}: ${(error as Error).message}`)
  } finally {
    bytes.destroy()
  }
  if (!isCollection) throw new ImportFailed('The file is not a GeoJSON FeatureCollection: it has no "features".')
  yield portion
}

function rowOfFeature(line: number, feature: unknown): SourceRow {
  if (!isObject(feature) || feature['type'] !== 'Feature') {
    return { line, values: {}, fault: 'it is not a GeoJSON Feature', raw: JSON.stringify(feature) }
  }
  const { properties } = feature
  return { line, values: isObject(properties) ? properties : {}, feature }
}

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
