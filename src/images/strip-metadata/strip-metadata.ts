import { readFile, writeFile } from 'node:fs/promises'

import type { StrippedFormat } from './detect-format.ts'
import { stripGifMetadata, type GifLimits } from './gif.ts'
import { stripJpegMetadata } from './jpeg.ts'
import { stripPngMetadata } from './png.ts'
import { stripWebpMetadata } from './webp.ts'

const stripByFormat: Readonly<Record<StrippedFormat, (bytes: Buffer, limits: GifLimits) => Buffer[]>> = {
  gif: stripGifMetadata,
  jpeg: stripJpegMetadata,
  png: stripPngMetadata,
  webp: stripWebpMetadata,
}

/**
 * Writes an image without metadata, so that no library has to decompress huge texts or parse a million comments. The file is read whole: an upload
 * has at most 20 MB, and few pictures are cleaned at a time.
 * @throws ImageRefused if the content is truncated or has too many parts
 */
export async function stripMetadata(from: string, to: string, format: StrippedFormat, limits: GifLimits): Promise<void> {
  const parts = stripByFormat[format](await readFile(from), limits)
  await writeFile(to, Buffer.concat(parts))
}
