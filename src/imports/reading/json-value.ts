import { truncateLine } from './lines.ts'

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

/** White space, and the separator that begins each text of a sequence (RFC 8142). */
export const isBlank = (found: number): boolean =>
  found === 0x20 || found === byte.newline || found === 0x0d || found === 0x09 || found === 0x1e

/** JSON that cannot be read on. */
export class InvalidJson extends Error {
  override name = 'InvalidJson'
}

/** Bytes that come in parts. Of more than `max` only the beginning is kept, so that nothing fills the memory. */
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
    if (!this.isWhole && this.#parts.length > 1) this.#parts = [truncateLine(this.bytes())]
  }

  get isWhole(): boolean {
    return this.#length <= this.#max
  }

  bytes(): Buffer {
    const bytes = this.#parts.length === 1 && this.#parts[0] ? this.#parts[0] : Buffer.concat(this.#parts)
    return this.isWhole ? bytes : truncateLine(bytes)
  }
}

/** Levels at which a closing bracket must be of the kind of the opening one. What is nested deeper is rejected anyway. */
const NESTING_MAX = 256

/** Finds where one JSON value ends, whatever it holds, in a few bytes of memory: what is inside is judged once it is cut out. */
export class ValueEndFinder {
  readonly #opened = new Uint8Array(NESTING_MAX)
  #depth = 0
  #isText = false
  #isEscaped = false

  /**
   * The index after the last byte of the value in `chunk`, read from `from`; undefined where the value goes on in the next chunk.
   * After an end the next value can be read.
   * @throws InvalidJson when a bracket is closed by one of the other kind.
   */
  find(chunk: Buffer, from: number): number | undefined {
    for (let at = from; at < chunk.length; at++) {
      const found = chunk[at] ?? 0
      if (this.#isText) {
        if (this.#isEscaped) this.#isEscaped = false
        else if (found === byte.backslash) this.#isEscaped = true
        else if (found === byte.quote) {
          this.#isText = false
          if (this.#depth === 0) return at + 1
        }
      } else if (found === byte.quote) {
        this.#isText = true
      } else if (found === byte.openBracket || found === byte.openBrace) {
        if (this.#depth < NESTING_MAX) this.#opened[this.#depth] = found
        this.#depth++
      } else if (found === byte.closeBracket || found === byte.closeBrace) {
        if (this.#depth === 0) return at
        this.#depth--
        // In ASCII a closing bracket comes two places after its opening one.
        if (this.#depth < NESTING_MAX && this.#opened[this.#depth] !== found - 2) throw new InvalidJson('brackets do not match')
        if (this.#depth === 0) return at + 1
      } else if (this.#depth === 0 && (found === byte.comma || found === byte.colon || isBlank(found))) {
        return at
      }
    }
    return undefined
  }
}
