import type { Random } from '../random.ts'
import { foliage, houses, sky, street, type Sky } from './background.ts'
import { blur, ellipse, horizontalGradient, path, polygon, rect, repeat, stroke, tint, type Point, type Scene } from './shapes.ts'

const metal = horizontalGradient('metal', '#3d4145', '#a3a8ab', '#565b5f', '#2c2f32')

/** A street at dusk with one lamp that does not burn. */
export function streetLight(random: Random): Scene {
  const kind: Sky = random.pick(['evening', 'night'])
  const x = random.between(420, 640)
  const reach = random.between(120, 180) * (random.chance(0.5) ? 1 : -1)
  const isBroken = random.chance(0.5)
  const glow = ([cx, cy]: Point, size: number) =>
    ellipse([cx, cy], [size * 3, size * 3], '#ffcf86', `opacity="0.32" ${blur(20)}`) +
    ellipse([cx, cy], [size, size], '#fff1cf', blur(4))
  const head: Point = [x + reach, 118]
  return {
    ground: sky(random, kind) + houses(random, 540, true) + street(random, 540, true),
    texture: 'none',
    objects:
      repeat(4, (index) => {
        const at: Point = [random.between(30, 930), 330 + index * 22]
        return stroke(`M${at[0].toFixed(0)} ${at[1]}V545`, '#0c0e12', 5) + glow(at, 12 - index)
      }) +
      metal +
      rect(x - 9, 120, 18, 600, '#20252b') +
      rect(x - 5, 120, 5, 600, '#565d66', 'opacity="0.6"') +
      rect(x - 20, 610, 40, 110, '#101317', 'rx="5"') +
      stroke(`M${x.toFixed(0)} 130Q${(x + reach * 0.4).toFixed(0)} 78 ${head[0].toFixed(0)} 108`, '#2a3038', 11) +
      `<g transform="rotate(${isBroken ? random.between(24, 48).toFixed(0) : 4} ${head[0].toFixed(0)} ${head[1]})">` +
      path(`M${head[0] - 66} ${head[1] + 6}Q${head[0]} ${head[1] - 34} ${head[0] + 66} ${head[1] + 6}Z`, '#39414a') +
      ellipse([head[0], head[1] + 8], [52, 13], '#6f7a84') +
      (isBroken
        ? path(`M${head[0] - 46} ${head[1] + 10}l20 22l14 -16l18 26l12 -28l22 12l8 -18Z`, '#9fb0bb', 'opacity="0.75"')
        : '') +
      '</g>' +
      (isBroken ? stroke(`M${head[0].toFixed(0)} ${head[1] + 20}q14 40 -6 78`, '#0d0f12', 4) : ''),
  }
}

const octagon = ([x, y]: Point, radius: number): Point[] =>
  Array.from({ length: 8 }, (_, index) => [
    x + radius * Math.cos(((index + 0.5) * Math.PI) / 4),
    y + radius * Math.sin(((index + 0.5) * Math.PI) / 4),
  ])

/** A sign that is bent, faded or covered by stickers. */
export function sign(random: Random): Scene {
  const at: Point = [random.between(420, 560), random.between(250, 300)]
  const lean = random.between(9, 24) * (random.chance(0.5) ? 1 : -1)
  const isStop = random.chance(0.6)
  const [red, white] = [tint(random, 356, random.pick([66, 44]), 41, 4), '#e9e6df']
  const diamond = (radius: number): Point[] => [[at[0], at[1] - radius], [at[0] + radius, at[1]], [at[0], at[1] + radius], [at[0] - radius, at[1]]] // prettier-ignore
  const face = isStop
    ? polygon(octagon(at, 168), white) +
      polygon(octagon(at, 154), red) +
      `<text x="${at[0]}" y="${at[1] + 34}" font-family="sans-serif" font-weight="bold" font-size="98" text-anchor="middle" fill="${white}">STOP</text>`
    : polygon(diamond(176), '#26231c') +
      polygon(diamond(166), '#dda72c') +
      stroke(`M${at[0] - 40} ${at[1] + 74}V${at[1] + 10}Q${at[0] - 36} ${at[1] - 40} ${at[0] + 40} ${at[1] - 56}`, '#26231c', 24) +
      polygon([[at[0] + 24, at[1] - 92], [at[0] + 86, at[1] - 62], [at[0] + 32, at[1] - 18]], '#26231c') // prettier-ignore
  return {
    ground:
      sky(random, random.pick(['clear', 'cloudy'])) +
      houses(random, 560) +
      foliage(random, 560, random.pick([90, 75, 45])) +
      street(random, 570),
    texture: 'none',
    objects:
      metal +
      `<g transform="rotate(${lean.toFixed(0)} ${at[0].toFixed(0)} 720)">` +
      rect(at[0] - 12, at[1] - 60, 24, 700, 'url(#metal)') +
      repeat(20, (index) => ellipse([at[0], at[1] + 190 + index * 22], [3, 3], '#1b1d1f')) +
      `<g transform="rotate(${random.between(-9, 9).toFixed(0)} ${at[0].toFixed(0)} ${at[1].toFixed(0)}) skewX(${random.between(-6, 6).toFixed(0)})">` +
      face +
      polygon(
        [
          [at[0] - 160, at[1] - 40],
          [at[0] + 40, at[1] - 160],
          [at[0] - 20, at[1] + 168],
          [at[0] - 120, at[1] + 120],
        ],
        '#fff',
        `opacity="0.13" ${blur(12)}`,
      ) + // prettier-ignore
      polygon(
        [
          [at[0] + 60, at[1] - 150],
          [at[0] + 165, at[1] - 40],
          [at[0] + 130, at[1] + 110],
        ],
        '#000',
        `opacity="0.30" ${blur(12)}`,
      ) + // prettier-ignore
      repeat(random.integer(2, 6), () => {
        const [x, y] = [at[0] + random.normal() * 58, at[1] + random.normal() * 58]
        return `<g transform="rotate(${random.between(-40, 40).toFixed(0)} ${x.toFixed(0)} ${y.toFixed(0)})">${rect(x, y, random.between(26, 54), random.between(20, 40), tint(random, random.pick([0, 50, 200, 300]), 45, 60, 24), 'opacity="0.92"')}</g>`
      }) +
      repeat(5, () =>
        ellipse(
          [at[0] + random.normal() * 90, at[1] + random.normal() * 90],
          [random.between(5, 16), random.between(4, 12)],
          '#7a4420',
          `opacity="0.5" ${blur(1)}`,
        ),
      ) +
      '</g></g>',
  }
}

/** A traffic signal whose lamps are dark. */
export function trafficSignal(random: Random): Scene {
  const at: Point = [random.between(400, 560), random.between(110, 150)]
  const lean = random.chance(0.5) ? random.between(12, 26) : random.between(-4, 4)
  const dark = ['#3a1512', '#3a2a10', '#10301d']
  return {
    ground:
      sky(random, random.pick(['clear', 'cloudy', 'evening'])) + houses(random, 640) + foliage(random, 640) + street(random, 640),
    texture: 'none',
    objects:
      metal +
      rect(0, at[1] - 54, 960, 15, '#2a2d30') +
      rect(0, at[1] - 52, 960, 4, '#8d9296', 'opacity="0.6"') +
      `<g transform="rotate(${lean.toFixed(0)} ${at[0].toFixed(0)} ${at[1] - 46})">` +
      rect(at[0] - 8, at[1] - 58, 16, 60, '#1d1f21') +
      rect(at[0] - 112, at[1] - 22, 224, 470, '#101214', 'rx="14"') +
      rect(at[0] - 72, at[1], 144, 424, tint(random, random.pick([48, 140]), random.pick([70, 20]), 32), 'rx="14"') +
      [0, 1, 2]
        .map((index) => {
          const [x, y] = [at[0], at[1] + 76 + index * 136]
          return (
            ellipse([x, y], [56, 56], '#0a0b0c') +
            ellipse([x, y], [49, 49], dark[index] ?? '') +
            ellipse([x - 15, y - 17], [16, 12], '#fff', `opacity="0.28" ${blur(4)}`) +
            path(
              `M${x - 64} ${y - 2}Q${x - 60} ${y - 72} ${x} ${y - 72}Q${x + 60} ${y - 72} ${x + 64} ${y - 2}Q${x + 50} ${y - 54} ${x} ${y - 54}Q${x - 50} ${y - 54} ${x - 64} ${y - 2}Z`,
              '#17191b',
            )
          )
        })
        .join('') +
      '</g>',
  }
}
