import { isUtf8 } from 'node:buffer'

export interface Line {
  /** From 1. */
  readonly number: number
  /** Without its line break. */
  readonly text: string
  readonly fault?: string
}

/** In bytes. A report with the longest texts that are taken is far shorter; without a bound one line could fill the memory. */
export const LINE_MAX = 1_048_576

const NEWLINE = 0x0a
const CARRIAGE_RETURN = 0x0d
const BYTE_ORDER_MARK = Buffer.from('\uFEFF')

/** Cuts bytes into lines, those of each chunk together. Lines that are too long or not UTF-8 come with a fault and no text. */
export async function* readLines(chunks: AsyncIterable<Buffer>): AsyncGenerator<Line[]> {
  let number = 0
  let rest: Buffer = Buffer.alloc(0)
  let isTooLong = false
  for await (const chunk of chunks) {
    const lines: Line[] = []
    const bytes = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    let start = 0
    for (let end = bytes.indexOf(NEWLINE); end !== -1; end = bytes.indexOf(NEWLINE, start)) {
      number++
      lines.push(isTooLong ? tooLong(number) : toLine(number, bytes.subarray(start, end)))
      isTooLong = false
      start = end + 1
    }
    // What is left of a line that is too long already is not kept.
    isTooLong ||= bytes.length - start > LINE_MAX
    rest = isTooLong ? Buffer.alloc(0) : bytes.subarray(start)
    yield lines
  }
  if (isTooLong) yield [tooLong(number + 1)]
  else if (rest.length > 0) yield [toLine(number + 1, rest)]
}

function toLine(number: number, bytes: Buffer): Line {
  if (bytes.length > LINE_MAX) return tooLong(number)
  if (!isUtf8(bytes)) return { number, text: '', fault: 'the line is not UTF-8' }
  const hasMark = number === 1 && bytes.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK)
  const end = bytes.at(-1) === CARRIAGE_RETURN ? bytes.length - 1 : bytes.length
  return { number, text: bytes.toString('utf8', hasMark ? BYTE_ORDER_MARK.length : 0, end) }
}

const tooLong = (number: number): Line => ({ number, text: '', fault: `the line is longer than ${LINE_MAX} bytes` })
