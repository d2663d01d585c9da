import { truncateUtf8 } from './lines.ts'

export const byte = {
  newline: 0x0a,
  quote: 0x22,
  comma: 0x2c,
  colon: 0x3a,
  openBracket: 0x5b,
  backslash: 0x5c,
  closeBracket: 0x5d,
  openBrace: 0x7b,
  closeBrace: 0x7d,
} as const

/** The characters include the record separator of GeoJSON text sequences (RFC 8142). */
export const isWhitespace = (found: number): boolean =>
  found === 0x20 || found === byte.newline || found === 0x0d || found === 0x09 || found === 0x1e

export class InvalidJson extends Error {
  override name = 'InvalidJson'
}

/** Only the first `max` bytes are stored. */
export class BoundedBuffer {
  readonly #max: number
  #parts: Buffer[] = []
  #length = 0

  constructor(max: number) {
    this.#max = max
  }

  add(part: Buffer): void {
    if (this.isWhole) this.#parts.push(part)
    this.#length += part.length
    if (!this.isWhole && this.#parts.length > 1) this.#parts = [truncateUtf8(this.bytes())]
  }

  get isWhole(): boolean {
    return this.#length <= this.#max
  }

  bytes(): Buffer {
    const bytes = this.#parts.length === 1 && this.#parts[0] ? this.#parts[0] : Buffer.concat(this.#parts)
    return this.isWhole ? bytes : truncateUtf8(bytes)
  }
}

/** Features that are nested deeper are rejected later. */
const NESTING_MAX = 256

/** Uses constant memory and does not validate the content. */
export class ValueEndFinder {
  readonly #opened = new Uint8Array(NESTING_MAX)
  #depth = 0
  /** The greatest number of open brackets so far. */
  deepest = 0
  #isString = false
  #isEscaped = false

  /** Returns the index after the value; undefined if the chunk ends first. @throws InvalidJson if brackets do not match */
  find(chunk: Buffer, from: number): number | undefined {
    for (let position = from; position < chunk.length; position++) {
      const found = chunk[position] ?? 0
      if (this.#isString) {
        if (this.#isEscaped) this.#isEscaped = false
        else if (found === byte.backslash) this.#isEscaped = true
        else if (found === byte.quote) {
          this.#isString = false
          if (this.#depth === 0) return position + 1
        }
      } else if (found === byte.quote) {
        this.#isString = true
      } else if (found === byte.openBracket || found === byte.openBrace) {
        if (this.#depth < NESTING_MAX) this.#opened[this.#depth] = found
        this.#depth++
        if (this.#depth > this.deepest) this.deepest = this.#depth
      } else if (found === byte.closeBracket || found === byte.closeBrace) {
        if (this.#depth === 0) return position
        this.#depth--
        // The ASCII code of a closing bracket is that of the opening one plus two.
        if (this.#depth < NESTING_MAX && this.#opened[this.#depth] !== found - 2) throw new InvalidJson('brackets do not match')
        if (this.#depth === 0) return position + 1
      } else if (this.#depth === 0 && (found === byte.comma || found === byte.colon || isWhitespace(found))) {
        return position
      }
    }
    return undefined
  }
}
