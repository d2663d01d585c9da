import { writeSync } from 'node:fs'

import type { FileBytes } from './file-bytes.ts'
import { PictureRefused } from './picture-refused.ts'
import { text } from '../../errors/texts/text.ts'

/** Limit of a colour profile: cameras write some kilobytes, print profiles have up to 3 MB. */
export const COLOUR_PROFILE_MAX = 4 * 1024 * 1024
/** Limit of the EXIF data, which is kept for the orientation. */
export const EXIF_MAX = 65_536

/** Writes byte ranges of one file to another file in sequence. */
export class KeptParts {
  readonly #bytes: FileBytes
  readonly #to: number

  /** @param to a file descriptor that stays open while this object is used */
  constructor(bytes: FileBytes, to: number) {
    this.#bytes = bytes
    this.#to = to
  }

  keep(start: number, end: number): void {
    this.#bytes.copy(start, end, this.#to)
  }

  add(part: Buffer): void {
    writeSync(this.#to, part)
  }
}

export const damaged = (cause?: unknown) => new PictureRefused(text('picture_damaged'), { cause })
