import type { Random } from '../random.ts'
import { brickWall, foliage, houses, sky, street } from './background.ts'
import { blob, blur, ellipse, path, polygon, rect, repeat, shadow, smoothPath, stroke, tint, verticalGradient, WIDTH, type Point, type Scene } from './shapes.ts' // prettier-ignore

/** A tree across the road. */
export function fallenTree(random: Random): Scene {
  const base = random.between(330, 380)
  const toRight = random.chance(0.5)
  const flip = toRight ? '' : `transform="translate(${WIDTH} 0) scale(-1 1)"`
  const trunk: Point[] = [[60, base + 190], [300, base + 150], [620, base + 140], [760, base + 150], [620, base + 178], [320, base + 214], [80, base + 262]] // prettier-ignore
  const hue = random.pick([95, 80, 110, 40])
  const crown = (count: number, lightness: number, spread: number) =>
    repeat(count, () => {
      const [x, y] = [710 + random.normal() * spread, base + 120 + random.normal() * spread * 0.55]
      const angle = random.between(0, 180).toFixed(0)
      return ellipse(
        [x, y],
        [random.between(8, 24), random.between(5, 12)],
        tint(random, hue + random.between(-12, 12), 38, lightness, 9),
        `transform="rotate(${angle} ${x.toFixed(0)} ${y.toFixed(0)})"`,
      )
    })
  return {
    ground:
      sky(random, random.pick(['clear', 'cloudy', 'cloudy'])) +
      houses(random, base) +
      foliage(random, base - 10, hue) +
      street(random, base),
    texture: 'none',
    objects:
      `<g ${flip}>` +
      shadow([520, base + 250], [420, 40], 0.5) +
      verticalGradient('bark', '#8a7460', '#5c4837', '#2c2118') +
      path(blob(random, [80, base + 220], [70, 86], 0.3, 13), '#3b2a1d') +
      repeat(9, () =>
        stroke(
          smoothPath([
            [70, base + 220],
            [random.between(-30, 60), base + random.between(120, 330)],
            [random.between(-70, 20), base + random.between(90, 340)],
          ]),
          '#4a3626',
          random.between(5, 12),
        ),
      ) +
      path(smoothPath(trunk, true), 'url(#bark)') +
      repeat(46, () => {
        const [x, y] = [random.between(100, 640), base + random.between(158, 214)]
        return stroke(
          `M${x.toFixed(0)} ${y.toFixed(0)}q30 ${random.between(-7, 3).toFixed(0)} ${random.between(36, 90).toFixed(0)} -6`,
          '#1d140d',
          2,
          'opacity="0.5"',
        )
      }) +
      repeat(9, () =>
        stroke(
          smoothPath([
            [random.between(430, 640), base + 156],
            [random.between(560, 760), base + random.between(-40, 190)],
            [random.between(640, 920), base + random.between(-90, 270)],
          ]),
          '#4b3a2b',
          random.between(5, 14),
        ),
      ) +
      crown(190, 18, 112) +
      crown(230, 30, 98) +
      crown(120, 44, 80) +
      repeat(40, () =>
        ellipse(
          [random.between(200, 940), base + random.between(190, 340)],
          [random.between(4, 10), random.between(2, 5)],
          tint(random, hue, 36, 32, 12),
        ),
      ) +
      '</g>',
  }
}

const wheel = ([x, y]: Point, radius: number, isFlat: boolean): string =>
  ellipse([x, y + (isFlat ? 7 : 0)], [radius * (isFlat ? 1.08 : 1), radius * (isFlat ? 0.88 : 1)], '#17181a') +
  ellipse([x, y], [radius * 0.62, radius * 0.62], '#75797c') +
  ellipse([x, y], [radius * 0.5, radius * 0.5], '#3a3d40') +
  repeat(6, (index) => {
    const angle = (index / 6) * 2 * Math.PI
    return stroke(
      `M${x.toFixed(0)} ${y.toFixed(0)}l${(Math.cos(angle) * radius * 0.5).toFixed(0)} ${(Math.sin(angle) * radius * 0.5).toFixed(0)}`,
      '#8d9295',
      6,
    )
  })

/** A car with flat tires, dust and a notice behind its wiper. */
export function abandonedCar(random: Random): Scene {
  const base = random.between(330, 370)
  const [x, y] = [random.between(110, 190), base + 205]
  const [hue, saturation, lightness] = random.pick([[210, 34, 42], [0, 48, 36], [45, 6, 72], [120, 14, 30], [30, 30, 50]] as const) // prettier-ignore
  const at = (...points: readonly Point[]): Point[] => points.map(([dx, dy]) => [x + dx, y + dy])
  const body = smoothPath(
    at(
      [-6, -10],
      [-4, -92],
      [90, -116],
      [190, -128],
      [250, -208],
      [330, -218],
      [450, -214],
      [540, -136],
      [632, -112],
      [654, -70],
      [652, -14],
      [600, -4],
      [60, -2],
    ),
    true,
  )
  return {
    ground:
      sky(random, random.pick(['clear', 'cloudy'])) + houses(random, base) + foliage(random, base - 10) + street(random, base),
    texture: 'none',
    objects:
      shadow([x + 320, y + 20], [370, 34], 0.6) +
      verticalGradient(
        'paint',
        `hsl(${hue},${saturation}%,${lightness + 22}%)`,
        `hsl(${hue},${saturation}%,${lightness}%)`,
        `hsl(${hue},${saturation}%,${lightness - 18}%)`,
      ) +
      path(body, 'url(#paint)') +
      polygon(at([214, -134], [262, -196], [334, -202], [336, -134]), '#28333b') +
      polygon(at([352, -134], [350, -202], [440, -200], [512, -134]), '#28333b') +
      polygon(at([226, -138], [262, -188], [300, -190], [252, -138]), '#9fb4c2', 'opacity="0.4"') +
      (random.chance(0.6)
        ? polygon(at([372, -140], [388, -182], [412, -156], [440, -188], [462, -140]), '#0a0d10') +
          stroke(`M${x + 388} ${y - 182}l24 26l28 -32`, '#d8e6ee', 3)
        : '') +
      stroke(
        `M${x + 344} ${y - 206}V${y - 24}M${x + 214} ${y - 130}Q${x + 200} ${y - 60} ${x + 226} ${y - 22}M${x + 520} ${y - 126}Q${x + 530} ${y - 80} ${x + 512} ${y - 40}`,
        '#000',
        2.5,
        'opacity="0.4"',
      ) +
      stroke(`M${x + 8} ${y - 66}H${x + 646}`, '#fff', 3, `opacity="0.28" ${blur(1)}`) +
      ellipse([x + 636, y - 84], [18, 16], '#e8e2cf') +
      ellipse([x + 8, y - 78], [10, 20], '#8c1f1a') +
      wheel([x + 130, y - 4], 58, true) +
      wheel([x + 520, y - 4], 58, random.chance(0.5)) +
      repeat(9, () =>
        path(
          blob(
            random,
            [x + random.between(10, 640), y - random.between(14, 60)],
            [random.between(16, 60), random.between(8, 22)],
            0.35,
          ),
          '#6b4a2a',
          `opacity="0.34" ${blur(4)}`,
        ),
      ) +
      `<g transform="rotate(-9 ${x + 470} ${y - 170})">${rect(x + 455, y - 176, 40, 26, '#f08a24')}</g>` +
      repeat(40, () =>
        ellipse(
          [random.between(60, 900), y + random.between(10, 70)],
          [random.between(4, 11), random.between(2, 5)],
          tint(random, 36, 46, 38, 10),
        ),
      ),
  }
}

/** A bicycle without its front wheel, left at a wall. */
export function abandonedBicycle(random: Random): Scene {
  const y = 590
  const x = random.between(230, 330)
  const color = tint(random, random.pick([0, 210, 130, 40]), 42, 36)
  const rim = ([cx, cy]: Point) =>
    `<circle cx="${cx}" cy="${cy}" r="104" fill="none" stroke="#17181a" stroke-width="13"/><circle cx="${cx}" cy="${cy}" r="95" fill="none" stroke="#8e9396" stroke-width="4"/>` +
    repeat(18, (index) => {
      const angle = (index / 18) * 2 * Math.PI
      return stroke(
        `M${cx} ${cy}l${(Math.cos(angle) * 94).toFixed(0)} ${(Math.sin(angle) * 94).toFixed(0)}`,
        '#b9bec1',
        1.4,
        'opacity="0.8"',
      )
    })
  const tube = (d: string, width = 13) =>
    stroke(d, '#000', width + 3, 'opacity="0.5" transform="translate(7 8)"') +
    stroke(d, color, width) +
    stroke(d, '#fff', 3, 'opacity="0.3" transform="translate(-2 -3)"')
  return {
    ground:
      brickWall(random, [0, 0], [WIDTH, y + 20]) +
      rect(0, y + 10, WIDTH, 140, '#8f8b83') +
      rect(0, y - 6, WIDTH, 26, '#000', `opacity="0.45" ${blur(12)}`),
    texture: 'concrete',
    objects:
      shadow([x + 230, y + 34], [330, 22], 0.5) +
      rim([x + 60, y - 74]) +
      (random.chance(0.4) ? `<g transform="rotate(8 ${x + 440} ${y}) translate(0 20)">${rim([x + 440, y - 74])}</g>` : '') +
      tube(
        `M${x + 60} ${y - 74}L${x + 150} ${y - 228}L${x + 346} ${y - 238}L${x + 214} ${y - 74}ZM${x + 214} ${y - 74}L${x + 138} ${y - 262}`,
      ) +
      tube(`M${x + 338} ${y - 270}L${x + 352} ${y - 222}L${x + 420} ${y - 60}`, 11) +
      stroke(`M${x + 338} ${y - 272}q40 -26 74 -8`, '#222', 11) +
      path(`M${x + 92} ${y - 272}q50 -22 96 2q-40 20 -96 -2Z`, '#1a1a1c') +
      ellipse([x + 214, y - 74], [30, 30], '#2a2c2e') +
      stroke(`M${x + 214} ${y - 74}l38 44M${x + 236} ${y - 30}h34`, '#3a3d40', 9) +
      stroke(`M${x + 62} ${y - 66}L${x + 214} ${y - 46}`, '#5d4326', 5, 'stroke-dasharray="5 4"') +
      repeat(10, () =>
        ellipse(
          [x + random.between(60, 360), y - random.between(70, 250)],
          [random.between(3, 9), random.between(3, 7)],
          '#7a4420',
          `opacity="0.6" ${blur(1)}`,
        ),
      ) +
      repeat(40, () =>
        ellipse(
          [random.between(60, 900), y + random.between(16, 110)],
          [random.between(5, 12), random.between(3, 6)],
          tint(random, random.pick([36, 28, 90]), 46, 38, 10),
        ),
      ),
  }
}
