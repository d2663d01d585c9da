import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import sharp from 'sharp'
import { describe, expect, it } from 'vitest'

import { decodeHeic, type HeicLimits } from '../../src/images/heic/decode-heic.ts'
import { loadLibheif } from '../../src/images/heic/libheif.ts'
import { cleanImage } from '../../src/images/image.ts'
import { brandedHeic, hugeHeic, redAndBlue, turnedHeic } from '../helpers/heic.ts'
import { withRiffLength } from '../helpers/images.ts'
import { createTemporaryFolder } from '../helpers/temporary-folder.ts'

function upload(bytes: Buffer): string {
  const path = join(createTemporaryFolder(), 'upload')
  writeFileSync(path, bytes)
  return path
}

async function clean(bytes: Buffer) {
  const from = upload(bytes)
  return { image: await cleanImage(from, `${from}-clean`), path: `${from}-clean` }
}

const colourAt = async (path: string, left: number, top: number) =>
  [...(await sharp(path).extract({ left, top, width: 1, height: 1 }).raw().toBuffer())].map((value) => (value > 127 ? 255 : 0))
const RED = [255, 0, 0]
const BLUE = [0, 0, 255]

const drawn = (width: number, height: number, background: string) => sharp({ create: { width, height, channels: 4, background } })
const noisyWebp = () =>
  sharp({ create: { width: 99, height: 99, channels: 3, background: 'white', noise: { type: 'gaussian', mean: 99, sigma: 40 } } })
    .webp()
    .toBuffer()

describe('cleanImage of a HEIC', () => {
  it('writes a JPEG with its colours', async () => {
    const { image, path } = await clean(redAndBlue())

    expect(image).toEqual({ contentType: 'image/jpeg', extension: 'jpg', width: 60, height: 40, bytes: readFileSync(path).length })
    expect([await colourAt(path, 5, 20), await colourAt(path, 55, 20)]).toEqual([RED, BLUE])
  })

  it('rotates it upright', async () => {
    const { image, path } = await clean(turnedHeic())

    expect(image).toMatchObject({ width: 40, height: 60 })
    expect([await colourAt(path, 20, 5), await colourAt(path, 20, 55)]).toEqual([BLUE, RED])
  })

  it('decodes a HEIC with the general brand of HEIF', async () => {
    expect((await clean(brandedHeic('mif1'))).image).toMatchObject({ width: 60, height: 40 })
  })
})

describe('cleanImage of a WebP', () => {
  it('writes a JPEG on white', async () => {
    const { image, path } = await clean(await drawn(30, 20, '#0000').webp({ lossless: true }).toBuffer())

    expect(image).toMatchObject({ contentType: 'image/jpeg', extension: 'jpg', width: 30, height: 20 })
    expect(await colourAt(path, 5, 5)).toEqual([255, 255, 255])
  })

  it('rotates it upright', async () => {
    const lying = await drawn(30, 20, 'red').withMetadata({ orientation: 6 }).webp().toBuffer()

    expect((await clean(lying)).image).toMatchObject({ width: 20, height: 30 })
  })

  it('uses the first frame of an animation', async () => {
    const frames = await Promise.all(['red', 'blue'].map(async (colour) => upload(await drawn(20, 10, colour).png().toBuffer())))
    const moving = await sharp(frames, { join: { animated: true } })
      .webp({ delay: [100, 100] })
      .toBuffer()
    const { image, path } = await clean(moving)

    expect(await sharp(upload(moving)).metadata()).toMatchObject({ pages: 2 })
    expect(image).toMatchObject({ contentType: 'image/jpeg', width: 20, height: 10 })
    expect(await colourAt(path, 5, 5)).toEqual(RED)
  })
})

describe('cleanImage of a hostile HEIC or WebP', () => {
  const avif = () => drawn(9, 9, 'red').avif().toBuffer()
  const kind = 'must be a PNG, JPEG, GIF, WebP or HEIC picture'
  const damaged = 'is damaged or takes too long to read'
  const tooLarge = 'must not have more than 64 million pixels, all frames together'
  const tooLargeForFile = 'must not have more than 4 million pixels in a file of this size'
  /** The header of a lossless WebP has 14 bits for the width and 14 for the height. */
  async function hugeWebp() {
    const webp = await drawn(9, 9, 'red').webp({ lossless: true }).toBuffer()
    webp.writeUInt32LE(9_998 | (9_998 << 14), 21)
    return webp
  }
  const plainWebp = () => drawn(5_000, 5_000, 'red').webp({ lossless: true, effort: 0 }).toBuffer()
  const emptyWebp = () => withRiffLength(Buffer.from(`RIFF    WEBPVP8X\n${'\0'.repeat(13)}`, 'latin1'))

  it.each([
    ['an AVIF', avif, kind],
    ['a HEIF sequence', () => brandedHeic('hevc'), kind],
    ['a HEIF sequence with the general brand', () => brandedHeic('msf1'), kind],
    ['an AVIF with the brand of a HEIC', async () => brandedHeic('heic', await avif()), damaged],
    ['a HEIC that claims too many pixels', hugeHeic, tooLargeForFile],
    [
      'a HEIC of 10 kB that has the same picture 200 times',
      () => readFileSync(new URL('grid-of-200.heic', import.meta.url)),
      damaged,
    ],
    ['a truncated HEIC', () => redAndBlue().subarray(0, 900), damaged],
    ['a HEIC without a picture', () => redAndBlue().subarray(0, 28), damaged],
    ['a text with the first bytes of a HEIC', () => Buffer.from('\0\0\0\x1cftypheic, or not'), damaged],
    ['a truncated WebP', async () => (await noisyWebp()).subarray(0, 900), damaged],
    ['a WebP without its second half', async () => withRiffLength((await noisyWebp()).subarray(0, 900)), damaged],
    ['a WebP without pixels', emptyWebp, damaged],
    ['a WebP that claims too many pixels', hugeWebp, tooLarge],
    ['a plain WebP of 25 million pixels', plainWebp, tooLargeForFile],
  ])('rejects %s', async (_name, make, message) => {
    await expect(clean(await make())).rejects.toMatchObject({ name: 'ImageRefused', message })
  })

  it('accepts or rejects a HEIC with wrong bytes, and goes on', async () => {
    const original = redAndBlue()
    const steps = Array.from({ length: 12 }, (_, n) => 30 + n * 113)

    const outcomes = await Promise.all(
      steps.map(async (offset) => {
        const bytes = Buffer.from(original)
        bytes.fill(0xff, offset, offset + 3)
        return clean(bytes).then(
          () => 'accepted',
          (error: Error) => error.name,
        )
      }),
    )

    expect(outcomes.filter((outcome) => outcome !== 'accepted' && outcome !== 'ImageRefused')).toEqual([])
    expect((await clean(original)).image).toMatchObject({ width: 60 })
  })
})

describe('decodeHeic', () => {
  const decode = (limits: Partial<HeicLimits> = {}) => {
    const from = upload(redAndBlue())
    return decodeHeic(from, `${from}-png`, { pixelsMax: 64_000_000, tooManyPixels: () => new Error('too many'), ...limits })
  }

  it('ends a worker that takes too long', async () => {
    await expect(decode({ timeMaxMs: 1 })).rejects.toMatchObject({ name: 'ImageRefused' })
  })

  it('compares the pixels with the limit', async () => {
    await expect(decode({ pixelsMax: 2_399 })).rejects.toThrow('too many')
  })
})

describe('loadLibheif', () => {
  it('limits the memory of libheif', () => {
    const [small, large] = [loadLibheif(20_000_000), loadLibheif(64_000_000)]

    expect([small._malloc(20_000_000), large._malloc(20_000_000) > 0]).toEqual([0, true])
  })
})
