import { fstatSync, readSync, writeSync } from 'node:fs'

const WINDOW_BYTES = 65_536

/**
 * Reads the bytes of an open file by offset through a window in memory. It reads synchronously, because a promise per byte is
 * slow and a new file is in the page cache.
 */
export class FileBytes {
  readonly length: number
  readonly #file: number
  readonly #window = Buffer.allocUnsafe(WINDOW_BYTES)
  #start = 0
  #end = 0

  constructor(file: number) {
    this.#file = file
    this.length = fstatSync(file).size
  }

  at(place: number): number | undefined {
    return this.#hold(place) > 0 ? this.#window[place - this.#start] : undefined
  }

  /** Returns a copy of the bytes from `start` to `end`, exclusive, or to the end of the file. Use it for short ranges. */
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
   * Returns the buffered bytes from an offset for fast scans: at least two, unless the file ends before. The result is valid
   * until the next call.
   */
  view(place: number): Buffer {
    if (this.#hold(place) === 1 && this.#end < this.length) this.#move(place)
    return this.#window.subarray(Math.min(place, this.#end) - this.#start, this.#end - this.#start)
  }

  copy(start: number, end: number, to: number): void {
    for (let at = start; at < end && this.#hold(at) > 0; at = Math.min(end, this.#end)) {
      writeSync(to, this.#window, at - this.#start, Math.min(end, this.#end) - at)
    }
  }

  /** Moves the window to an offset if necessary and returns the number of buffered bytes from there. */
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
