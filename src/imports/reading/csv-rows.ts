import { parse } from 'csv-parse/sync'

import { LINE_MAX, type Line } from './lines.ts'
import { ImportFailed, type Reading, type SourceRow } from './source-row.ts'

/** The lines of one record: several where line breaks stand between quotation marks. */
type CsvRecord = readonly Line[]

/**
 * Reads CSV (RFC 4180, commas, UTF-8) whose first record names the columns. A record that is broken costs only itself: a
 * streaming parser would take everything after a quotation mark that is not closed for one text, to the end of the file.
 * @throws ImportFailed without a usable first record.
 */
export async function readCsv(portions: AsyncIterable<Line[]>): Promise<Reading & { readonly columns: readonly string[] }> {
  const records = cutRecords(portions)
  let first: CsvRecord[] = []
  while (first.length === 0) {
    const next = await records.next()
    if (next.done) throw new ImportFailed('The file is empty: its first line must name the columns.')
    first = next.value
  }
  const columns = columnsOf(first[0] ?? [])
  return {
    columns,
    portions: (async function* () {
      yield rowsOf(first.slice(1), columns)
      for await (const more of records) yield rowsOf(more, columns)
    })(),
  }
}

function columnsOf(header: CsvRecord): readonly string[] {
  const names = header.some((line) => line.fault !== undefined)
    ? undefined
    : parseStrictly([header])?.[0]?.map((name) => name.trim())
  if (!names) throw new ImportFailed('The first line cannot be read: it must name the columns, separated by commas, in UTF-8.')
  const twice = names.find((name, position) => names.indexOf(name) !== position)
  if (twice !== undefined) throw new ImportFailed(`The first line names the column "${twice}" twice.`)
  return names
}

/** A record ends with the first line at whose end the number of quotation marks is even. Blank lines between are dropped. */
async function* cutRecords(portions: AsyncIterable<Line[]>): AsyncGenerator<CsvRecord[]> {
  let open: Line[] = []
  let openLength = 0
  for await (const lines of portions) {
    const records: CsvRecord[] = []
    // Nothing closes the quotation mark: each line has to stand for itself.
    const giveUp = () => {
      records.push(...eachLine(open))
      open = []
    }
    for (const line of lines) {
      if (line.fault !== undefined) {
        giveUp()
        records.push([line])
      } else if (open.length > 0) {
        open.push(line)
        openLength += line.text.length
        if (hasOddQuotes(line.text)) {
          records.push(open)
          open = []
        } else if (openLength > LINE_MAX) {
          giveUp()
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
  yield eachLine(open)
}

const eachLine = (lines: readonly Line[]): CsvRecord[] => lines.filter((line) => line.text.trim() !== '').map((line) => [line])

function hasOddQuotes(text: string): boolean {
  let isOdd = false
  for (let at = text.indexOf('"'); at !== -1; at = text.indexOf('"', at + 1)) isOdd = !isOdd
  return isOdd
}

/** All at once where that works, since the parser's start costs more than a record; else each by itself. */
function rowsOf(records: readonly CsvRecord[], columns: readonly string[]): SourceRow[] {
  const readable = records.filter((record) => record[0]?.fault === undefined)
  const parsed = readable.length === records.length ? parseStrictly(records) : undefined
  return records.flatMap((record, position) => {
    const fields = parsed?.[position]
    return fields?.length === columns.length ? [toRow(record, columns, fields)] : rowsOfOne(record, columns)
  })
}

function rowsOfOne(record: CsvRecord, columns: readonly string[]): SourceRow[] {
  const [first, ...others] = record
  if (first === undefined) return []
  if (first.fault !== undefined) return [unreadable(record, first.fault)]
  const fields = others.length > 0 ? parseStrictly([record])?.[0] : parseLeniently(first)
  if (fields?.length === columns.length) return [toRow(record, columns, fields)]
  // Two quotation marks that belong to different rows made one record of all that stands between them.
  if (others.length > 0) return eachLine(record).flatMap((line) => rowsOfOne(line, columns))
  if (fields === undefined) return [unreadable(record, 'a quotation mark is not closed')]
  return [unreadable(record, `the row has ${fields.length} columns instead of ${columns.length}`)]
}

/** No value is guessed: with a cell too many or too few, each might belong to the column beside it. */
function unreadable(record: CsvRecord, fault: string): SourceRow {
  return { line: record[0]?.number ?? 0, values: {}, fault, raw: record[0]?.raw ?? recordText(record) }
}

function toRow(record: CsvRecord, columns: readonly string[], fields: readonly string[]): SourceRow {
  const values: Record<string, unknown> = {}
  for (const [position, column] of columns.entries()) values[column] = fields[position]
  return { line: record[0]?.number ?? 0, values }
}

const recordText = (record: CsvRecord) => record.map((line) => line.text).join('\n')

/**
 * Without misplaced quotation marks, cutRecords and the parser find the same records: marks open, close or escape in pairs, and
 * line breaks inside a record are quoted.
 */
function parseStrictly(records: readonly CsvRecord[]): string[][] | undefined {
  try {
    const found: string[][] = parse(records.map(recordText).join('\n'), { recordDelimiter: '\n', relaxColumnCount: true })
    return found.length === records.length ? found : undefined
  } catch {
    return undefined
  }
}

/** Takes a stray quotation mark inside a field, such as that of a 5" pipe, as a character: in one line that can do no harm. */
function parseLeniently({ text }: Line): string[] | undefined {
  try {
    const found: string[][] = parse(text, { recordDelimiter: '\n', relaxColumnCount: true, relaxQuotes: true })
    return found.length === 1 ? found[0] : undefined
  } catch {
    return undefined
  }
}
