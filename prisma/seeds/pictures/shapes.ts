import type { Random } from '../random.ts'

/** Size of the coordinate system. Pictures have two thirds of it in pixels. */
export const WIDTH = 960
export const HEIGHT = 720

/** A drawing of a problem in two layers: the ground gets the texture, objects lie on top of it. Both are the content of an SVG. */
export interface Scene {
  readonly ground: string
  readonly texture: 'asphalt' | 'concrete' | 'none'
  readonly objects: string
}

export type Point = readonly [x: number, y: number]

const format = (value: number): string => value.toFixed(1)

/** Returns the path of a closed smooth curve around a centre, irregular by `roughness` (a fraction of its radius). */
export function blob(random: Random, [x, y]: Point, [rx, ry]: Point, roughness = 0.15, corners = 14): string {
  const points = Array.from({ length: corners }, (_, index): Point => {
    const angle = (index / corners) * 2 * Math.PI
    const radius = 1 + random.between(-roughness, roughness)
    return [x + Math.cos(angle) * rx * radius, y + Math.sin(angle) * ry * radius]
  })
  return smoothPath(points, true)
}

/** Returns a path through the middles of the given points, with the points as controls. */
export function smoothPath(points: readonly Point[], isClosed = false): string {
  const [first = [0, 0], second = first] = points
  const middle = (one: Point, other: Point): string => `${format((one[0] + other[0]) / 2)} ${format((one[1] + other[1]) / 2)}`
  const at = (index: number): Point => points[index % points.length] ?? first
  if (!isClosed) {
    const curves = points
      .slice(1, -1)
      .map((point, index) => `Q${format(point[0])} ${format(point[1])} ${middle(point, at(index + 2))}`)
    return `M${format(first[0])} ${format(first[1])}${curves.join('')}`
  }
  const curves = points.map((_, index) => {
    const [control, next] = [at(index + 1), at(index + 2)]
    return `Q${format(control[0])} ${format(control[1])} ${middle(control, next)}`
  })
  return `M${middle(first, second)}${curves.join('')}Z`
}

/** Returns the path of a crack with branches. */
export function crack(random: Random, [x, y]: Point, angle: number, length: number, branches = 2): string {
  let [path, at, turned] = [`M${format(x)} ${format(y)}`, [x, y] as Point, angle]
  const steps = Math.max(Math.round(length / 16), 3)
  for (let step = 0; step < steps; step++) {
    turned += random.normal() * 0.35 + (angle - turned) * 0.3
    at = [at[0] + (Math.cos(turned) * length) / steps, at[1] + (Math.sin(turned) * length) / steps]
    path += `L${format(at[0])} ${format(at[1])}`
    if (branches > 0 && random.chance(0.16)) {
      path += `${crack(random, at, turned + (random.chance(0.5) ? 0.8 : -0.8), length * 0.4, branches - 1)}M${format(at[0])} ${format(at[1])}`
    }
  }
  return path
}

export const polygon = (points: readonly Point[], fill: string, more = ''): string =>
  `<polygon points="${points.map((point) => point.map(format).join(',')).join(' ')}" fill="${fill}" ${more}/>`

export const rect = (x: number, y: number, width: number, height: number, fill: string, more = ''): string =>
  `<rect x="${format(x)}" y="${format(y)}" width="${format(width)}" height="${format(height)}" fill="${fill}" ${more}/>`

export const ellipse = ([x, y]: Point, [rx, ry]: Point, fill: string, more = ''): string =>
  `<ellipse cx="${format(x)}" cy="${format(y)}" rx="${format(rx)}" ry="${format(ry)}" fill="${fill}" ${more}/>`

export const path = (d: string, fill: string, more = ''): string => `<path d="${d}" fill="${fill}" ${more}/>`

export const stroke = (d: string, color: string, width: number, more = ''): string =>
  `<path d="${d}" fill="none" stroke="${color}" stroke-width="${format(width)}" stroke-linecap="round" stroke-linejoin="round" ${more}/>`

/** A deviation of 1, 4, 12 or 20. */
export const blur = (deviation: number): string => `filter="url(#blur${deviation})"`

/** The filter of a large group needs a smaller margin, which takes less time. */
export const blurGroup = (deviation: number, content: string): string => `<g filter="url(#group${deviation})">${content}</g>`

/** A soft shadow on the ground. */
export const shadow = (at: Point, size: Point, opacity = 0.45): string =>
  ellipse(at, size, '#000', `opacity="${opacity}" ${blur(12)}`)

export const repeat = (count: number, draw: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => draw(index)).join('')

/** Returns a colour in HSL with a random deviation of its lightness. */
export const tint = (random: Random, hue: number, saturation: number, lightness: number, deviation = 5): string =>
  `hsl(${hue.toFixed(0)},${saturation}%,${(lightness + random.between(-deviation, deviation)).toFixed(1)}%)`

/** A gradient from top to bottom; `id` must be unique in the picture. */
export const verticalGradient = (id: string, ...colors: readonly string[]): string =>
  gradient(id, 'x1="0" y1="0" x2="0" y2="1"', colors)
export const horizontalGradient = (id: string, ...colors: readonly string[]): string =>
  gradient(id, 'x1="0" y1="0" x2="1" y2="0"', colors)

const gradient = (id: string, direction: string, colors: readonly string[]): string =>
  `<linearGradient id="${id}" ${direction}>${colors
    .map((color, index) => `<stop offset="${format(index / (colors.length - 1))}" stop-color="${color}"/>`)
    .join('')}</linearGradient>`
