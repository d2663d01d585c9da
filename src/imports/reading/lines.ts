import { isUtf8 } from 'node:buffer'

export interface Line {
  readonly number: number
  readonly text: string
  /** True for a line that ends in CR and LF. A cell of CSV with several lines keeps its line breaks. */
  readonly hasCarriageReturn?: boolean
  readonly error?: string
  /** A line with an error has its bytes here for the file of rejected rows; only the beginning if it is too long. */
  readonly raw?: Buffer
}

/** The limit is in bytes. An issue with the longest texts is far shorter. */
export const LINE_MAX = 1_048_576
/** The limit is in bytes. The boundary of Alaska has some megabytes. */
export const FEATURE_MAX = 33_554_432
const TRUNCATED_BYTES = 1_000

const NEWLINE = 0x0a
const CARRIAGE_RETURN = 0x0d
const BYTE_ORDER_MARK = Buffer.from('\uFEFF')

/**
 * A line of more than `max` bytes, or one that is not UTF-8, has an error and no text.
 * @param separator ends a line, or begins it: then what precedes the first has the number 0
 */
export async function* readLines(chunks: AsyncIterable<Buffer>, max = LINE_MAX, separator = NEWLINE): AsyncGenerator<Line[]> {
  let number = separator === NEWLINE ? 0 : -1
  let rest: Buffer = Buffer.alloc(0)
  let beginning: Buffer | undefined
  for await (const chunk of chunks) {
    const lines: Line[] = []
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    let start = 0
    for (let end = bytes.indexOf(separator); end !== -1; end = bytes.indexOf(separator, start)) {
      number++
      lines.push(beginning ? tooLongLine(number, beginning, max) : toLine(number, bytes.subarray(start, end), max))
      beginning = undefined
      start = end + 1
    }
    if (bytes.length - start > max) beginning ??= truncateUtf8(bytes.subarray(start))
    rest = beginning ? Buffer.alloc(0) : bytes.subarray(start)
    yield lines
  }
  if (beginning) yield [tooLongLine(number + 1, beginning, max)]
  else if (rest.length > 0) yield [toLine(number + 1, rest, max)]
}

function toLine(number: number, bytes: Buffer, max: number): Line {
  if (bytes.length > max) return tooLongLine(number, truncateUtf8(bytes), max)
  if (!isUtf8(bytes)) return { number, text: '', error: 'the line is not UTF-8', raw: Buffer.from(bytes) }
  const hasMark = number === 1 && bytes.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK)
  const hasCarriageReturn = bytes.at(-1) === CARRIAGE_RETURN
  const end = hasCarriageReturn ? bytes.length - 1 : bytes.length
  return { number, text: bytes.toString('utf8', hasMark ? BYTE_ORDER_MARK.length : 0, end), hasCarriageReturn }
}

const tooLongLine = (number: number, raw: Buffer, max: number): Line => ({
  number,
  text: '',
  error: `the line is longer than ${max} bytes; only the beginning is shown`,
  raw,
})

/** Copies the beginning, so that the rest can be freed, and does not split a character. */
function truncateUtf8(bytes: Buffer): Buffer {
  let end = TRUNCATED_BYTES
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--
  return Buffer.from(bytes.subarray(0, end))
}
