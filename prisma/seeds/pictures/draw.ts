import sharp from 'sharp'

import { createRandom, type Random } from '../random.ts'
import { light } from './background.ts'
import { PICTURE_SIZE, type Picture, type PictureKind } from './kinds.ts'
import { floodedGutter, pothole, sidewalk } from './ground-scenes.ts'
import { sign, streetLight, trafficSignal } from './pole-scenes.ts'
import { abandonedBicycle, abandonedCar, fallenTree } from './street-scenes.ts'
import { dumping, graffiti, overflowingBin } from './wall-scenes.ts'
import { HEIGHT, WIDTH, type Scene } from './shapes.ts'

const scenes: Readonly<Record<PictureKind, (random: Random) => Scene>> = {
  pothole,
  sidewalk,
  'flooded-gutter': floodedGutter,
  graffiti,
  dumping,
  'overflowing-bin': overflowingBin,
  'street-light': streetLight,
  sign,
  'traffic-signal': trafficSignal,
  'fallen-tree': fallenTree,
  'abandoned-car': abandonedCar,
  'abandoned-bicycle': abandonedBicycle,
}

const { width: WIDTH_PX, height: HEIGHT_PX } = PICTURE_SIZE
const RAW = { ...PICTURE_SIZE, channels: 1 } as const

/** Noise of several sizes around a middle grey. The weight of a size is the contrast of its grains. */
type Octaves = readonly (readonly [grain_px: number, weight: number])[]

const textures: Readonly<Record<Scene['texture'] | 'film', Octaves>> = {
  asphalt: [[1, 22], [2, 20], [4, 8], [40, 5], [160, 6]], // prettier-ignore
  concrete: [[1, 9], [2, 8], [9, 5], [60, 6]], // prettier-ignore
  none: [],
  film: [[1, 4], [2, 4]], // prettier-ignore
}

export type Draw = (picture: Picture) => Promise<Buffer>

/** Returns a function that draws a picture as a JPEG. The same kind and variant give the same picture. */
export async function createDraw(): Promise<Draw> {
  const random = createRandom(2026, 'textures')
  const [asphalt, concrete, film] = [
    await noise(random, textures.asphalt),
    await noise(random, textures.concrete),
    await noise(random, textures.film),
  ]
  const layer = (input: Buffer) => ({ input, raw: RAW, blend: 'overlay' as const })
  return async ({ kind, variant, isSolved }) => {
    const own = createRandom(variant, kind)
    const scene = scenes[kind](own)
    const ground = sharp(toSvg(scene.ground)).removeAlpha()
    const texture = scene.texture === 'asphalt' ? [layer(asphalt)] : scene.texture === 'concrete' ? [layer(concrete)] : []
    const layers = [...texture, { input: toSvg((isSolved ? '' : scene.objects) + light(own)) }, layer(film)]
    return ground.composite(layers).jpeg({ quality: 82 }).toBuffer()
  }
}

const filter = (id: string, deviation: number, margin: number) =>
  `<filter id="${id}" x="-${margin}%" y="-${margin}%" width="${100 + 2 * margin}%" height="${100 + 2 * margin}%"><feGaussianBlur stdDeviation="${deviation}"/></filter>`
const filters = [1, 4, 12, 20].map(
  (deviation) => filter(`blur${deviation}`, deviation, 50) + filter(`group${deviation}`, deviation, 4),
)

const toSvg = (content: string): Buffer =>
  Buffer.from(
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH_PX}" height="${HEIGHT_PX}" viewBox="0 0 ${WIDTH} ${HEIGHT}"><defs>${filters.join('')}</defs>${content}</svg>`,
  )

/** Returns one byte for each pixel. */
async function noise(random: Random, octaves: Octaves): Promise<Buffer> {
  const sum = new Float32Array(WIDTH_PX * HEIGHT_PX).fill(128)
  for (const [grain_px, weight] of octaves) {
    const [width, height] = [Math.ceil(WIDTH_PX / grain_px), Math.ceil(HEIGHT_PX / grain_px)]
    const grains = Buffer.from(Array.from({ length: width * height }, () => Math.floor(random.next() * 256)))
    const scaled = await sharp(grains, { raw: { width, height, channels: 1 } })
      .resize(WIDTH_PX, HEIGHT_PX, { fit: 'fill', kernel: 'cubic' })
      .toColourspace('b-w')
      .raw()
      .toBuffer()
    for (const [index, value] of scaled.entries()) sum[index] = (sum[index] ?? 0) + ((value - 128) / 64) * weight
  }
  return Buffer.from(Uint8ClampedArray.from(sum))
}
