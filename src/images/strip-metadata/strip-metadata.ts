import { open } from 'node:fs/promises'

import { stripGifMetadata, type GifLimits } from './gif.ts'
import { stripJpegMetadata } from './jpeg.ts'
import { stripPngMetadata } from './png.ts'
import { FileBytes } from './file-bytes.ts'
import { ByteRangeWriter } from './byte-ranges.ts'
import { ImageRefused } from './image-refused.ts'
import { text } from '../../errors/texts/text.ts'

export type ImageFormat = 'jpeg' | 'png' | 'gif'

const SIGNATURE_BYTES = 8
const signatures: readonly (readonly [ImageFormat, string])[] = [
  ['jpeg', '\xff\xd8\xff'],
  ['png', '\x89PNG\r\n\x1a\n'],
  ['gif', 'GIF87a'],
  ['gif', 'GIF89a'],
]

/**
 * Writes an image without metadata, so that no library has to decompress huge texts or parse a million comments.
 * @throws ImageRefused if the content is no PNG, JPEG or GIF, is truncated, or has too many parts
 */
export async function stripMetadata(from: string, to: string, limits: GifLimits): Promise<ImageFormat> {
  await using source = await open(from)
  await using target = await open(to, 'w')
  const bytes = new FileBytes(source.fd)
  const output = new ByteRangeWriter(bytes, target.fd)
  const head = bytes.slice(0, SIGNATURE_BYTES).toString('latin1')
  const [format] = signatures.find(([, signature]) => head.startsWith(signature)) ?? []
  if (!format) throw new ImageRefused(text('must_be', { allowed: text('picture') }))
  if (format === 'jpeg') stripJpegMetadata(bytes, output)
  else if (format === 'png') stripPngMetadata(bytes, output)
  else stripGifMetadata(bytes, output, limits)
  return format
}
