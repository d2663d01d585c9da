import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import sharp from 'sharp'
import { describe, expect, it } from 'vitest'

import { type Box, paintBoxes } from '../../src/images/paint-boxes.ts'
import { createTemporaryFolder } from '../helpers/temporary-folder.ts'

const drawn = (channels: 3 | 4 = 3) => sharp({ create: { width: 101, height: 51, channels, background: 'white' } })

async function paint(bytes: Buffer, boxes: readonly Box[]) {
  const from = join(createTemporaryFolder(), 'full')
  writeFileSync(from, bytes)
  const image = await paintBoxes(from, `${from}-painted`, boxes)
  const { data, info } = await sharp(`${from}-painted`).raw().toBuffer({ resolveWithObject: true })
  const isBlack = (x: number, y: number) =>
    [0, 1, 2].every((channel) => (data[(y * info.width + x) * info.channels + channel] ?? 255) < 8)
  return { image, isBlack, channels: info.channels }
}

describe('paintBoxes', () => {
  it('covers every pixel that a box touches, and no others', async () => {
    const { image, isBlack, channels } = await paint(await drawn().png().toBuffer(), [{ x: 10, y: 20, width: 30.5, height: 40 }])

    // 10 % of 101 pixels are 10.1, 40.5 % are 40.905; 20 % of 51 are 10.2, 60 % are 30.6.
    expect([isBlack(10, 10), isBlack(40, 30), isBlack(9, 10), isBlack(41, 30), isBlack(10, 9), isBlack(40, 31)]).toEqual([
      true,
      true,
      false,
      false,
      false,
      false,
    ])
    expect(image).toMatchObject({ contentType: 'image/png', extension: 'png', width: 101, height: 51 })
    expect(channels).toBe(3)
  })

  it('paints several boxes, cuts them at the edges, and keeps a JPEG a JPEG', async () => {
    const { image, isBlack } = await paint(await drawn().jpeg().toBuffer(), [
      { x: 99.999, y: 99.999, width: 100, height: 100 },
      { x: 0, y: 0, width: 50, height: 100 },
    ])

    expect([isBlack(0, 0), isBlack(40, 50), isBlack(70, 20)]).toEqual([true, true, false])
    expect(image).toMatchObject({ contentType: 'image/jpeg', extension: 'jpg', width: 101, height: 51 })
  })

  it('covers transparent pixels as well', async () => {
    const transparent = sharp({ create: { width: 20, height: 20, channels: 4, background: '#fff0' } })
    const { isBlack, channels } = await paint(await transparent.png().toBuffer(), [{ x: 0, y: 0, width: 50, height: 50 }])

    expect([isBlack(5, 5), channels]).toEqual([true, 4])
  })

  it('reduces an animation to its first frame', async () => {
    const folder = createTemporaryFolder()
    const frames = await Promise.all(
      ['red', 'blue'].map(async (background) => {
        const file = join(folder, background)
        await sharp({ create: { width: 20, height: 10, channels: 3, background } })
          .png()
          .toFile(file)
        return file
      }),
    )
    const moving = await sharp(frames, { join: { animated: true } })
      .gif()
      .toBuffer()

    const { image, isBlack } = await paint(moving, [{ x: 0, y: 0, width: 50, height: 100 }])

    expect(image).toMatchObject({ contentType: 'image/jpeg', width: 20, height: 10 })
    expect([isBlack(3, 5), isBlack(17, 5)]).toEqual([true, false])
  })

  it('rejects a damaged file', async () => {
    await expect(paint(Buffer.from('no picture'), [{ x: 0, y: 0, width: 1, height: 1 }])).rejects.toMatchObject({
      name: 'ImageRefused',
    })
  })
})
