import { FEATURE_MAX } from './lines.ts'
import { InvalidJson, byte, isBlank, BoundedBuffer, ValueEndFinder } from './json-value.ts'

/** A part of a GeoJSON file, in order. `isWhole` is false if the bytes are only the beginning of a part that is too long. */
export type Piece =
  /** An element of the outermost "features". */
  | { readonly of: 'feature'; readonly bytes: Buffer; readonly isWhole: boolean }
  /** Another member of an outermost object. */
  | { readonly of: 'member'; readonly name: string; readonly bytes: Buffer; readonly isWhole: boolean }
  /** The end of an outermost object; with its bytes where it had no "features". */
  | { readonly of: 'end'; readonly bytes?: Buffer; readonly isWhole: boolean }

/** Maximum size in bytes of a member other than "features"; the rest is skipped. */
const MEMBER_MAX = 10_000

type ParserState = 'outside' | 'name' | 'colon' | 'value' | 'after member' | 'feature' | 'after feature'
const expectedTokens: Readonly<Record<ParserState, string>> = {
  outside: 'an object',
  name: 'the name of a member',
  colon: 'a colon',
  value: 'a value',
  'after member': 'a comma or the end of the object',
  feature: 'a feature',
  'after feature': 'a comma or the end of the list of features',
}

/**
 * Cuts GeoJSON (one object, or several one after the other) into its features without reading them, those of each chunk together.
 * A reader of JSON streams would do it but for three things: it puts U+FFFD where bytes are not UTF-8, it builds whatever is
 * nested however deep, and a feature that is not JSON ends it.
 * @throws InvalidJson with the place, when what was found before has been handed on.
 */
export async function* readPieces(chunks: AsyncIterable<Buffer>): AsyncGenerator<Piece[]> {
  const cutter = new PieceParser()
  for await (const chunk of chunks) {
    const pieces: Piece[] = []
    let fault: Error | undefined
    try {
      cutter.cut(chunk, pieces)
    } catch (error) {
      fault = error as Error
    }
    yield pieces
    if (fault !== undefined) throw fault
  }
  cutter.end()
}

class PieceParser {
  readonly #end = new ValueEndFinder()
  #place: ParserState = 'outside'
  /** Bytes before the chunk. */
  #before = 0
  /** The value that is being read. */
  #value: BoundedBuffer | undefined
  #name = ''
  /** The outermost object, as long as it may be a Feature itself. */
  #object: BoundedBuffer | undefined
  #objectFrom = 0

  cut(chunk: Buffer, pieces: Piece[]): void {
    // A byte order mark.
    let at = this.#before === 0 && chunk[0] === 0xef && chunk[1] === 0xbb && chunk[2] === 0xbf ? 3 : 0
    this.#objectFrom = 0
    while (at < chunk.length) {
      if (this.#value !== undefined) {
        const end = this.#findEnd(chunk, at)
        this.#value.add(chunk.subarray(at, end))
        at = end ?? chunk.length
        if (end !== undefined) this.#take(this.#value, pieces, at)
      } else {
        const found = chunk[at] ?? 0
        if (isBlank(found)) at++
        else at += this.#step(found, at, chunk, pieces)
      }
    }
    this.#object?.add(chunk.subarray(this.#objectFrom))
    this.#before += chunk.length
  }

  end(): void {
    if (this.#place !== 'outside') throw new InvalidJson('it breaks off')
  }

  #findEnd(chunk: Buffer, at: number): number | undefined {
    try {
      return this.#end.find(chunk, at)
    } catch (error) {
      throw error instanceof InvalidJson ? this.#broken(at, error.message) : error
    }
  }

  /** Takes one byte between two values; gives how many bytes are done with, 0 where a value begins. */
  #step(found: number, at: number, chunk: Buffer, pieces: Piece[]): 0 | 1 {
    if (found === byte.closeBracket && (this.#place === 'feature' || this.#place === 'after feature')) {
      this.#place = 'after member'
    } else if (found === byte.closeBrace && (this.#place === 'name' || this.#place === 'after member')) {
      this.#object?.add(chunk.subarray(this.#objectFrom, at + 1))
      pieces.push({ of: 'end', isWhole: this.#object?.isWhole ?? true, ...(this.#object && { bytes: this.#object.bytes() }) })
      this.#object = undefined
      this.#place = 'outside'
    } else if (this.#place === 'outside' && found === byte.openBrace) {
      this.#object = new BoundedBuffer(FEATURE_MAX)
      this.#objectFrom = at
      this.#place = 'name'
    } else if (this.#place === 'colon' && found === byte.colon) {
      this.#place = 'value'
    } else if (this.#place.startsWith('after') && found === byte.comma) {
      this.#place = this.#place === 'after member' ? 'name' : 'feature'
    } else if (this.#place === 'value' && this.#name === 'features') {
      if (found !== byte.openBracket) throw this.#broken(at, '"features" is no list')
      this.#object = undefined
      this.#place = 'feature'
    } else if (this.#beginsValue(found)) {
      this.#value = new BoundedBuffer(this.#place === 'feature' ? FEATURE_MAX : MEMBER_MAX)
      return 0
    } else {
      const shown = found > 0x20 && found < 0x7f ? `"${String.fromCharCode(found)}"` : `0x${found.toString(16).padStart(2, '0')}`
      throw this.#broken(at, `${shown} stands where ${expectedTokens[this.#place]} should`)
    }
    return 1
  }

  #beginsValue(found: number): boolean {
    if (this.#place === 'name') return found === byte.quote
    const isPart = found === byte.comma || found === byte.colon || found === byte.closeBracket || found === byte.closeBrace
    return (this.#place === 'value' || this.#place === 'feature') && !isPart
  }

  #take(value: BoundedBuffer, pieces: Piece[], at: number): void {
    this.#value = undefined
    const found = { bytes: value.bytes(), isWhole: value.isWhole }
    if (this.#place === 'feature') {
      pieces.push({ of: 'feature', ...found })
      this.#place = 'after feature'
    } else if (this.#place === 'value') {
      pieces.push({ of: 'member', name: this.#name, ...found })
      this.#place = 'after member'
    } else {
      this.#name = found.isWhole ? this.#read(found.bytes, at) : ''
      this.#place = 'colon'
    }
  }

  #read(name: Buffer, at: number): string {
    try {
      return String(JSON.parse(name.toString()))
    } catch {
      throw this.#broken(at, 'the name of a member is not JSON')
    }
  }

  #broken(at: number, fault: string): InvalidJson {
    return new InvalidJson(`${fault}, at byte ${this.#before + at + 1}`)
  }
}
