import { rm } from 'node:fs/promises'
import sharp from 'sharp'

import { limitConcurrency } from '../http/request/concurrency-limit.ts'
import { UPLOAD_BYTES_MAX } from '../http/request/upload.ts'
import { barePicture, type PictureKind } from './strip-metadata/picture.ts'
import { damaged } from './strip-metadata/byte-ranges.ts'
import { PictureRefused } from './strip-metadata/picture-refused.ts'

export { PictureRefused }

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
const DECODING_MAX_S = 15
/** Reading a head and cleaning alike. Whoever has waited for half a minute would rather try again than wait for ever. */
const PICTURES = { atOnce: 2, waitingMax: 40, waitMaxMs: 30_000 }

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

const onePicture = limitConcurrency(PICTURES)

/**
 * Writes the picture of the file `from` upright to the file `to`, of the same kind and with all frames of a GIF, and nothing but the
 * picture: it is decoded and encoded again, so that no metadata, thumbnail, comment or hidden appendix can come along.
 * @throws PictureRefused when the content is no PNG, JPEG or GIF, is damaged, or has too many pixels or frames
 * @throws Problem 503 when too many wait
 */
export function cleanPicture(from: string, to: string): Promise<Picture> {
  return onePicture(async () => {
    const bare = `${from}-bare`
    try {
      const { kind, frames } = await readHead(from, bare)
      const whole = sharp(bare, { limitInputPixels: PICTURE_PIXELS_MAX, animated: true, autoOrient: true })
      const written = await decoding(whole.timeout({ seconds: DECODING_MAX_S })[kind](options[kind]).toFile(to))
      // The encoder may merge frames that are alike, but it stacks none: before that, all of them stood in one column.
      return { ...kinds[kind], width: written.width, height: written.height / frames, bytes: written.size }
    } finally {
      await rm(bare, { force: true })
    }
  })
}

/**
 * Writes a smaller picture as JPEG: it covers `width` × `height` pixels, cut in the middle; without `height` it keeps its shape and is
 * never enlarged. The first frame stands for a GIF, white for what is transparent.
 */
export function shrinkPicture(from: string, to: string, { width, height }: { width: number; height?: number }): Promise<void> {
  return onePicture(async () => {
    const small = sharp(from, { limitInputPixels: PICTURE_PIXELS_MAX, autoOrient: true }).timeout({ seconds: DECODING_MAX_S })
    const size = height === undefined ? { width, withoutEnlargement: true } : { width, height, fit: 'cover' as const }
    await decoding(small.resize(size).flatten({ background: '#fff' }).jpeg(options.jpeg).toFile(to))
  })
}

const options = {
  jpeg: { quality: 88 },
  png: { compressionLevel: 6 },
  gif: { reuse: true },
} as const

const tooManyPixels = () =>
  new PictureRefused(`must not have more than ${PICTURE_PIXELS_MAX / 1e6} million pixels, all frames together`)

/** By content and size, before a pixel is decoded; what of the file is the picture is in `bare` then. */
async function readHead(from: string, bare: string): Promise<{ kind: PictureKind; frames: number }> {
  const kind = await barePicture(from, bare, { pixelsMax: PICTURE_PIXELS_MAX, tooManyPixels })
  const { width, height, pages } = await decoding(sharp(bare, { animated: true, limitInputPixels: false }).metadata())
  // The frames of a GIF stand in one column.
  if (width * height > PICTURE_PIXELS_MAX) throw tooManyPixels()
  return { kind, frames: pages ?? 1 }
}

function decoding<Result>(work: Promise<Result>): Promise<Result> {
  return work.catch((error: Error) => {
    throw damaged(error)
  })
}
