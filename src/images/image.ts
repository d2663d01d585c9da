import { rm, stat } from 'node:fs/promises'
import sharp, { type Sharp } from 'sharp'

import { text } from '../locales/texts.ts'
import { isDiskFull } from '../errors/resource-exhaustion.ts'
import { type Limiter, limitConcurrency } from '../http/request/request-limit.ts'
import { detectFormat } from './strip-metadata/detect-format.ts'
import { decodeHeic } from './heic/decode-heic.ts'
import { stripMetadata } from './strip-metadata/strip-metadata.ts'
import { damagedImage, ImageRefused } from './strip-metadata/image-refused.ts'

export { ImageRefused }

/** The other loaders of libvips (SVG, PDF, TIFF and more) are blocked, whatever the content is. */
sharp.block({ operation: ['VipsForeignLoad'] })
sharp.unblock({
  operation: ['VipsForeignLoadJpegFile', 'VipsForeignLoadPngFile', 'VipsForeignLoadNsgifFile', 'VipsForeignLoadWebpFile'],
})
// One thread per image, because many small requests run concurrently with a large image.
sharp.concurrency(1)
sharp.cache(false)

/** Limit of the pixels of all frames, checked before decoding: phones produce up to 50 million, decompression bombs billions. */
export const IMAGE_PIXELS_MAX = 64_000_000
const tooManyPixels = () => new ImageRefused(text('picture_too_large', { max: IMAGE_PIXELS_MAX / 1e6 }))
/** A plain area needs hardly any bytes, and as much processor time as a photo. Photos of 12 million pixels had up to 21 pixels per byte. */
const PIXELS_PER_BYTE_MAX = 100
const PIXELS_OF_ANY_FILE = 4_000_000
/** The memory of the decoder grows with the pixels. */
const HEIC_PIXELS_MAX = 25_000_000
/** Limit of the decoded bytes, 1 to 8 for a pixel: 64 million pixels without transparency. */
const DECODED_BYTES_MAX = 192_000_000
/** Memory of kinds that the decoder holds whole, as a multiple of their decoded bytes. */
const HELD_FACTOR = 3
/** Larger pictures are decoded one at a time. A phone's picture of 12 million pixels is below it. */
const SMALL_BYTES_MAX = 40_000_000
const tooManyPixelsForFile = (pixelsMax: number) =>
  new ImageRefused(text('picture_too_large_for_file', { max: Math.floor(pixelsMax / 1e6) }))
const tooManyPixelsForKind = (pixelsMax: number) =>
  new ImageRefused(text('picture_too_large_for_kind', { max: Math.floor(pixelsMax / 1e6) }))
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
const limitLargeImages = limitConcurrency({ ...CONCURRENCY_LIMITS, concurrency: 1 })

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
    const format = source === 'webp' || source === 'heic' ? 'jpeg' : source
    const limits = { bytesMax: Math.max(GROWTH_BYTES_MIN, GROWTH_MAX * size) }
    if (source === 'heic') {
      const heicMax = Math.min(HEIC_PIXELS_MAX, pixelsMax)
      const decode = () => decodeHeic(from, plain, { pixelsMax: heicMax, tooManyPixels: () => tooManyPixelsForFile(heicMax) })
      const encode = async () => reencode(plain, to, format, { ...limits, frames: 1 })
      return await limitLargeImages(() => limitImages(() => timed(async () => decode().then(encode))))
    }
    const { frames, colours, decodedBytes } = await limitImages(() =>
      timed(async () => {
        await stripMetadata(from, plain, source, PIXEL_LIMITS)
        return checkSize(plain, pixelsMax)
      }),
    )
    const encode = () => limitImages(() => timed(() => reencode(plain, to, format, { ...limits, frames, colours })))
    return await (decodedBytes > SMALL_BYTES_MAX ? limitLargeImages(encode) : encode())
  } finally {
    await rm(plain, { force: true })
  }
}

interface EncodingLimits {
  readonly frames: number
  readonly bytesMax: number
  /** The value is undefined for more than 256 colours. */
  readonly colours?: number | undefined
}

/** Encodes with less quality, then with fewer pixels, until the file has at most `bytesMax`. */
async function reencode(from: string, to: string, format: keyof typeof formats, limits: EncodingLimits): Promise<Image> {
  const { frames, bytesMax, colours } = limits
  let encoding: Encoding = {}
  for (let count = 1; count <= ENCODINGS_MAX; count++) {
    const source = sharp(from, { limitInputPixels: IMAGE_PIXELS_MAX, animated: true, autoOrient: true })
    if (encoding.width !== undefined) source.resize({ width: encoding.width })
    const image = await encodeImage(source, to, format, encoding)
    // The encoder may merge equal frames, so the height comes from the frames of the input, which libvips stacks vertically.
    if (image.bytes <= bytesMax) return { ...image, height: Math.round(image.height / frames) }
    encoding = smallerEncoding(format, encoding, { width: image.width, share: bytesMax / image.bytes, colours })
  }
  throw damagedImage()
}

type PngOptions =
  | { readonly compressionLevel: number; readonly adaptiveFiltering: boolean }
  | { readonly palette: true; readonly dither: 0; readonly colours: number }

interface Encoding {
  readonly options?: { readonly quality: number } | PngOptions
  readonly width?: number
}

/** The first change costs no pixels, except for a GIF. `share` is the part of the bytes that the file may have. */
function smallerEncoding(
  format: keyof typeof formats,
  { options }: Encoding,
  { width, share, colours }: { readonly width: number; readonly share: number; readonly colours: number | undefined },
): Encoding {
  const { quality } = encoderOptions.jpeg
  if (!options && format === 'jpeg') return { options: { quality: Math.max(QUALITY_MIN, Math.floor(quality * share)) } }
  if (!options && format === 'png') return { options: colours === undefined ? FILTERED_PNG : { palette: true, dither: 0, colours } }
  // The bytes grow with the square of the width; a tenth less allows for finer detail.
  return { ...(options ? { options } : {}), width: Math.max(1, Math.floor(0.9 * width * Math.sqrt(share))) }
}

/** Call it within `limitImages`. In a JPEG, transparency becomes white. @throws ImageRefused */
export async function encodeImage(
  source: Sharp,
  to: string,
  format: keyof typeof formats,
  { options }: Pick<Encoding, 'options'> = {},
): Promise<Image> {
  if (format === 'jpeg') source.flatten({ background: '#fff' })
  const encoder = { ...encoderOptions[format], ...options }
  const written = await decodeImage(source.timeout({ seconds: DECODING_MAX_S })[format](encoder).toFile(to))
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

/** A stored picture has at most a fifth more bytes than the upload. Below 16 kB, headers and tables may be most of a file. */
const GROWTH_MAX = 1.2
const GROWTH_BYTES_MIN = 16_000
/** Three are usual at most. */
const ENCODINGS_MAX = 6
/** Below this quality, blocks show, and fewer pixels look better. */
const QUALITY_MIN = 60
/** Slow, but small for photos. */
const FILTERED_PNG = { compressionLevel: 6, adaptiveFiltering: true }

const encoderOptions = {
  // Optimised tables save a twentieth of the bytes, but hold all coefficients: 64 million pixels took 410 MB instead of 50.
  jpeg: { quality: 88, optimiseCoding: false },
  png: { compressionLevel: 6 },
  gif: { reuse: true },
} as const

interface CheckedSize extends Pick<EncodingLimits, 'frames' | 'colours'> {
  readonly decodedBytes: number
}

/** Checks the size before any pixel is decoded. */
async function checkSize(path: string, pixelsMax: number): Promise<CheckedSize> {
  const header = await decodeImage(sharp(path, { animated: true, limitInputPixels: false }).metadata())
  const { width, height, channels, depth, format, isProgressive, isPalette, bitsPerSample = 8, pages = 1 } = header
  const pixels = width * height
  if (pixels > IMAGE_PIXELS_MAX) throw tooManyPixels()
  if (pixels > pixelsMax) throw tooManyPixelsForFile(pixelsMax)
  const isHeld = isProgressive || format === 'webp'
  const bytesPerPixel = channels * (depth === 'ushort' ? 2 : 1) * (isHeld ? HELD_FACTOR : 1)
  const decodedBytes = pixels * bytesPerPixel
  if (decodedBytes > DECODED_BYTES_MAX) throw tooManyPixelsForKind(DECODED_BYTES_MAX / bytesPerPixel)
  const colours = isPalette || bitsPerSample < 8 ? 2 ** Math.min(8, bitsPerSample) : undefined
  return { frames: pages, colours, decodedBytes }
}

/** Turns an error of the decoder into the refusal of the image. An encoder that finds the disk full fails as it is. */
export function decodeImage<Result>(work: Promise<Result>): Promise<Result> {
  return work.catch((error: Error) => {
    throw isDiskFull(error) ? error : damagedImage(error)
  })
}
