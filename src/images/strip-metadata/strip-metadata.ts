import { open } from 'node:fs/promises'

import type { StrippedFormat } from './detect-format.ts'
import { stripGifMetadata, type GifLimits } from './gif.ts'
import { stripJpegMetadata } from './jpeg.ts'
import { stripPngMetadata } from './png.ts'
import { stripWebpMetadata } from './webp.ts'
import { FileBytes } from './file-bytes.ts'
import { ByteRangeWriter } from './byte-ranges.ts'

/**
 * Writes an image without metadata, so that no library has to decompress huge texts or parse a million comments.
 * @throws ImageRefused if the content is truncated or has too many parts
 */
export async function stripMetadata(from: string, to: string, format: StrippedFormat, limits: GifLimits): Promise<void> {
  await using source = await open(from)
  await using target = await open(to, 'w')
  const bytes = new FileBytes(source.fd)
  const output = new ByteRangeWriter(bytes, target.fd)
  if (format === 'jpeg') stripJpegMetadata(bytes, output)
  else if (format === 'png') stripPngMetadata(bytes, output)
  else if (format === 'webp') stripWebpMetadata(bytes, output)
  else stripGifMetadata(bytes, output, limits)
}
