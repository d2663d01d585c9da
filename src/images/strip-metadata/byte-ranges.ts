import { writeSync } from 'node:fs'

import type { FileBytes } from './file-bytes.ts'
import { PictureRefused } from './picture-refused.ts'

/** The colours of a camera take some kilobytes, those of a printing press up to 3 MB. */
export const COLOUR_PROFILE_MAX = 4 * 1024 * 1024
/** Of all that says which way up a picture is. */
export const EXIF_MAX = 65_536

/** Writes the parts of a file that are kept one after the other to another file. */
export class KeptParts {
  readonly #bytes: FileBytes
  readonly #to: number

  /** @param to a descriptor that stays open for as long as this is used */
  constructor(bytes: FileBytes, to: number) {
    this.#bytes = bytes
    this.#to = to
  }

  /** The bytes from `start` up to, but not with, `end`. */
  keep(start: number, end: number): void {
    this.#bytes.copy(start, end, this.#to)
  }

  /** A copy of a part that was read. */
  add(part: Buffer): void {
    writeSync(this.#to, part)
  }
}

export const damaged = (cause?: unknown) => new PictureRefused('is damaged or takes too long to read', { cause })
