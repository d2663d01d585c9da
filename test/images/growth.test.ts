import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import sharp from 'sharp'
import { describe, expect, it } from 'vitest'

import { cleanImage } from '../../src/images/image.ts'
import { createTemporaryFolder } from '../helpers/temporary-folder.ts'

const SIZE = { width: 600, height: 400 }

/** Returns pixels with a gradient and noise of the strength `sigma`, the same for each call. */
function photo(sigma: number, { width, height } = SIZE) {
  const pixels = Buffer.alloc(3 * width * height)
  let state = 1
  for (let index = 0; index < pixels.length; index++) {
    state = (1_103_515_245 * state + 12_345) % 2 ** 31
    pixels[index] = Math.min(255, ((index / 3) % width) / 4 + ((state >> 16) % 100) * (sigma / 100))
  }
  return sharp(pixels, { raw: { width, height, channels: 3 } })
}
const threshold = () => photo(200).greyscale().threshold(128)
const plain = (width: number, height: number) => sharp({ create: { width, height, channels: 4, background: '#f008' } })
const heic = () => Promise.resolve(readFileSync(new URL('plain.heic', import.meta.url)))
const animation = async () => {
  const frames = [20, 90, 160].map(async (sigma) => {
    const path = join(createTemporaryFolder(), 'frame')
    await photo(sigma, { width: 120, height: 80 }).png().toFile(path)
    return path
  })
  return sharp(await Promise.all(frames), { join: { animated: true } })
    .gif({ colours: 8, dither: 0 })
    .toBuffer()
}

async function clean(bytes: Buffer) {
  const from = join(createTemporaryFolder(), 'upload')
  writeFileSync(from, bytes)
  const image = await cleanImage(from, `${from}-clean`)
  return { image, path: `${from}-clean`, from }
}

describe('cleanImage', () => {
  it.each([
    ['a JPEG of noise', () => photo(250).jpeg({ quality: 60 }).toBuffer()],
    ['a JPEG of the lowest quality', () => photo(90).jpeg({ quality: 5 }).toBuffer()],
    ['a JPEG of the highest quality', () => photo(90).jpeg({ quality: 100, chromaSubsampling: '4:4:4' }).toBuffer()],
    ['a progressive JPEG', () => photo(40).jpeg({ quality: 40, mozjpeg: true }).toBuffer()],
    ['a PNG of a photo', () => photo(8).png({ compressionLevel: 9, adaptiveFiltering: true }).toBuffer()],
    ['a PNG of noise', () => photo(250).png().toBuffer()],
    ['a plain PNG', () => plain(2_000, 1_500).png({ compressionLevel: 9 }).toBuffer()],
    ['a PNG of two colours', () => threshold().png({ palette: true, colours: 2, dither: 0 }).toBuffer()],
    ['a PNG of 16 colours', () => photo(90).png({ palette: true, colours: 16, dither: 0 }).toBuffer()],
    ['a WebP of a photo', () => photo(40).webp({ quality: 50 }).toBuffer()],
    ['a WebP of the lowest quality', () => photo(90).webp({ quality: 1 }).toBuffer()],
    ['a plain WebP', () => plain(2_000, 1_500).webp({ lossless: true }).toBuffer()],
    ['an animated GIF', animation],
    ['a plain HEIC of 4 million pixels', heic],
  ])('stores at most a fifth more bytes than %s has, or 16 kB', async (_name, make) => {
    const upload = await make()

    const { image, path } = await clean(upload)

    expect(image.bytes).toBeLessThanOrEqual(Math.max(16_000, 1.2 * upload.length))
    expect(readFileSync(path).length).toBe(image.bytes)
    const { width, height, pageHeight = height } = await sharp(path, { animated: true }).metadata()
    expect({ width, height: pageHeight }).toEqual({ width: image.width, height: image.height })
  })

  it('keeps all pixels of a PNG with few colours', async () => {
    const { path, from } = await clean(await threshold().png({ palette: true, colours: 2, dither: 0 }).toBuffer())

    const pixels = (file: string) => sharp(file).toColourspace('srgb').removeAlpha().raw().toBuffer()
    expect((await pixels(path)).equals(await pixels(from))).toBe(true)
  })

  it('lowers the quality of a photo before it takes pixels', async () => {
    const { image } = await clean(await photo(90).jpeg({ quality: 70 }).toBuffer())

    expect(image).toMatchObject(SIZE)
  })
})
