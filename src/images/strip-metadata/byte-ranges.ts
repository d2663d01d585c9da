import { writeFileSync } from 'node:fs'

import { text } from '../../locales/texts.ts'
import type { FileBytes } from './file-bytes.ts'
import { ImageRefused } from './image-refused.ts'

/** Limit of a colour profile: cameras write some kilobytes, print profiles have up to 3 MB. */
export const COLOUR_PROFILE_MAX = 4 * 1024 * 1024
/** Limit of the EXIF data, which is copied for the orientation. */
export const EXIF_MAX = 65_536

export class ByteRangeWriter {
  readonly #source: FileBytes
  readonly #to: number

  /** @param to a file descriptor that stays open while this object is used */
  constructor(source: FileBytes, to: number) {
    this.#source = source
    this.#to = to
  }

  copy(start: number, end: number): void {
    this.#source.copy(start, end, this.#to)
  }

  write(bytes: Buffer): void {
    // Unlike writeSync it fails rather than write a part on a nearly full disk.
    writeFileSync(this.#to, bytes)
  }
}

export const damagedImage = (cause?: unknown) => new ImageRefused(text('picture_damaged'), { cause })
