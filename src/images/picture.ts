import { rm } from 'node:fs/promises'
import sharp from 'sharp'

import { limitConcurrency } from '../http/request/concurrency-limit.ts'
import { UPLOAD_BYTES_MAX } from '../http/request/upload.ts'
import { stripMetadata, type PictureFormat } from './strip-metadata/picture.ts'
import { damagedPicture } from './strip-metadata/byte-ranges.ts'
import { PictureRefused } from './strip-metadata/picture-refused.ts'
import { text } from '../errors/texts/text.ts'

export { PictureRefused }

/** The other loaders of libvips (SVG, PDF, TIFF and more) are blocked, whatever the content is. */
sharp.block({ operation: ['VipsForeignLoad'] })
sharp.unblock({ operation: ['VipsForeignLoadJpegFile', 'VipsForeignLoadPngFile', 'VipsForeignLoadNsgifFile'] })
// One thread per picture, because many small requests run concurrently with a large picture.
sharp.concurrency(1)
sharp.cache(false)

export const PICTURE_BYTES_MAX = UPLOAD_BYTES_MAX
/** Limit of the pixels of all frames, checked before decoding: phones produce up to 50 million, decompression bombs billions. */
export const PICTURE_PIXELS_MAX = 64_000_000
const DECODING_MAX_S = 15
/** Limits for reading headers and re-encoding; a request that has waited for half a minute fails. */
const CONCURRENCY_LIMITS = { concurrency: 2, queueMax: 40, waitMaxMs: 30_000 }

const formats = {
  jpeg: { contentType: 'image/jpeg', extension: 'jpg' },
  png: { contentType: 'image/png', extension: 'png' },
  gif: { contentType: 'image/gif', extension: 'gif' },
} as const

export interface Picture {
  readonly contentType: 'image/jpeg' | 'image/png' | 'image/gif'
  readonly extension: 'jpg' | 'png' | 'gif'
  /** Width in pixels, after rotation to upright. */
  readonly width: number
  readonly height: number
  readonly bytes: number
}

const limitPictures = limitConcurrency(CONCURRENCY_LIMITS)

/**
 * Re-encodes a picture upright, with all frames of a GIF. Decoding and encoding removes all metadata and appended data.
 * @throws PictureRefused if the content is no PNG, JPEG or GIF, is damaged, or has too many pixels or frames
 * @throws Problem 503 if too many pictures are queued
 */
export function cleanPicture(from: string, to: string): Promise<Picture> {
  return limitPictures(async () => {
    const stripped = `${from}-stripped`
    try {
      const { format, frames } = await checkAndStrip(from, stripped)
      const source = sharp(stripped, { limitInputPixels: PICTURE_PIXELS_MAX, animated: true, autoOrient: true })
      const written = await decode(source.timeout({ seconds: DECODING_MAX_S })[format](encoderOptions[format]).toFile(to))
      // The encoder may merge equal frames, so the height comes from the frames of the input, which libvips stacks vertically.
      return { ...formats[format], width: written.width, height: written.height / frames, bytes: written.size }
    } finally {
      await rm(stripped, { force: true })
    }
  })
}

/**
 * Writes a smaller JPEG that covers `width` × `height` pixels and is cropped at the centre; without `height` it keeps its
 * aspect ratio and is never enlarged. A GIF is reduced to its first frame, and transparency becomes white.
 */
export function shrinkPicture(from: string, to: string, { width, height }: { width: number; height?: number }): Promise<void> {
  return limitPictures(async () => {
    const small = sharp(from, { limitInputPixels: PICTURE_PIXELS_MAX, autoOrient: true }).timeout({ seconds: DECODING_MAX_S })
    const size = height === undefined ? { width, withoutEnlargement: true } : { width, height, fit: 'cover' as const }
    await decode(small.resize(size).flatten({ background: '#fff' }).jpeg(encoderOptions.jpeg).toFile(to))
  })
}

const encoderOptions = {
  jpeg: { quality: 88 },
  png: { compressionLevel: 6 },
  gif: { reuse: true },
} as const

const tooManyPixels = () => new PictureRefused(text('picture_too_large', { max: PICTURE_PIXELS_MAX / 1e6 }))

/** Checks format and size before any pixel is decoded, and writes the picture without metadata to `stripped`. */
async function checkAndStrip(from: string, stripped: string): Promise<{ format: PictureFormat; frames: number }> {
  const format = await stripMetadata(from, stripped, { pixelsMax: PICTURE_PIXELS_MAX, tooManyPixels })
  const { width, height, pages } = await decode(sharp(stripped, { animated: true, limitInputPixels: false }).metadata())
  if (width * height > PICTURE_PIXELS_MAX) throw tooManyPixels()
  return { format, frames: pages ?? 1 }
}

function decode<Result>(work: Promise<Result>): Promise<Result> {
  return work.catch((error: Error) => {
    throw damagedPicture(error)
  })
}
