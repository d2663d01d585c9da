import { PictureRefused } from './picture-refused.ts'

/** The colours of a camera take some kilobytes, those of a printing press up to 3 MB. */
export const COLOUR_PROFILE_MAX = 4 * 1024 * 1024
/** Of all that says which way up a picture is. */
export const EXIF_MAX = 65_536

/** Draws the parts of a file together that are kept, in its own memory: they never overtake what is still to be read. */
export class KeptParts {
  readonly #bytes: Buffer
  #length = 0

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  /** The bytes from `start` up to, but not with, `end`, which lie behind all that was kept before. */
  keep(start: number, end: number): void {
    if (start !== this.#length) this.#bytes.copyWithin(this.#length, start, end)
    this.#length += end - start
  }

  /** A copy of a part that was read, where others are kept before it. */
  add(part: Buffer): void {
    this.#length += part.copy(this.#bytes, this.#length)
  }

  get bytes(): Buffer {
    return this.#bytes.subarray(0, this.#length)
  }
}

export const damaged = (cause?: unknown) => new PictureRefused('is damaged or takes too long to read', { cause })
