import { open } from 'node:fs/promises'

import { bareGif, type GifBounds } from './gif.ts'
import { bareJpeg } from './jpeg.ts'
import { barePng } from './png.ts'
import { FileBytes } from './file-bytes.ts'
import { KeptParts } from './byte-ranges.ts'
import { PictureRefused } from './picture-refused.ts'
import { text } from '../../errors/texts/text.ts'

export type PictureKind = 'jpeg' | 'png' | 'gif'

const BEGINNING_BYTES = 8
const beginnings: readonly (readonly [PictureKind, string])[] = [
  ['jpeg', '\xff\xd8\xff'],
  ['png', '\x89PNG\r\n\x1a\n'],
  ['gif', 'GIF87a'],
  ['gif', 'GIF89a'],
]

/**
 * Writes a picture without metadata, so that no library has to decompress huge texts or parse a million comments. The file is
 * never completely in memory.
 * @throws PictureRefused if the content is no PNG, JPEG or GIF, is truncated, or has too many parts
 */
export async function barePicture(from: string, to: string, bounds: GifBounds): Promise<PictureKind> {
  await using source = await open(from)
  await using target = await open(to, 'w')
  const bytes = new FileBytes(source.fd)
  const kept = new KeptParts(bytes, target.fd)
  const head = bytes.part(0, BEGINNING_BYTES).toString('latin1')
  const [kind] = beginnings.find(([, begin]) => head.startsWith(begin)) ?? []
  if (!kind) throw new PictureRefused(text('must_be', { allowed: text('picture') }))
  if (kind === 'jpeg') bareJpeg(bytes, kept)
  else if (kind === 'png') barePng(bytes, kept)
  else bareGif(bytes, kept, bounds)
  return kind
}
