import type { Random } from '../random.ts'
import { brickWall, castShadow } from './background.ts'
import { blob, blur, ellipse, horizontalGradient, path, polygon, rect, repeat, shadow, smoothPath, stroke, tint, verticalGradient, HEIGHT, WIDTH, type Point, type Scene } from './shapes.ts' // prettier-ignore

function wall(random: Random, bottom: number): string {
  if (random.chance(0.65)) return brickWall(random, [0, 0], [WIDTH, bottom])
  const hue = random.pick([40, 200, 100, 20])
  return (
    rect(0, 0, WIDTH, bottom, tint(random, hue, 14, 68)) +
    repeat(10, () =>
      path(
        blob(
          random,
          [random.between(0, WIDTH), random.between(0, bottom)],
          [random.between(60, 170), random.between(40, 120)],
          0.3,
        ),
        '#000',
        `opacity="0.07" ${blur(12)}`,
      ),
    ) +
    repeat(7, () =>
      rect(
        random.between(0, WIDTH),
        random.between(-60, 60),
        random.between(3, 10),
        random.between(150, 420),
        '#3c3428',
        `opacity="0.14" ${blur(4)}`,
      ),
    )
  )
}

const sidewalkAt = (y: number): string =>
  rect(0, y - 16, WIDTH, 20, '#000', `opacity="0.4" ${blur(4)}`) +
  verticalGradient('pavement', '#8f8c85', '#b3afa6') +
  rect(0, y, WIDTH, HEIGHT - y, 'url(#pavement)') +
  `<path d="${[-200, 40, 280, 520, 760, 1000].map((x) => `M${x} ${y}L${WIDTH / 2 + (x - WIDTH / 2) * 1.6} ${HEIGHT}`).join('')}" stroke="#000" stroke-width="3" opacity="0.3"/>`

/** An illegible word, as taggers write it: a chain of loops with an underline. */
function tag(random: Random, [x, y]: Point, size: number, color: string): string {
  const letters = random.integer(3, 5)
  const points = Array.from({ length: letters * 5 }, (_, index): Point => [
    x + (index / 5) * size * 0.66 + random.between(-0.42, 0.42) * size,
    y + (index % 2 === 0 ? -1 : 1) * random.between(0.2, 0.95) * size,
  ])
  const line = smoothPath(points)
  const under = smoothPath([[x - size * 0.2, y + size * 0.95], [x + letters * size * 0.3, y + size * random.between(0.8, 1.2)], [x + letters * size * 0.72, y + size * 0.85]]) // prettier-ignore
  const width = size * random.between(0.1, 0.17)
  return (
    `<g transform="rotate(${random.between(-7, 7).toFixed(0)} ${x.toFixed(0)} ${y.toFixed(0)})">` +
    stroke(line, color, width * 2.2, `opacity="0.22" ${blur(4)}`) +
    stroke(line, color, width, 'opacity="0.93"') +
    stroke(under, color, width * 0.8, 'opacity="0.9"') +
    repeat(random.integer(3, 8), () => {
      const [dx, dy] = random.pick(points)
      return stroke(
        `M${dx.toFixed(0)} ${dy.toFixed(0)}v${random.between(24, 110).toFixed(0)}`,
        color,
        width * 0.28,
        'opacity="0.85"',
      )
    }) +
    '</g>'
  )
}

/** Large letters without a meaning, filled and outlined. */
function piece(random: Random, [x, y]: Point): string {
  const [fill, shade, outline] = random.pick([
    ['#3fa7d6', '#1c5d86', '#0b1a24'],
    ['#e4572e', '#8a2a10', '#1d0d08'],
    ['#f2c14e', '#b3761b', '#20150a'],
    ['#8cc152', '#3f6b22', '#101a09'],
    ['#c45ab3', '#6c2463', '#1b0a19'],
  ])
  return repeat(random.integer(3, 5), (index) => {
    const center: Point = [x + index * 122, y + random.between(-26, 26)]
    const letter = blob(random, center, [76, 118], 0.26, 9)
    const hole = blob(random, [center[0], center[1] + random.between(-44, 44)], [17, 30], 0.2, 7)
    return (
      path(letter, shade, 'transform="translate(13 14)"') +
      path(letter, fill, `stroke="${outline}" stroke-width="9"`) +
      path(hole, outline, 'opacity="0.9"') +
      ellipse([center[0] - 26, center[1] - 58], [15, 26], '#fff', `opacity="0.42" ${blur(4)}`)
    )
  })
}

export function graffiti(random: Random): Scene {
  const bottom = random.between(560, 650)
  const colors = ['#16161a', '#f4f4f0', '#1f3f9a', '#b3202a', '#0f6b4a', '#6a1f87']
  const isPiece = random.chance(0.45)
  return {
    ground: wall(random, bottom) + castShadow(random) + sidewalkAt(bottom),
    texture: 'concrete',
    objects:
      (isPiece ? piece(random, [random.between(160, 300), random.between(270, 350)]) : '') +
      repeat(isPiece ? 2 : random.integer(2, 4), (index) =>
        tag(
          random,
          [random.between(60, 460), 150 + index * random.between(110, 150)],
          random.between(isPiece ? 34 : 60, isPiece ? 60 : 118),
          random.pick(colors),
        ),
      ),
  }
}

function bag(random: Random, [x, y]: Point, size: number): string {
  const shape = blob(random, [x, y - size * 0.6], [size * 0.74, size * 0.66], 0.14, 11)
  const lightness = random.pick([9, 11, 14, 82])
  return (
    shadow([x + 8, y + 2], [size * 0.85, size * 0.18]) +
    path(shape, tint(random, 220, 6, lightness, 2)) +
    repeat(7, () => {
      const from: Point = [x + random.between(-0.5, 0.4) * size, y - random.between(0.2, 1.05) * size]
      return stroke(smoothPath([from, [from[0] + size * 0.12, from[1] + size * 0.1], [from[0] + size * 0.16, from[1] + size * 0.34]]), '#fff', size * 0.035, `opacity="0.26" ${blur(1)}`)
    }) +
    path(smoothPath([[x - 12, y - size * 1.16], [x, y - size * 1.42], [x + 14, y - size * 1.16], [x, y - size * 1.08]], true), tint(random, 220, 6, lightness + 4, 2)) // prettier-ignore
  )
}

function box(random: Random, [x, y]: Point, size: number): string {
  const [front, side] = [tint(random, 32, 42, 54), tint(random, 32, 40, 40)]
  const depth = size * 0.36
  return (
    shadow([x + size / 2, y], [size * 0.8, size * 0.14]) +
    polygon(
      [
        [x, y],
        [x + size, y],
        [x + size, y - size * 0.72],
        [x, y - size * 0.72],
      ],
      front,
    ) + // prettier-ignore
    polygon(
      [
        [x + size, y],
        [x + size + depth, y - depth * 0.6],
        [x + size + depth, y - size * 0.72 - depth * 0.6],
        [x + size, y - size * 0.72],
      ],
      side,
    ) + // prettier-ignore
    polygon(
      [
        [x, y - size * 0.72],
        [x + size, y - size * 0.72],
        [x + size + depth, y - size * 0.72 - depth * 0.6],
        [x + depth, y - size * 0.72 - depth * 0.6],
      ],
      '#7d5c34',
    ) + // prettier-ignore
    rect(x + size * 0.42, y - size * 0.72, size * 0.16, size * 0.72, '#e6d3a8', 'opacity="0.65"')
  )
}

function mattress(random: Random, [x, y]: Point): string {
  const angle = random.between(-13, -4).toFixed(0)
  return (
    shadow([x + 220, y], [270, 34]) +
    `<g transform="rotate(${angle} ${x} ${y})">` +
    horizontalGradient('mattress', '#f1ece0', '#c9c2b3') +
    rect(x, y - 300, 430, 292, 'url(#mattress)', 'rx="26"') +
    rect(x, y - 44, 430, 40, '#a9a293', 'rx="14"') +
    repeat(9, (index) => rect(x + 24 + index * 46, y - 290, 5, 240, '#8fa3ba', 'opacity="0.5"')) +
    repeat(3, () =>
      path(
        blob(
          random,
          [x + random.between(80, 350), y - random.between(80, 250)],
          [random.between(20, 60), random.between(14, 40)],
          0.3,
        ),
        '#8a6f42',
        `opacity="0.35" ${blur(4)}`,
      ),
    ) +
    '</g>'
  )
}

function sofa(random: Random, [x, y]: Point): string {
  const hue = random.pick([18, 205, 350, 90])
  const [light, middle, dark] = [tint(random, hue, 26, 42, 2), tint(random, hue, 26, 34, 2), tint(random, hue, 28, 22, 2)]
  return (
    shadow([x + 220, y + 4], [280, 30]) +
    rect(x, y - 210, 440, 150, middle, 'rx="30"') +
    rect(x + 20, y - 118, 200, 66, light, 'rx="16"') +
    `<g transform="rotate(7 ${x + 320} ${y - 80})">${rect(x + 222, y - 124, 196, 66, light, 'rx="16"')}</g>` +
    rect(x - 26, y - 160, 62, 156, dark, 'rx="24"') +
    rect(x + 404, y - 160, 62, 156, dark, 'rx="24"') +
    rect(x + 10, y - 60, 420, 52, dark, 'rx="8"') +
    path(blob(random, [x + 300, y - 168], [44, 22], 0.3), '#e8dfc8', 'opacity="0.9"')
  )
}

export function dumping(random: Random): Scene {
  const bottom = random.between(400, 460)
  const main = random.chance(0.75) ? random.pick([mattress, sofa]) : undefined
  return {
    ground: wall(random, bottom) + sidewalkAt(bottom) + castShadow(random),
    texture: 'concrete',
    objects:
      (main?.(random, [random.between(90, 330), bottom + 70]) ?? '') +
      repeat(main ? 1 : 3, (index) =>
        box(random, [random.between(80, 300) + index * 200, bottom + random.between(60, 110)], random.between(110, 170)),
      ) +
      repeat(random.integer(5, 9), () =>
        bag(random, [random.between(120, 850), bottom + random.between(110, 190)], random.between(76, 128)),
      ) +
      repeat(30, () =>
        ellipse(
          [random.between(60, 900), bottom + random.between(120, 250)],
          [random.between(3, 14), random.between(2, 7)],
          tint(random, random.pick([0, 40, 200, 50]), 30, 64, 20),
        ),
      ),
  }
}

/** A public bin that is too full. */
export function overflowingBin(random: Random): Scene {
  const bottom = random.between(430, 480)
  const [x, top, base] = [random.between(370, 500), 290, 610]
  const hue = random.pick([140, 210, 30, 0])
  const saturation = hue === 0 ? 0 : 26
  const item = () => {
    const at: Point = [x + 100 + random.normal() * 84, top - random.between(-26, 66)]
    const color = tint(random, random.pick([0, 40, 200, 52, 120]), random.pick([10, 55]), 62, 22)
    const angle = random.between(-50, 50).toFixed(0)
    const turned = `transform="rotate(${angle} ${at[0].toFixed(0)} ${at[1].toFixed(0)})"`
    return random.chance(0.5)
      ? polygon([[at[0] - 17, at[1] - 32], [at[0] + 17, at[1] - 32], [at[0] + 12, at[1] + 28], [at[0] - 12, at[1] + 28]], color, turned) // prettier-ignore
      : path(blob(random, at, [random.between(20, 46), random.between(15, 30)], 0.32, 9), color, turned)
  }
  return {
    ground: wall(random, bottom) + sidewalkAt(bottom) + castShadow(random),
    texture: 'concrete',
    objects:
      repeat(2, (index) => bag(random, [x - 70 + index * 350, base + random.between(-20, 16)], random.between(90, 130))) +
      shadow([x + 110, base + 6], [180, 30]) +
      horizontalGradient(
        'bin',
        `hsl(${hue},${saturation}%,15%)`,
        `hsl(${hue},${saturation}%,40%)`,
        `hsl(${hue},${saturation}%,12%)`,
      ) +
      `<path d="M${x} ${top}L${x + 16} ${base}Q${x + 100} ${base + 26} ${x + 184} ${base}L${x + 200} ${top}Z" fill="url(#bin)"/>` +
      repeat(
        9,
        (index) =>
          `<path d="M${x + 20 + index * 20} ${top + 26}L${x + 28 + index * 18} ${base}" stroke="#000" stroke-width="5" opacity="0.4"/>`,
      ) +
      ellipse([x + 100, top], [108, 26], '#0d0e0f') +
      repeat(34, item) +
      `<path d="M${x - 8} ${top}Q${x + 100} ${top + 52} ${x + 208} ${top}L${x + 206} ${top + 24}Q${x + 100} ${top + 76} ${x - 6} ${top + 24}Z" fill="hsl(${hue},${saturation}%,24%)"/>` +
      repeat(22, () =>
        path(
          blob(
            random,
            [random.between(120, 860), random.between(base - 30, base + 70)],
            [random.between(8, 30), random.between(5, 14)],
            0.35,
            8,
          ),
          tint(random, random.pick([0, 40, 200, 52]), random.pick([8, 50]), 66, 20),
        ),
      ),
  }
}
