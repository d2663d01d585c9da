import { rm, stat } from 'node:fs/promises'
import sharp, { type Sharp } from 'sharp'

import { isDiskFull } from '../errors/resource-exhaustion.ts'
import { type Limiter, limitConcurrency } from '../http/request/concurrency-limit.ts'
import { UPLOAD_BYTES_MAX } from '../http/request/upload.ts'
import { detectFormat } from './strip-metadata/detect-format.ts'
import { decodeHeic } from './heic/decode-heic.ts'
import { stripMetadata } from './strip-metadata/strip-metadata.ts'
import { damagedImage } from './strip-metadata/byte-ranges.ts'
import { ImageRefused } from './strip-metadata/image-refused.ts'
import { text } from '../errors/texts/text.ts'

export { ImageRefused }

/** The other loaders of libvips (SVG, PDF, TIFF and more) are blocked, whatever the content is. */
sharp.block({ operation: ['VipsForeignLoad'] })
sharp.unblock({
  operation: ['VipsForeignLoadJpegFile', 'VipsForeignLoadPngFile', 'VipsForeignLoadNsgifFile', 'VipsForeignLoadWebpFile'],
})
// One thread per image, because many small requests run concurrently with a large image.
sharp.concurrency(1)
sharp.cache(false)

export const IMAGE_BYTES_MAX = UPLOAD_BYTES_MAX
/** Limit of the pixels of all frames, checked before decoding: phones produce up to 50 million, decompression bombs billions. */
export const IMAGE_PIXELS_MAX = 64_000_000
const tooManyPixels = () => new ImageRefused(text('picture_too_large', { max: IMAGE_PIXELS_MAX / 1e6 }))
/** A plain area needs hardly any bytes, and as much processor time as a photo. */
const PIXELS_PER_BYTE_MAX = 200
const PIXELS_OF_ANY_FILE = 4_000_000
/** The memory of the decoder grows with the pixels. */
const HEIC_PIXELS_MAX = 50_000_000
const tooManyPixelsForFile = (pixelsMax: number) =>
  new ImageRefused(text('picture_too_large_for_file', { max: Math.floor(pixelsMax / 1e6) }))
const PIXEL_LIMITS = { pixelsMax: IMAGE_PIXELS_MAX, tooManyPixels }
const DECODING_MAX_S = 15
/** Limits for reading headers and re-encoding; a request that has waited for half a minute fails. */
const CONCURRENCY_LIMITS = { concurrency: 2, queueMax: 40, waitMaxMs: 30_000 }

const formats = {
  jpeg: { contentType: 'image/jpeg', extension: 'jpg' },
  png: { contentType: 'image/png', extension: 'png' },
  gif: { contentType: 'image/gif', extension: 'gif' },
} as const

export interface Image {
  readonly contentType: 'image/jpeg' | 'image/png' | 'image/gif'
  readonly extension: 'jpg' | 'png' | 'gif'
  /** Width in pixels, after rotation to upright. */
  readonly width: number
  readonly height: number
  readonly bytes: number
}

interface CleanOptions {
  /** Runs the parts that take processor time, in a slot of the queue. */
  readonly timed?: Limiter
  /** A clean picture may have more pixels for its bytes than an upload. */
  readonly isStored?: boolean
}

export const limitImages = limitConcurrency(CONCURRENCY_LIMITS)

/**
 * Re-encodes an image upright, with all frames of a GIF; WebP and HEIC become a JPEG. Decoding and encoding removes all metadata and
 * appended data.
 * @throws ImageRefused if the content has no accepted format, is damaged, or has too many pixels or frames
 * @throws Problem 503 if too many images are queued
 */
export async function cleanImage(
  from: string,
  to: string,
  { timed = (work) => work(), isStored = false }: CleanOptions = {},
): Promise<Image> {
  const plain = `${from}-plain`
  try {
    const source = await detectFormat(from)
    const { size } = await stat(from)
    const pixelsMax = isStored ? IMAGE_PIXELS_MAX : Math.min(IMAGE_PIXELS_MAX, PIXELS_OF_ANY_FILE + PIXELS_PER_BYTE_MAX * size)
    if (source === 'heic') {
      const heicMax = Math.min(HEIC_PIXELS_MAX, pixelsMax)
      await decodeHeic(from, plain, { pixelsMax: heicMax, tooManyPixels: () => tooManyPixelsForFile(heicMax), timed })
    }
    const encode = async () => {
      if (source !== 'heic') await stripMetadata(from, plain, source, PIXEL_LIMITS)
      const frames = await checkSize(plain, pixelsMax)
      return reencode(plain, to, source === 'webp' || source === 'heic' ? 'jpeg' : source, frames)
    }
    return await limitImages(() => timed(encode))
  } finally {
    await rm(plain, { force: true })
  }
}

async function reencode(from: string, to: string, format: keyof typeof formats, frames: number): Promise<Image> {
  const source = sharp(from, { limitInputPixels: IMAGE_PIXELS_MAX, animated: true, autoOrient: true })
  const image = await encodeImage(source, to, format)
  // The encoder may merge equal frames, so the height comes from the frames of the input, which libvips stacks vertically.
  return { ...image, height: image.height / frames }
}

/** Call it within `limitImages`. In a JPEG, transparency becomes white. @throws ImageRefused */
export async function encodeImage(source: Sharp, to: string, format: keyof typeof formats): Promise<Image> {
  if (format === 'jpeg') source.flatten({ background: '#fff' })
  const written = await decodeImage(source.timeout({ seconds: DECODING_MAX_S })[format](encoderOptions[format]).toFile(to))
  return { ...formats[format], width: written.width, height: written.height, bytes: written.size }
}

/** Sizes of the smaller images: for lists and avatars, and for cards. */
export const SQUARE = { width: 100, height: 100 }
export const REPRESENTATIVE = { width: 640 }

/**
 * Writes a smaller JPEG that covers `width` × `height` pixels and is cropped at the centre; without `height` it keeps its
 * aspect ratio and is never enlarged. A GIF is reduced to its first frame, and transparency becomes white.
 */
export function shrinkImage(from: string, to: string, { width, height }: { width: number; height?: number }): Promise<void> {
  return limitImages(async () => {
    const small = sharp(from, { limitInputPixels: IMAGE_PIXELS_MAX, autoOrient: true }).timeout({ seconds: DECODING_MAX_S })
    const size = height === undefined ? { width, withoutEnlargement: true } : { width, height, fit: 'cover' as const }
    await decodeImage(small.resize(size).flatten({ background: '#fff' }).jpeg(encoderOptions.jpeg).toFile(to))
  })
}

const encoderOptions = {
  jpeg: { quality: 88 },
  png: { compressionLevel: 6 },
  gif: { reuse: true },
} as const

/** Checks the size before any pixel is decoded, and returns the number of frames. */
async function checkSize(path: string, pixelsMax: number): Promise<number> {
  const { width, height, pages = 1 } = await decodeImage(sharp(path, { animated: true, limitInputPixels: false }).metadata())
  if (width * height > IMAGE_PIXELS_MAX) throw tooManyPixels()
  if (width * height > pixelsMax) throw tooManyPixelsForFile(pixelsMax)
  return pages
}

/** Turns an error of the decoder into the refusal of the image. An encoder that finds the disk full fails as it is. */
export function decodeImage<Result>(work: Promise<Result>): Promise<Result> {
  return work.catch((error: Error) => {
    throw isDiskFull(error) ? error : damagedImage(error)
  })
}
