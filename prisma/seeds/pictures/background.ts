import type { Random } from '../random.ts'
import {
  blur,
  blurGroup,
  ellipse,
  horizontalGradient,
  polygon,
  rect,
  repeat,
  tint,
  verticalGradient,
  HEIGHT,
  WIDTH,
  type Point,
} from './shapes.ts'

export type Sky = 'clear' | 'cloudy' | 'evening' | 'night'

const skies: Readonly<Record<Sky, readonly string[]>> = {
  clear: ['#6f9fd0', '#a9c8e4', '#dfe9ee'],
  cloudy: ['#a3abb3', '#bfc5c9', '#d8d9d6'],
  evening: ['#32466e', '#8a7696', '#e3a27c'],
  night: ['#0b1120', '#17213a', '#2b3552'],
}

export function sky(random: Random, kind: Sky): string {
  const clouds = kind === 'night' ? 0 : kind === 'cloudy' ? 14 : 6
  return (
    verticalGradient('sky', ...skies[kind]) +
    rect(0, 0, WIDTH, HEIGHT, 'url(#sky)') +
    blurGroup(
      20,
      repeat(clouds, () =>
        ellipse(
          [random.between(0, WIDTH), random.between(20, 330)],
          [random.between(80, 220), random.between(14, 44)],
          kind === 'evening' ? '#f2c3a0' : '#fff',
          `opacity="${random.between(0.15, 0.45).toFixed(2)}"`,
        ),
      ),
    )
  )
}

/** A row of houses out of focus, standing on `base`. */
export function houses(random: Random, base: number, isDark = false): string {
  let [x, drawn] = [-40, '']
  while (x < WIDTH) {
    const [width, height] = [random.between(110, 230), random.between(170, 330)]
    const wall = tint(random, random.pick([18, 28, 35, 210, 0, 45]), isDark ? 12 : 24, isDark ? 12 : 58, 9)
    const columns = Math.floor(width / 46)
    drawn +=
      rect(x, base - height, width, height, wall) + rect(x, base - height - 8, width, 12, tint(random, 30, 8, isDark ? 8 : 40))
    drawn += repeat(columns * Math.floor(height / 70), (index) => {
      const isLit = isDark && random.chance(0.3)
      const [column, row] = [index % columns, Math.floor(index / columns)]
      return rect(x + 18 + column * 46, base - height + 24 + row * 70, 22, 40, isLit ? '#f6cf7d' : isDark ? '#0a0e18' : '#46525e')
    })
    x += width + (random.chance(0.2) ? random.between(20, 60) : 2)
  }
  return blurGroup(4, drawn)
}

/** Crowns of trees out of focus. */
export function foliage(random: Random, base: number, hue = 95): string {
  return blurGroup(
    4,
    repeat(70, () =>
      ellipse(
        [random.between(-20, WIDTH + 20), base - random.between(0, 240) * random.next()],
        [random.between(24, 64), random.between(18, 46)],
        tint(random, hue + random.between(-14, 14), 32, 32, 12),
        'opacity="0.85"',
      ),
    ),
  )
}

/** A sidewalk of slabs and a road in front of it, seen by a pedestrian across the street. */
export function street(random: Random, base: number, isDark = false): string {
  const curb = base + 90
  const slab = (x: number) => `M${x} ${base}L${WIDTH / 2 + (x - WIDTH / 2) * 1.35} ${curb}`
  return (
    verticalGradient('walk', isDark ? '#23262d' : '#9b988f', isDark ? '#2c2f36' : '#b9b5aa') +
    verticalGradient('road', isDark ? '#15171c' : '#5b5c5e', isDark ? '#0d0f13' : '#48494b') +
    rect(0, base, WIDTH, curb - base, 'url(#walk)') +
    `<path d="${Array.from({ length: 15 }, (_, index) => slab(index * 80 - 80)).join('')}" stroke="#000" opacity="0.28" stroke-width="2"/>` +
    rect(0, curb, WIDTH, 13, isDark ? '#3a3d44' : '#c9c5ba') +
    rect(0, curb + 13, WIDTH, 13, isDark ? '#0a0b0e' : '#3a3a3a', 'opacity="0.7"') +
    rect(0, curb + 20, WIDTH, HEIGHT - curb, 'url(#road)') +
    repeat(3, () =>
      ellipse(
        [random.between(0, WIDTH), random.between(curb + 60, HEIGHT)],
        [random.between(60, 200), 12],
        '#000',
        `opacity="0.18" ${blur(12)}`,
      ),
    )
  )
}

export function brickWall(random: Random, [left, top]: Point, [right, bottom]: Point): string {
  const [width, height] = [54, 19]
  const hue = random.pick([8, 14, 18, 22, 36])
  const [saturation, lightness] = hue === 36 ? [20, 58] : [36, 38]
  const rows = Math.ceil((bottom - top) / height)
  return (
    rect(left, top, right - left, bottom - top, '#a89f93') +
    repeat(rows, (row) =>
      repeat(Math.ceil((right - left) / width) + 1, (column) =>
        rect(
          left + (column - (row % 2) / 2) * width,
          top + row * height,
          width - 3,
          height - 3,
          tint(random, hue + random.between(-4, 4), saturation, lightness, 7),
        ),
      ),
    )
  )
}

/** Haze, light from one side and darker corners, as in a photograph. */
export function light(random: Random): string {
  const isLeft = random.chance(0.5)
  const [near, far] = ['rgba(255,236,200,0.22)', 'rgba(10,16,40,0.18)']
  return (
    rect(0, 0, WIDTH, HEIGHT, '#fff7ea', 'opacity="0.07"') +
    horizontalGradient('light', ...(isLeft ? [near, far] : [far, near])) +
    rect(0, 0, WIDTH, HEIGHT, 'url(#light)') +
    '<radialGradient id="vignette" r="0.75"><stop offset="0.55" stop-color="#000" stop-opacity="0"/><stop offset="1" stop-color="#000" stop-opacity="0.32"/></radialGradient>' +
    rect(0, 0, WIDTH, HEIGHT, 'url(#vignette)')
  )
}

/** The soft shadow of a tree or pole that is not in the picture. */
export function castShadow(random: Random): string {
  const x = random.between(-100, WIDTH)
  return polygon(
    [
      [x, 0],
      [x + random.between(120, 260), 0],
      [x + random.between(300, 620), HEIGHT],
      [x + 120, HEIGHT],
    ],
    '#000',
    'opacity="0.2" filter="url(#group20)"',
  )
}
