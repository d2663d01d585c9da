import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import sharp from 'sharp'
import { describe, expect, it } from 'vitest'

import { text } from '../../src/locales/texts.ts'
import { detectFormat, type StrippedFormat } from '../../src/images/strip-metadata/detect-format.ts'
import { stripMetadata } from '../../src/images/strip-metadata/strip-metadata.ts'
import { cleanImage } from '../../src/images/image.ts'
import { ImageRefused } from '../../src/images/strip-metadata/image-refused.ts'
import { createTemporaryFolder } from '../helpers/temporary-folder.ts'
import { jpegSegment, pngChunk, textBomb } from '../helpers/images.ts'

const bounds = { pixelsMax: 64_000_000, tooManyPixels: () => new ImageRefused(text('picture_too_large', { max: 64 })) }

function file(bytes: Buffer): string {
  const path = join(createTemporaryFolder(), 'picture')
  writeFileSync(path, bytes)
  return path
}

/** Returns a hash, so that the message of a failed test is short. */
async function strip(bytes: Buffer): Promise<string> {
  const to = join(createTemporaryFolder(), 'stripped')
  const from = file(bytes)
  await stripMetadata(from, to, (await detectFormat(from)) as StrippedFormat, bounds)
  return sha256(readFileSync(to))
}
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')
const clean = (bytes: Buffer) => cleanImage(file(bytes), join(createTemporaryFolder(), 'clean'))
const plain = () => sharp({ create: { width: 9, height: 6, channels: 3, background: 'red' } })
const many = (part: Buffer, count: number) => Buffer.concat(Array<Buffer>(count).fill(part))
const after = (start: number, bytes: Buffer, part: Buffer) => Buffer.concat([bytes.subarray(0, start), part, bytes.subarray(start)])

/** The GIF has three frames of one pixel; the first two are equal. */
const twoAlike = Buffer.from('R0lGODlhAQABAIAAAAAAAP///ywAAAAAAQABAAACAkQBACwAAAAAAQABAAACAkQBACwAAAAAAQABAAACAkwBADs=', 'base64')
const COLOURS_END = 19

describe('stripMetadata', () => {
  it('removes compressed texts from a PNG', async () => {
    const png = await plain().png().toBuffer()

    expect(await strip(textBomb(png))).toEqual(await strip(png))
  })

  it('keeps the first colour profile and the first orientation of a PNG', async () => {
    const png = await plain().png().toBuffer()
    const parts = [pngChunk('iCCP', 'a\0\0one'), pngChunk('eXIf', 'MM\0*')]
    const twice = after(33, png, Buffer.concat([...parts, pngChunk('iCCP', 'b\0\0two'), pngChunk('eXIf', 'II*\0')]))

    expect(await strip(twice)).toEqual(await strip(after(33, png, Buffer.concat(parts))))
  })

  it('keeps the first EXIF segment and the colour profile of a JPEG', async () => {
    const jpeg = await plain().jpeg().toBuffer()
    const exif = jpegSegment(0xe1, Buffer.from('Exif\0\0MM\0*'))
    const profile = jpegSegment(0xe2, Buffer.from('ICC_PROFILE\0\x01\x01abc', 'latin1'))
    const adobe = jpegSegment(0xed, Buffer.from('Photoshop 3.0\0'))

    const all = after(2, jpeg, Buffer.concat([exif, many(exif, 300), profile, adobe]))

    expect(await strip(all)).toEqual(await strip(after(2, jpeg, Buffer.concat([exif, profile]))))
  })

  it('keeps one graphic control extension per frame and one loop count of a GIF', async () => {
    const control = (time: number) => Buffer.from([0x21, 0xf9, 4, 0, time, 0, 0, 0])
    const loop = Buffer.concat([Buffer.from([0x21, 0xff, 11]), Buffer.from('NETSCAPE2.0'), Buffer.from([3, 1, 0, 0, 0])])
    const said = Buffer.concat([control(1), control(7), loop, loop])

    expect(await strip(after(COLOURS_END, twoAlike, said))).toEqual(
      sha256(after(COLOURS_END, twoAlike, Buffer.concat([loop, control(7)]))),
    )
  })
})

describe('stripMetadata of an invalid picture', () => {
  const damaged = 'is damaged or takes too long to read'
  const frame = twoAlike.subarray(COLOURS_END, COLOURS_END + 15)
  const gifOf = (side: number, body: Buffer) => {
    const gif = Buffer.concat([twoAlike.subarray(0, COLOURS_END), body, Buffer.from(';')])
    gif.writeUInt16LE(side, 6)
    gif.writeUInt16LE(side, 8)
    return gif
  }
  const outside = Buffer.from(frame)
  outside.fill(0xff, 5, 9)
  // A frame of one pixel, 7,989 pixels to the right and below.
  const reaching = Buffer.from(frame)
  reaching.writeUInt16LE(7_989, 1)
  reaching.writeUInt16LE(7_989, 3)

  it.each([
    [
      'a PNG of a million chunks',
      async () => after(33, await plain().png().toBuffer(), many(pngChunk('IDAT', ''), 1_000_000)),
      damaged,
    ],
    [
      'a JPEG of a million comments',
      async () => after(2, await plain().jpeg().toBuffer(), many(jpegSegment(0xfe, Buffer.from('a')), 1e6)),
      damaged,
    ],
    ['a JPEG of a hundred scans', () => manyScans(100), damaged],
    [
      'a GIF of a million comments',
      () => gifOf(1, Buffer.concat([many(Buffer.from('!\xfe\x01a\0', 'latin1'), 1e6), frame])),
      damaged,
    ],
    ['a GIF of 2,001 frames', () => gifOf(1, many(frame, 2_001)), 'must not have more than 2,000 frames'],
    ['a GIF that draws far outside of itself', () => gifOf(1, outside), 'must not have frames of more than 16 million pixels'],
    [
      'a small GIF whose frame reaches far over it',
      () => gifOf(1, reaching),
      'must not have frames of more than 16 million pixels',
    ],
    ['a GIF of a frame that takes a gigabyte', () => gifOf(4_001, frame), 'must not have frames of more than 16 million pixels'],
    [
      'a GIF that is many large frames',
      () => gifOf(4_000, many(frame, 5)),
      'must not have more than 64 million pixels, all frames together',
    ],
  ])('rejects %s', async (_name, make, text) => {
    await expect(strip(await make())).rejects.toMatchObject({ name: 'ImageRefused', message: text })
  })

  async function manyScans(count: number): Promise<Buffer> {
    const jpeg = await plain().jpeg({ progressive: true }).toBuffer()
    const scan = jpeg.subarray(jpeg.lastIndexOf(Buffer.from([0xff, 0xda])), -2)
    return Buffer.concat([jpeg.subarray(0, -2), many(scan, count), jpeg.subarray(-2)])
  }
})

describe('cleanImage of a GIF', () => {
  it('returns the height of one frame although equal frames are merged', async () => {
    expect(await clean(twoAlike)).toMatchObject({ contentType: 'image/gif', width: 1, height: 1 })
  })

  it('accepts a missing trailer, which many programs omit', async () => {
    expect(await clean(twoAlike.subarray(0, -1))).toMatchObject({ width: 1, height: 1 })
  })
})
