import { isUtf8 } from 'node:buffer'

export interface Line {
  /** The first line is 1. */
  readonly number: number
  /** Without its line break. */
  readonly text: string
  readonly fault?: string
  /** The bytes of a line with an error, or the beginning of a line that is too long, for the file of rejected rows. */
  readonly raw?: Buffer
}

/** In bytes. A report with the longest texts that are taken is far shorter; without a bound one line could fill the memory. */
export const LINE_MAX = 1_048_576
/** In bytes, of a feature: boundaries may be long, that of Alaska has some megabytes. */
export const FEATURE_MAX = 33_554_432
/** Number of bytes that are stored of a line that is too long. */
const TRUNCATED_MAX = 1_000

const NEWLINE = 0x0a
const CARRIAGE_RETURN = 0x0d
const BYTE_ORDER_MARK = Buffer.from('\uFEFF')

/** Cuts bytes into lines, those of each chunk together. Lines that are longer than `max` bytes or not UTF-8 come with a fault and no text. */
export async function* readLines(chunks: AsyncIterable<Buffer>, max = LINE_MAX): AsyncGenerator<Line[]> {
  let number = 0
  let rest: Buffer = Buffer.alloc(0)
  /** The beginning of a line that is too long already, of which no more is kept. */
  let beginning: Buffer | undefined
  for await (const chunk of chunks) {
    const lines: Line[] = []
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    let start = 0
    for (let end = bytes.indexOf(NEWLINE); end !== -1; end = bytes.indexOf(NEWLINE, start)) {
      number++
      lines.push(beginning ? tooLong(number, beginning, max) : toLine(number, bytes.subarray(start, end), max))
      beginning = undefined
      start = end + 1
    }
    if (bytes.length - start > max) beginning ??= truncateLine(bytes.subarray(start))
    rest = beginning ? Buffer.alloc(0) : bytes.subarray(start)
    yield lines
  }
  if (beginning) yield [tooLong(number + 1, beginning, max)]
  else if (rest.length > 0) yield [toLine(number + 1, rest, max)]
}

function toLine(number: number, bytes: Buffer, max: number): Line {
  if (bytes.length > max) return tooLong(number, truncateLine(bytes), max)
  if (!isUtf8(bytes)) return { number, text: '', fault: 'the line is not UTF-8', raw: Buffer.from(bytes) }
  const hasMark = number === 1 && bytes.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK)
  const end = bytes.at(-1) === CARRIAGE_RETURN ? bytes.length - 1 : bytes.length
  return { number, text: bytes.toString('utf8', hasMark ? BYTE_ORDER_MARK.length : 0, end) }
}

const tooLong = (number: number, raw: Buffer, max: number): Line => ({
  number,
  text: '',
  fault: lengthError('line', max),
  raw,
})

export const lengthError = (what: 'line' | 'feature', max: number): string =>
  `the ${what} is longer than ${max} bytes; only its beginning is kept here`

/** A copy, so that the rest can go, and of whole characters. */
export function truncateLine(bytes: Buffer): Buffer {
  let end = TRUNCATED_MAX
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--
  return Buffer.from(bytes.subarray(0, end))
}
