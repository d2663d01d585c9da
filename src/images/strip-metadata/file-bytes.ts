import { fstatSync, readSync, writeSync } from 'node:fs'

const WINDOW_BYTES = 65_536

/**
 * The bytes of an open file by their places, of which a window is in memory. It reads while it is asked, without a promise for every byte:
 * a file that was just written is in the cache of the system.
 */
export class FileBytes {
  readonly length: number
  readonly #file: number
  readonly #window = Buffer.allocUnsafe(WINDOW_BYTES)
  #start = 0
  #end = 0

  /** @param file a descriptor that stays open for as long as this is used */
  constructor(file: number) {
    this.#file = file
    this.length = fstatSync(file).size
  }

  /** Undefined behind the end of the file. */
  at(place: number): number | undefined {
    return this.#hold(place) > 0 ? this.#window[place - this.#start] : undefined
  }

  /** From `start` up to, but not with, `end`, or to the end of the file; for parts of some bytes. */
  part(start: number, end: number): Buffer {
    const part = Buffer.alloc(Math.max(0, Math.min(end, this.length) - start))
    for (let at = 0; at < part.length;) {
      const held = this.#hold(start + at)
      if (held === 0) return part.subarray(0, at)
      at += this.#window.copy(part, at, start + at - this.#start, Math.min(this.#end, start + part.length) - this.#start)
    }
    return part
  }

  /**
   * What is in memory from this place on, for a quick walk over many bytes: two at least, unless the file ends before that. It holds until
   * anything else is asked.
   */
  view(place: number): Buffer {
    if (this.#hold(place) === 1 && this.#end < this.length) this.#move(place)
    return this.#window.subarray(Math.min(place, this.#end) - this.#start, this.#end - this.#start)
  }

  /** Appends the part to another open file. */
  copy(start: number, end: number, to: number): void {
    for (let at = start; at < end && this.#hold(at) > 0; at = Math.min(end, this.#end)) {
      writeSync(to, this.#window, at - this.#start, Math.min(end, this.#end) - at)
    }
  }

  /** How many bytes from this place on are in the window, which moves there where it must. */
  #hold(place: number): number {
    if (place >= this.#start && place < this.#end) return this.#end - place
    if (place < 0 || place >= this.length) return 0
    return this.#move(place)
  }

  #move(place: number): number {
    const read = readSync(this.#file, this.#window, 0, WINDOW_BYTES, place)
    this.#start = place
    this.#end = place + read
    return read
  }
}
