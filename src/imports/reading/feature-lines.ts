import { rowFromText } from './feature-text.ts'
import { FEATURE_MAX, type Line } from './lines.ts'
import type { Reading, SourceRow } from './source-row.ts'

/** RFC 8142 defines this character. */
export const RECORD_SEPARATOR = '\u001e'
const separators = new RegExp(`^${RECORD_SEPARATOR}+`)

/** A first line with a record separator makes the file a GeoJSON text sequence, whose Features may have several lines. */
export function readFeatureLines(chunks: AsyncIterable<Line[]>): Reading {
  return { chunks: rows(chunks) }
}

async function* rows(chunks: AsyncIterable<Line[]>): AsyncGenerator<SourceRow[]> {
  let isSequence: boolean | undefined
  let open: Line[] = []
  let openLength = 0
  for await (const lines of chunks) {
    const found: SourceRow[] = []
    for (const line of lines) {
      const isBlank = line.error === undefined && line.text.trim() === ''
      if (isBlank) continue
      isSequence ??= line.text.startsWith(RECORD_SEPARATOR)
      if (!isSequence) {
        found.push(...rowsFromLine(line))
        continue
      }
      if (line.error !== undefined || line.text.startsWith(RECORD_SEPARATOR) || openLength > FEATURE_MAX) {
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

/** A sequence with missing separators may have a complete Feature on each line. */
function rowsFromRecord(lines: readonly Line[]): SourceRow[] {
  const [first, ...others] = lines
  if (first === undefined) return []
  if (others.length === 0 || first.error !== undefined) return lines.flatMap(rowsFromLine)
  const json = lines.map(({ text }) => text.replace(separators, '')).join('\n')
  const whole = rowFromText(first.number, json, 'line')
  if (whole.feature !== undefined) return [whole]
  const each = lines.flatMap(rowsFromLine)
  return each.some(({ feature }) => feature !== undefined) ? each : [whole]
}

function rowsFromLine({ number, text, error, raw = Buffer.of() }: Line): SourceRow[] {
  if (error !== undefined) return [{ line: number, values: {}, error, raw }]
  const json = text.replace(separators, '')
  return json.trim() === '' ? [] : [rowFromText(number, json, 'line')]
}
