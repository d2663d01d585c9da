import { rowFromText } from './feature-text.ts'
import { FEATURE_MAX, type Line } from './lines.ts'
import type { Reading, SourceRow } from './source-row.ts'

/** Begins each text of a GeoJSON text sequence (RFC 8142). */
export const RECORD_SEPARATOR = '\u001e'
const separators = new RegExp(`^${RECORD_SEPARATOR}+`)

/**
 * Reads newline-delimited GeoJSON: one Feature in each line. Blank lines are passed over. Where the first line begins with a record
 * separator, a Feature may go on over further lines, up to the next separator.
 */
export function readFeatureLines(portions: AsyncIterable<Line[]>): Reading {
  return { portions: rows(portions) }
}

async function* rows(portions: AsyncIterable<Line[]>): AsyncGenerator<SourceRow[]> {
  let isSequence: boolean | undefined
  /** The lines of a text of a sequence that may go on. */
  let open: Line[] = []
  let openLength = 0
  for await (const lines of portions) {
    const found: SourceRow[] = []
    for (const line of lines) {
      const isBlank = line.fault === undefined && line.text.trim() === ''
      if (isBlank) continue
      isSequence ??= line.text.startsWith(RECORD_SEPARATOR)
      if (!isSequence) {
        found.push(...rowsFromLine(line))
        continue
      }
      if (line.fault !== undefined || line.text.startsWith(RECORD_SEPARATOR) || openLength > FEATURE_MAX) {
        found.push(...rowsFromRecord(open))
        open = []
        openLength = 0
      }
      open.push(line)
      openLength += line.text.length
    }
    yield found
  }
  yield rowsFromRecord(open)
}

/** Separators may be missing: then several lines are each a whole Feature. */
function rowsFromRecord(lines: readonly Line[]): SourceRow[] {
  const [first, ...others] = lines
  if (first === undefined) return []
  if (others.length === 0 || first.fault !== undefined) return lines.flatMap(rowsFromLine)
  const json = lines.map(({ text }) => text.replace(separators, '')).join('\n')
  const whole = rowFromText(first.number, json, 'line')
  if (whole.feature !== undefined) return [whole]
  const each = lines.flatMap(rowsFromLine)
  return each.some(({ feature }) => feature !== undefined) ? each : [whole]
}

function rowsFromLine({ number, text, fault, raw = Buffer.of() }: Line): SourceRow[] {
  if (fault !== undefined) return [{ line: number, values: {}, fault, raw }]
  const json = text.replace(separators, '')
  return json.trim() === '' ? [] : [rowFromText(number, json, 'line')]
}
