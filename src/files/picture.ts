import pLimit from 'p-limit'
import sharp from 'sharp'

import { UPLOAD_BYTES_MAX } from '../http/uploads.ts'

/** Other loaders of libvips (SVG, PDF, TIFF and many more) are never reached, whatever the bytes say that they are. */
sharp.block({ operation: ['VipsForeignLoad'] })
sharp.unblock({ operation: ['VipsForeignLoadJpegFile', 'VipsForeignLoadPngFile', 'VipsForeignLoadNsgifFile'] })
// Many small requests beside one large picture: each picture has one thread, and few are decoded at one moment.
sharp.concurrency(1)
sharp.cache(false)

/** Of a whole file, as it comes. */
export const PICTURE_BYTES_MAX = UPLOAD_BYTES_MAX
/** Of all frames together, before anything is decoded: a picture of phones has up to 50 million, a bomb billions. */
export const PICTURE_PIXELS_MAX = 64_000_000
const DECODING_MAX_S = 30
const AT_ONCE = 2

const kinds = {
  jpeg: { contentType: 'image/jpeg', extension: 'jpg' },
  png: { contentType: 'image/png', extension: 'png' },
  gif: { contentType: 'image/gif', extension: 'gif' },
} as const

export interface Picture {
  readonly contentType: 'image/jpeg' | 'image/png' | 'image/gif'
  readonly extension: 'jpg' | 'png' | 'gif'
  /** In pixels, upright. */
  readonly width: number
  readonly height: number
  readonly bytes: number
}

/** Why a file is no picture that is taken, in words that follow the name of a field. */
export class PictureRefused extends Error {
  override name = 'PictureRefused'
}

const turn = pLimit(AT_ONCE)

/**
 * Writes the picture of the file `from` upright to the file `to`, of the same kind and with all frames of a GIF, and nothing but the
 * picture: it is decoded and encoded again, so that no metadata, thumbnail, comment or hidden appendix can come along.
 * @throws PictureRefused when the content is no PNG, JPEG or GIF, is damaged, or has too many pixels
 */
export function cleanPicture(from: string, to: string): Promise<Picture> {
  return turn(async () => {
    const kind = await kindOf(from)
    const { width, height, size } = await decoding(open(from)[kind](options[kind]).toFile(to))
    const frames = kind === 'gif' ? ((await sharp(to, { animated: true }).metadata()).pages ?? 1) : 1
    return { ...kinds[kind], width, height: height / frames, bytes: size }
  })
}

/**
 * Writes a smaller picture as JPEG: it covers `width` × `height` pixels, cut in the middle; without `height` it keeps its shape and is
 * never enlarged. The first frame stands for a GIF, white for what is transparent.
 */
export function shrinkPicture(from: string, to: string, { width, height }: { width: number; height?: number }): Promise<void> {
  return turn(async () => {
    const small = sharp(from, { limitInputPixels: PICTURE_PIXELS_MAX, autoOrient: true }).timeout({ seconds: DECODING_MAX_S })
    const size = height === undefined ? { width, withoutEnlargement: true } : { width, height, fit: 'cover' as const }
    await decoding(small.resize(size).flatten({ background: '#fff' }).jpeg(options.jpeg).toFile(to))
  })
}

const options = {
  jpeg: { quality: 88 },
  png: { compressionLevel: 9 },
  gif: { reuse: true },
} as const

const open = (from: string) =>
  sharp(from, { limitInputPixels: PICTURE_PIXELS_MAX, animated: true, autoOrient: true }).timeout({ seconds: DECODING_MAX_S })

/**
 * Looks at what a file says that it is, which costs next to nothing.
 * @throws PictureRefused when it is no PNG, JPEG or GIF or has too many pixels; a damaged one is known only when it is cleaned
 */
export async function refuseNoPicture(from: string): Promise<void> {
  await kindOf(from)
}

/** By content and size, before a pixel is decoded. */
async function kindOf(from: string): Promise<keyof typeof kinds> {
  const { format, width, height } = await sharp(from, { animated: true, limitInputPixels: false })
    .metadata()
    .catch((error: Error) => {
      throw new PictureRefused('must be a PNG, JPEG or GIF picture', { cause: error })
    })
  if (!isKind(format)) throw new PictureRefused('must be a PNG, JPEG or GIF picture')
  // The frames of a GIF stand in one column.
  if (width * height > PICTURE_PIXELS_MAX) {
    throw new PictureRefused(`must not have more than ${PICTURE_PIXELS_MAX / 1e6} million pixels, all frames together`)
  }
  return format
}

const isKind = (format: string): format is keyof typeof kinds => Object.hasOwn(kinds, format)

function decoding<Result>(work: Promise<Result>): Promise<Result> {
  return work.catch((error: Error) => {
    throw new PictureRefused('is damaged or takes too long to read', { cause: error })
  })
}
