import { fstatSync, readSync, writeFileSync } from 'node:fs'

const WINDOW_BYTES = 65_536

/** Reads an open file by offset through a window, synchronously, because a promise per byte is slow. */
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

  at(offset: number): number | undefined {
    return this.#ensureBuffered(offset) > 0 ? this.#window[offset - this.#start] : undefined
  }

  /** Returns a copy of the bytes from `start` to `end`, exclusive, or to the end of the file. Use it for short ranges. */
  slice(start: number, end: number): Buffer {
    const slice = Buffer.alloc(Math.max(0, Math.min(end, this.length) - start))
    for (let offset = 0; offset < slice.length;) {
      const buffered = this.#ensureBuffered(start + offset)
      if (buffered === 0) return slice.subarray(0, offset)
      offset += this.#window.copy(
        slice,
        offset,
        start + offset - this.#start,
        Math.min(this.#end, start + slice.length) - this.#start,
      )
    }
    return slice
  }

  /** Returns at least two buffered bytes from an offset, unless the file ends before. Valid until the next call. */
  view(offset: number): Buffer {
    if (this.#ensureBuffered(offset) === 1 && this.#end < this.length) this.#moveWindow(offset)
    return this.#window.subarray(Math.min(offset, this.#end) - this.#start, this.#end - this.#start)
  }

  copy(start: number, end: number, to: number): void {
    for (let offset = start; offset < end && this.#ensureBuffered(offset) > 0; offset = Math.min(end, this.#end)) {
      writeFileSync(to, this.#window.subarray(offset - this.#start, Math.min(end, this.#end) - this.#start))
    }
  }

  #ensureBuffered(offset: number): number {
    if (offset >= this.#start && offset < this.#end) return this.#end - offset
    if (offset < 0 || offset >= this.length) return 0
    return this.#moveWindow(offset)
  }

  #moveWindow(offset: number): number {
    const read = readSync(this.#file, this.#window, 0, WINDOW_BYTES, offset)
    this.#start = offset
    this.#end = offset + read
    return read
  }
}
