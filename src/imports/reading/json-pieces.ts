import { truncateUtf8, FEATURE_MAX } from './lines.ts'

const byte = {
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
const isWhitespace = (found: number): boolean =>
  found === 0x20 || found === byte.newline || found === 0x0d || found === 0x09 || found === 0x1e

export class InvalidJson extends Error {
  override name = 'InvalidJson'
}

/** Only the first `max` bytes are stored. */
class BoundedBuffer {
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

/** If `isWhole` is false, the part is too long and only its beginning is stored. */
export type Piece =
  /** An element of "features" of a top-level object. */
  | { readonly kind: 'feature'; readonly bytes: Buffer; readonly isWhole: boolean }
  | { readonly kind: 'member'; readonly name: string; readonly bytes: Buffer; readonly isWhole: boolean }
  /** Bytes are missing if the object has "features". */
  | { readonly kind: 'end'; readonly bytes?: Buffer; readonly isWhole: boolean }

/** Limit in bytes for a member other than "features". */
const MEMBER_MAX = 10_000

type ParserState = 'outside' | 'name' | 'colon' | 'value' | 'after member' | 'feature' | 'after feature'
const expectedTokens: Readonly<Record<ParserState, string>> = {
  outside: 'an object',
  name: 'the name of a member',
  colon: 'a colon',
  value: 'a value',
  'after member': 'a comma or the end of the object',
  feature: 'a feature',
  'after feature': 'a comma or the end of "features"',
}

/**
 * Does not parse the features: a library for JSON streams replaces bytes that are not UTF-8 with U+FFFD, parses values of any
 * depth, and stops at the first invalid feature.
 * @throws InvalidJson with the byte offset, after the pieces before it
 */
export async function* readPieces(chunks: AsyncIterable<Buffer>): AsyncGenerator<Piece[]> {
  const parser = new PieceParser()
  for await (const chunk of chunks) {
    const pieces: Piece[] = []
    let failure: Error | undefined
    try {
      parser.parse(chunk, pieces)
    } catch (error) {
      failure = error as Error
    }
    yield pieces
    if (failure !== undefined) throw failure
  }
  parser.end()
}

class PieceParser {
  readonly #end = new ValueEndFinder()
  #state: ParserState = 'outside'
  #offset = 0
  #value: BoundedBuffer | undefined
  #name = ''
  #object: BoundedBuffer | undefined
  #objectStart = 0

  parse(chunk: Buffer, pieces: Piece[]): void {
    const hasByteOrderMark = this.#offset === 0 && chunk[0] === 0xef && chunk[1] === 0xbb && chunk[2] === 0xbf
    let position = hasByteOrderMark ? 3 : 0
    this.#objectStart = 0
    while (position < chunk.length) {
      if (this.#value !== undefined) {
        const end = this.#findEnd(chunk, position)
        this.#value.add(chunk.subarray(position, end))
        position = end ?? chunk.length
        if (end !== undefined) this.#addValue(this.#value, pieces, position)
      } else {
        const found = chunk[position] ?? 0
        if (isWhitespace(found)) position++
        else position += this.#readByte(found, position, chunk, pieces)
      }
    }
    this.#object?.add(chunk.subarray(this.#objectStart))
    this.#offset += chunk.length
  }

  end(): void {
    if (this.#state !== 'outside') throw new InvalidJson('the end of the file is missing')
  }

  #findEnd(chunk: Buffer, position: number): number | undefined {
    try {
      return this.#end.find(chunk, position)
    } catch (error) {
      throw error instanceof InvalidJson ? this.#syntaxError(position, error.message) : error
    }
  }

  /** Returns 0 if a value begins at the byte, otherwise 1. */
  #readByte(found: number, position: number, chunk: Buffer, pieces: Piece[]): 0 | 1 {
    if (found === byte.closeBracket && (this.#state === 'feature' || this.#state === 'after feature')) {
      this.#state = 'after member'
    } else if (found === byte.closeBrace && (this.#state === 'name' || this.#state === 'after member')) {
      this.#object?.add(chunk.subarray(this.#objectStart, position + 1))
      pieces.push({ kind: 'end', isWhole: this.#object?.isWhole ?? true, ...(this.#object && { bytes: this.#object.bytes() }) })
      this.#object = undefined
      this.#state = 'outside'
    } else if (this.#state === 'outside' && found === byte.openBrace) {
      this.#object = new BoundedBuffer(FEATURE_MAX)
      this.#objectStart = position
      this.#state = 'name'
    } else if (this.#state === 'colon' && found === byte.colon) {
      this.#state = 'value'
    } else if (this.#state.startsWith('after') && found === byte.comma) {
      this.#state = this.#state === 'after member' ? 'name' : 'feature'
    } else if (this.#state === 'value' && this.#name === 'features') {
      if (found !== byte.openBracket) throw this.#syntaxError(position, '"features" is not an array')
      this.#object = undefined
      this.#state = 'feature'
    } else if (this.#beginsValue(found)) {
      this.#value = new BoundedBuffer(this.#state === 'feature' ? FEATURE_MAX : MEMBER_MAX)
      return 0
    } else {
      const shown = found > 0x20 && found < 0x7f ? `"${String.fromCharCode(found)}"` : `0x${found.toString(16).padStart(2, '0')}`
      throw this.#syntaxError(position, `found ${shown} instead of ${expectedTokens[this.#state]}`)
    }
    return 1
  }

  #beginsValue(found: number): boolean {
    if (this.#state === 'name') return found === byte.quote
    const isDelimiter = found === byte.comma || found === byte.colon || found === byte.closeBracket || found === byte.closeBrace
    return (this.#state === 'value' || this.#state === 'feature') && !isDelimiter
  }

  #addValue(value: BoundedBuffer, pieces: Piece[], position: number): void {
    this.#value = undefined
    const found = { bytes: value.bytes(), isWhole: value.isWhole }
    if (this.#state === 'feature') {
      pieces.push({ kind: 'feature', ...found })
      this.#state = 'after feature'
    } else if (this.#state === 'value') {
      pieces.push({ kind: 'member', name: this.#name, ...found })
      this.#state = 'after member'
    } else {
      this.#name = found.isWhole ? this.#parseName(found.bytes, position) : ''
      this.#state = 'colon'
    }
  }

  #parseName(name: Buffer, position: number): string {
    try {
      return String(JSON.parse(name.toString()))
    } catch {
      throw this.#syntaxError(position, 'the name of a member is not valid JSON')
    }
  }

  #syntaxError(position: number, message: string): InvalidJson {
    return new InvalidJson(`${message}, at byte ${this.#offset + position + 1}`)
  }
}
