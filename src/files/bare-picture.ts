import { readFile } from 'node:fs/promises'

import { bareGif, type GifBounds } from './bare-gif.ts'
import { bareJpeg } from './bare-jpeg.ts'
import { barePng } from './bare-png.ts'
import { PictureRefused } from './picture-refused.ts'

export type PictureKind = 'jpeg' | 'png' | 'gif'

interface BarePicture {
  readonly kind: PictureKind
  readonly bytes: Buffer
}

const beginnings: readonly (readonly [PictureKind, string])[] = [
  ['jpeg', '\xff\xd8\xff'],
  ['png', '\x89PNG\r\n\x1a\n'],
  ['gif', 'GIF87a'],
  ['gif', 'GIF89a'],
]

/**
 * Reads a picture without what it does not need, so that no library ever meets texts that unpack to gigabytes, or a million comments.
 * The whole file is in memory, 20 MB at most; whoever calls it bounds how many.
 * @throws PictureRefused when the content is no PNG, JPEG or GIF, breaks off, or has more parts than a picture can need
 */
export async function barePicture(path: string, bounds: GifBounds): Promise<BarePicture> {
  const bytes = await readFile(path)
  const [kind] = beginnings.find(([, begin]) => bytes.toString('latin1', 0, begin.length) === begin) ?? []
  if (!kind) throw new PictureRefused('must be a PNG, JPEG or GIF picture')
  if (kind === 'jpeg') return { kind, bytes: bareJpeg(bytes) }
  return { kind, bytes: kind === 'png' ? barePng(bytes) : bareGif(bytes, bounds) }
}
