import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import sharp from 'sharp'
import { describe, expect, it } from 'vitest'

import { cleanImage, shrinkImage } from '../../src/images/image.ts'
import { createTemporaryFolder } from '../helpers/temporary-folder.ts'
import { animatedGif, imagesWithMetadata, pngBomb } from '../helpers/images.ts'

async function cleaned(bytes: Buffer) {
  const folder = createTemporaryFolder()
  const [from, to] = [join(folder, 'from'), join(folder, 'to')]
  writeFileSync(from, bytes)
  const image = await cleanImage(from, to)
  return { image, bytes: readFileSync(to), path: to, folder }
}

const corpus = await imagesWithMetadata()

describe('cleanImage', () => {
  it.each(corpus)('removes all leak markers from $name', async ({ bytes, markers }) => {
    expect(markers.filter((plant) => !bytes.includes(plant))).toEqual([])

    const clean = await cleaned(bytes)

    expect(markers.filter((plant) => clean.bytes.includes(plant))).toEqual([])
    expect(clean.bytes.includes('PLANT')).toBe(false)
    expect(clean.image).toMatchObject({ width: 60, height: 40, bytes: clean.bytes.length })
    const { exif, xmp, iptc, icc, comments } = await sharp(clean.path).metadata()
    expect({ exif, xmp, iptc, icc, comments }).toEqual({})
  })

  it('rotates a picture upright before it removes the orientation', async () => {
    const lying = await sharp({ create: { width: 60, height: 40, channels: 3, background: 'red' } })
      .withMetadata({ orientation: 6 })
      .jpeg()
      .toBuffer()

    expect((await cleaned(lying)).image).toMatchObject({ contentType: 'image/jpeg', width: 40, height: 60 })
  })

  it('keeps the format and all frames of a GIF', async () => {
    const folder = createTemporaryFolder()
    const frames = ['red', 'lime', 'blue'].map(async (background) => {
      const file = join(folder, background)
      await sharp({ create: { width: 20, height: 10, channels: 3, background } })
        .png()
        .toFile(file)
      return file
    })
    const moving = await sharp(await Promise.all(frames), { join: { animated: true } })
      .gif({ delay: [100, 200, 300] })
      .toBuffer()

    const clean = await cleaned(moving)

    expect(clean.image).toMatchObject({ contentType: 'image/gif', extension: 'gif', width: 20, height: 10 })
    expect(await sharp(clean.path, { animated: true }).metadata()).toMatchObject({ pages: 3, delay: [100, 200, 300] })
  })

  it('returns the height of one frame even if equal frames are merged', async () => {
    const { image } = await cleaned(animatedGif(1, 1, 1_500))

    expect(image).toMatchObject({ width: 1, height: 1 })
  })

  it.each(corpus.filter(({ name }) => name.includes('camera')))(
    'removes metadata that a plain copy with sharp keeps: $name',
    async ({ bytes, markers }) => {
      const { path, folder } = await cleaned(bytes)
      const [careless, careful] = [join(folder, 'careless'), join(folder, 'careful')]

      await sharp(join(folder, 'from')).resize(30).keepMetadata().toFile(careless)
      await sharp(path).resize(30).keepMetadata().toFile(careful)

      const markersIn = (file: string) => markers.filter((plant) => readFileSync(file).includes(plant))
      expect(markersIn(careless)).toEqual(markers)
      expect(markersIn(careful)).toEqual([])
    },
  )

  it('keeps all pixels', async () => {
    const png = corpus[1]?.bytes ?? Buffer.alloc(0)

    const { path, folder } = await cleaned(png)

    const pixels = (file: string) => sharp(file).raw().toBuffer()
    expect((await pixels(path)).equals(await pixels(join(folder, 'from')))).toBe(true)
  })
})

describe('cleanImage of an invalid file', () => {
  const tiff = () =>
    sharp({ create: { width: 9, height: 9, channels: 3, background: 'red' } })
      .tiff()
      .toBuffer()
  const jpeg = () =>
    sharp({ create: { width: 99, height: 99, channels: 3, background: 'white', noise: { type: 'gaussian', mean: 99, sigma: 40 } } })
      .jpeg()
      .toBuffer()
  const kind = 'must be a PNG, JPEG, GIF, WebP or HEIC picture'
  it.each([
    ['an SVG', () => Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>'), kind],
    ['a TIFF', tiff, kind],
    ['a text', () => Buffer.from('GIF, or not'), kind],
    ['nothing', () => Buffer.alloc(0), kind],
    [
      'an interlaced PNG that is held whole',
      () => pngBomb(6_000, 6_000, { kind: '\x10\x06\0\0\x01', data: 'a'.repeat(400_000) }),
      'must not have more than 8 million pixels if it is a WebP, a progressive JPEG, an interlaced PNG, or has frames, transparency or 16 bits per channel',
    ],
    ['a bomb', () => pngBomb(60_000, 60_000), 'must not have more than 64 million pixels, all frames together'],
    [
      'a GIF with too many pixels, all frames together',
      () => animatedGif(2_000, 2_000, 17),
      'must not have more than 64 million pixels, all frames together',
    ],
    ['a GIF with a million frames of one pixel', () => animatedGif(1, 1, 900_000), 'must not have more than 2,000 frames'],
    ['a truncated JPEG', async () => (await jpeg()).subarray(0, 900), 'is damaged or takes too long to read'],
  ])('rejects %s', async (_name, make, text) => {
    await expect(cleaned(await make())).rejects.toMatchObject({ name: 'ImageRefused', message: text })
  })

  it.each([
    ['frames of many pixels', () => animatedGif(2_000, 2_000, 17)],
    ['very many frames', () => animatedGif(1, 1, 900_000)],
  ])('rejects a GIF with %s before decoding it', async (_name, make) => {
    const path = join(createTemporaryFolder(), 'upload')
    writeFileSync(path, make())
    const before = process.cpuUsage()

    await expect(cleanImage(path, `${path}-clean`)).rejects.toMatchObject({ name: 'ImageRefused' })

    // Decoding takes more than ten seconds of processor time, the check a fraction of one.
    expect(process.cpuUsage(before).user / 1_000).toBeLessThan(5_000)
  })
})

describe('shrinkImage', () => {
  it('crops to a square, and keeps the aspect ratio without a height', async () => {
    const { path, folder } = await cleaned(
      await sharp({ create: { width: 900, height: 300, channels: 4, background: '#0000' } })
        .png()
        .toBuffer(),
    )
    const [square, wide] = [join(folder, 'square'), join(folder, 'wide')]

    await shrinkImage(path, square, { width: 100, height: 100 })
    await shrinkImage(path, wide, { width: 640 })

    expect(await sharp(square).metadata()).toMatchObject({ format: 'jpeg', width: 100, height: 100 })
    expect(await sharp(wide).metadata()).toMatchObject({ format: 'jpeg', width: 640, height: 213 })
    expect([...(await sharp(square).extract({ left: 50, top: 50, width: 1, height: 1 }).raw().toBuffer())]).toEqual([255, 255, 255])
  })
})
