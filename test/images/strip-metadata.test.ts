import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import sharp from 'sharp'
import { describe, expect, test } from 'vitest'

import { stripMetadata } from '../../src/images/strip-metadata/picture.ts'
import { cleanPicture } from '../../src/images/picture.ts'
import { PictureRefused } from '../../src/images/strip-metadata/picture-refused.ts'
import { createTemporaryFolder } from '../helpers/temporary-folder.ts'
import { jpegSegment, pngChunk, textBomb } from '../helpers/pictures.ts'
import { text } from '../../src/errors/texts/text.ts'

const bounds = { pixelsMax: 64_000_000, tooManyPixels: () => new PictureRefused(text('picture_too_large', { max: 64 })) }

function file(bytes: Buffer): string {
  const path = join(createTemporaryFolder(), 'picture')
  writeFileSync(path, bytes)
  return path
}

/** As a hash: nobody wants to read megabytes where a test fails. */
async function bare(bytes: Buffer): Promise<string> {
  const to = join(createTemporaryFolder(), 'bare')
  await stripMetadata(file(bytes), to, bounds)
  return sha256(readFileSync(to))
}
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')
const clean = (bytes: Buffer) => cleanPicture(file(bytes), join(createTemporaryFolder(), 'clean'))
const plain = () => sharp({ create: { width: 9, height: 6, channels: 3, background: 'red' } })
const many = (part: Buffer, count: number) => Buffer.concat(Array<Buffer>(count).fill(part))
const after = (start: number, bytes: Buffer, part: Buffer) => Buffer.concat([bytes.subarray(0, start), part, bytes.subarray(start)])

/** Three frames of one pixel, of which the first two are alike. */
const twoAlike = Buffer.from('R0lGODlhAQABAIAAAAAAAP///ywAAAAAAQABAAACAkQBACwAAAAAAQABAAACAkQBACwAAAAAAQABAAACAkwBADs=', 'base64')
const COLOURS_END = 19

describe('what a library gets to read of a picture', () => {
  test('is a PNG without texts, which unpack to gigabytes', async () => {
    const png = await plain().png().toBuffer()

    expect(await bare(textBomb(png))).toEqual(await bare(png))
  })

  test('is a PNG with one profile of colours and one turn, and with the first of each', async () => {
    const png = await plain().png().toBuffer()
    const parts = [pngChunk('iCCP', 'a\0\0one'), pngChunk('eXIf', 'MM\0*')]
    const twice = after(33, png, Buffer.concat([...parts, pngChunk('iCCP', 'b\0\0two'), pngChunk('eXIf', 'II*\0')]))

    expect(await bare(twice)).toEqual(await bare(after(33, png, Buffer.concat(parts))))
  })

  test('is a JPEG with the first EXIF alone, its profile, and nothing of programs', async () => {
    const jpeg = await plain().jpeg().toBuffer()
    const exif = jpegSegment(0xe1, Buffer.from('Exif\0\0MM\0*'))
    const profile = jpegSegment(0xe2, Buffer.from('ICC_PROFILE\0\x01\x01abc', 'latin1'))
    const adobe = jpegSegment(0xed, Buffer.from('Photoshop 3.0\0'))

    const all = after(2, jpeg, Buffer.concat([exif, many(exif, 300), profile, adobe]))

    expect(await bare(all)).toEqual(await bare(after(2, jpeg, Buffer.concat([exif, profile]))))
  })

  test('is a GIF whose frames have one control each, also where the loop is said between them', async () => {
    const control = (time: number) => Buffer.from([0x21, 0xf9, 4, 0, time, 0, 0, 0])
    const loop = Buffer.concat([Buffer.from([0x21, 0xff, 11]), Buffer.from('NETSCAPE2.0'), Buffer.from([3, 1, 0, 0, 0])])
    const said = Buffer.concat([control(1), control(7), loop, loop])

    expect(await bare(after(COLOURS_END, twoAlike, said))).toEqual(
      sha256(after(COLOURS_END, twoAlike, Buffer.concat([loop, control(7)]))),
    )
  })
})

describe('a picture is refused before any library reads it', () => {
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

  test.each([
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
  ])('when it is %s', async (_name, make, text) => {
    await expect(bare(await make())).rejects.toMatchObject({ name: 'PictureRefused', message: text })
  })

  async function manyScans(count: number): Promise<Buffer> {
    const jpeg = await plain().jpeg({ progressive: true }).toBuffer()
    const scan = jpeg.subarray(jpeg.lastIndexOf(Buffer.from([0xff, 0xda])), -2)
    return Buffer.concat([jpeg.subarray(0, -2), many(scan, count), jpeg.subarray(-2)])
  }
})

describe('a cleaned GIF', () => {
  test('is as high as one of its frames, though frames that are alike became one', async () => {
    expect(await clean(twoAlike)).toMatchObject({ contentType: 'image/gif', width: 1, height: 1 })
  })

  test('may lack its last byte, as many programs write it', async () => {
    expect(await clean(twoAlike.subarray(0, -1))).toMatchObject({ width: 1, height: 1 })
  })
})
