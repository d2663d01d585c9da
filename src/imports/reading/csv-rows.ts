import { parse } from 'csv-parse/sync'

import { LINE_MAX, type Line } from './lines.ts'
import { ImportFailed, type Reading, type SourceRow } from './source-row.ts'

/** Line breaks between quotation marks make several lines. */
type CsvRecord = readonly Line[]

/**
 * Reads RFC 4180 with commas in UTF-8. Lines are grouped into records first, because a streaming parser reads everything after an
 * unclosed quotation mark as one value.
 * @throws ImportFailed if the header is missing or invalid
 */
export async function readCsv(chunks: AsyncIterable<Line[]>): Promise<Reading & { readonly columns: readonly string[] }> {
  const records = groupIntoRecords(chunks)
  let first: CsvRecord[] = []
  while (first.length === 0) {
    const next = await records.next()
    if (next.done) throw new ImportFailed('The file is empty. Its first line must be a header with the names of the columns.')
    first = next.value
  }
  const columns = parseHeader(first[0] ?? [])
  return {
    columns,
    chunks: (async function* () {
      yield parseRecords(first.slice(1), columns)
      for await (const more of records) yield parseRecords(more, columns)
    })(),
  }
}

function parseHeader(header: CsvRecord): readonly string[] {
  const names = header.some((line) => line.error !== undefined)
    ? undefined
    : parseStrictly([header])?.[0]?.map((name) => name.trim())
  if (!names)
    throw new ImportFailed(
      'The header cannot be read. The first line must have the names of the columns in UTF-8, separated by commas.',
    )
  const repeated = names.find((name, position) => names.indexOf(name) !== position)
  if (repeated !== undefined) throw new ImportFailed(`The header has the column "${repeated}" twice.`)
  return names
}

/** A record ends at the first line where the number of quotation marks is even. Blank lines are dropped. */
async function* groupIntoRecords(chunks: AsyncIterable<Line[]>): AsyncGenerator<CsvRecord[]> {
  let open: Line[] = []
  let openLength = 0
  for await (const lines of chunks) {
    const records: CsvRecord[] = []
    /** The open quotation mark is never closed, so each line is a record. */
    const splitOpenRecord = () => {
      records.push(...splitLines(open))
      open = []
    }
    for (const line of lines) {
      if (line.error !== undefined) {
        splitOpenRecord()
        records.push([line])
      } else if (open.length > 0) {
        open.push(line)
        openLength += line.text.length
        if (hasOddQuotes(line.text)) {
          records.push(open)
          open = []
        } else if (openLength > LINE_MAX) {
          splitOpenRecord()
        }
      } else if (hasOddQuotes(line.text)) {
        open = [line]
        openLength = line.text.length
      } else if (line.text.trim() !== '') {
        records.push([line])
      }
    }
    yield records
  }
  yield splitLines(open)
}

const splitLines = (lines: readonly Line[]): CsvRecord[] => lines.filter((line) => line.text.trim() !== '').map((line) => [line])

function hasOddQuotes(text: string): boolean {
  let isOdd = false
  for (let position = text.indexOf('"'); position !== -1; position = text.indexOf('"', position + 1)) isOdd = !isOdd
  return isOdd
}

/** One call parses all valid records, because starting the parser costs more than a record. */
function parseRecords(records: readonly CsvRecord[], columns: readonly string[]): SourceRow[] {
  const readable = records.filter((record) => record[0]?.error === undefined)
  const parsed = readable.length === records.length ? parseStrictly(records) : undefined
  return records.flatMap((record, position) => {
    const fields = parsed?.[position]
    return fields?.length === columns.length ? [toRow(record, columns, fields)] : parseRecord(record, columns)
  })
}

function parseRecord(record: CsvRecord, columns: readonly string[]): SourceRow[] {
  const [first, ...others] = record
  if (first === undefined) return []
  if (first.error !== undefined) return [toUnreadableRow(record, first.error)]
  const fields = others.length > 0 ? parseStrictly([record])?.[0] : parseLeniently(first)
  if (fields?.length === columns.length) return [toRow(record, columns, fields)]
  // Unclosed quotation marks in two rows look like one long record.
  if (others.length > 0) return splitLines(record).flatMap((line) => parseRecord(line, columns))
  if (fields === undefined) return [toUnreadableRow(record, 'a quotation mark is not closed')]
  return [toUnreadableRow(record, `the row has ${fields.length} columns instead of ${columns.length}`)]
}

/** No values are assigned: after a missing or additional cell they may belong to the next column. */
function toUnreadableRow(record: CsvRecord, error: string): SourceRow {
  return { line: record[0]?.number ?? 0, values: {}, error, raw: record[0]?.raw ?? recordText(record) }
}

function toRow(record: CsvRecord, columns: readonly string[], fields: readonly string[]): SourceRow {
  const values: Record<string, unknown> = {}
  for (const [position, column] of columns.entries()) values[column] = fields[position]
  return { line: record[0]?.number ?? 0, values }
}

const recordText = (record: CsvRecord) =>
  record
    .map((line, position) => (position === record.length - 1 ? line.text : `${line.text}${line.hasCarriageReturn ? '\r\n' : '\n'}`))
    .join('')

/** Misplaced quotation marks make the parser find other records. */
function parseStrictly(records: readonly CsvRecord[]): string[][] | undefined {
  try {
    const found: string[][] = parse(records.map(recordText).join('\n'), { recordDelimiter: '\n', relaxColumnCount: true })
    return found.length === records.length ? found : undefined
  } catch {
    return undefined
  }
}

/** A quotation mark inside a field, as in `5" pipe`, is safe within one line. */
function parseLeniently({ text }: Line): string[] | undefined {
  try {
    const found: string[][] = parse(text, { recordDelimiter: '\n', relaxColumnCount: true, relaxQuotes: true })
    return found.length === 1 ? found[0] : undefined
  } catch {
    return undefined
  }
}
