import type { Random } from '../random.ts'
import { castShadow } from './background.ts'
import {
  blob,
  blur,
  crack,
  ellipse,
  path,
  polygon,
  rect,
  repeat,
  stroke,
  tint,
  HEIGHT,
  WIDTH,
  type Point,
  type Scene,
} from './shapes.ts'

const leaves = (random: Random, count: number, within: () => Point): string =>
  repeat(count, () => {
    const [x, y] = within()
    const angle = random.between(0, 180).toFixed(0)
    return `<g transform="translate(${x.toFixed(0)} ${y.toFixed(0)}) rotate(${angle})">${ellipse([3, 5], [11, 6], '#000', 'opacity="0.35"')}${ellipse([0, 0], [random.between(7, 13), random.between(3, 7)], tint(random, random.pick([28, 38, 48, 80]), 46, 40, 9))}</g>`
  })

const anywhere = (random: Random) => (): Point => [random.between(0, WIDTH), random.between(0, HEIGHT)]

/** A hole in the asphalt, seen from above. */
export function pothole(random: Random): Scene {
  const center: Point = [random.between(380, 580), random.between(320, 420)]
  const [rx, ry] = [random.between(150, 250), random.between(95, 165)]
  const seed = (scale: number, roughness: number, [dx, dy]: Point = [0, 0]) =>
    blob(random, [center[0] + dx, center[1] + dy], [rx * scale, ry * scale], roughness, 18)
  const isWet = random.chance(0.4)
  const shade = random.between(30, 42)
  const line = random.chance(0.6)
    ? `<g transform="rotate(${random.between(-12, 12).toFixed(0)} 480 360)">${rect(random.pick([90, 760]), -60, 30, 860, random.pick(['#d9d6cc', '#d8b24a']), 'opacity="0.72"')}</g>`
    : ''
  const patch = random.chance(0.5) ? polygon([[600, -20], [990, -20], [990, 250], [640, 230]], '#000', 'opacity="0.28"') : '' // prettier-ignore
  return {
    ground: rect(0, 0, WIDTH, HEIGHT, tint(random, 220, 4, shade + 12)) + patch + line + castShadow(random),
    texture: 'asphalt',
    objects:
      stroke(
        Array.from({ length: 9 }, (_, index) => {
          const angle = (index / 9) * 2 * Math.PI + random.between(-0.3, 0.3)
          return crack(
            random,
            [center[0] + Math.cos(angle) * rx * 0.9, center[1] + Math.sin(angle) * ry * 0.9],
            angle,
            random.between(80, 230),
          )
        }).join(''),
        '#141414',
        2.6,
        'opacity="0.75"',
      ) +
      path(seed(1.14, 0.1), '#8d8a85', `opacity="0.35" ${blur(4)}`) +
      path(seed(1, 0.13), '#1d1b1a', 'opacity="0.92"') +
      path(seed(0.9, 0.12, [0, 10]), '#4a433b', `opacity="0.85" ${blur(4)}`) +
      repeat(150, () => {
        const [angle, away] = [random.between(0, 2 * Math.PI), Math.sqrt(random.next()) * 0.86]
        const size = random.between(2, 9)
        const at: Point = [center[0] + Math.cos(angle) * rx * away, center[1] + 8 + Math.sin(angle) * ry * away]
        return (
          ellipse([at[0] + 2, at[1] + 3], [size, size * 0.8], '#000', 'opacity="0.5"') +
          ellipse(at, [size, size * 0.75], tint(random, 35, 10, 40, 16))
        )
      }) +
      (isWet
        ? path(seed(0.68, 0.14, [10, 22]), '#8796a3', 'opacity="0.88"') +
          path(seed(0.5, 0.2, [-20, 2]), '#c9d5dc', `opacity="0.5" ${blur(12)}`)
        : path(seed(0.55, 0.2, [14, 18]), '#15110e', `opacity="0.55" ${blur(12)}`)) +
      repeat(60, () => {
        const [x, y] = [center[0] + random.normal() * rx * 1.3, center[1] + random.normal() * ry * 1.3]
        return ellipse([x, y], [random.between(1, 5), random.between(1, 4)], tint(random, 30, 6, 34, 14))
      }) +
      leaves(random, random.integer(0, 7), anywhere(random)),
  }
}

/** Slabs of concrete, one of them lifted by roots. */
export function sidewalk(random: Random): Scene {
  const joint = random.between(380, 520)
  const tilt = random.between(-5, 5)
  const grass = random.chance(0.6)
  const crackAt = random.between(120, 760)
  return {
    ground:
      rect(0, 0, WIDTH, HEIGHT, tint(random, 42, 8, 62)) +
      `<g transform="rotate(${tilt.toFixed(1)} 480 360)">` +
      [-160, joint - 340, joint, joint + 320].map((y) => rect(-80, y, 1140, 7, '#3e3a33', 'opacity="0.75"')).join('') +
      rect(random.between(420, 520), -80, 7, 900, '#3e3a33', 'opacity="0.6"') +
      '</g>' +
      repeat(8, () =>
        path(
          blob(random, anywhere(random)(), [random.between(20, 70), random.between(14, 50)], 0.3),
          '#000',
          `opacity="0.10" ${blur(12)}`,
        ),
      ) +
      castShadow(random),
    texture: 'concrete',
    objects:
      `<g transform="rotate(${tilt.toFixed(1)} 480 360)">` +
      polygon(
        [
          [-80, joint + 4],
          [1060, joint + random.between(-6, 10)],
          [1060, joint + 62],
          [-80, joint + random.between(20, 50)],
        ],
        '#000',
        `opacity="0.62" ${blur(4)}`,
      ) + // prettier-ignore
      polygon(
        [
          [-80, joint - 3],
          [1060, joint - 3],
          [1060, joint + 12],
          [-80, joint + 8],
        ],
        '#dcd6c8',
      ) + // prettier-ignore
      repeat(26, () =>
        ellipse(
          [random.between(0, WIDTH), joint + random.between(14, 46)],
          [random.between(4, 16), random.between(3, 9)],
          tint(random, 38, 12, 46, 14),
        ),
      ) +
      '</g>' +
      stroke(crack(random, [crackAt, 0], 1.5, joint), '#26221d', 4, 'opacity="0.85"') +
      stroke(crack(random, [crackAt + 60, joint + 40], 1.2, 330), '#26221d', 3.4, 'opacity="0.8"') +
      (grass
        ? repeat(130, () => {
            const x = random.between(0, WIDTH)
            const y = joint + random.between(0, 26)
            return stroke(
              `M${x.toFixed(0)} ${y.toFixed(0)}q${random.between(-8, 8).toFixed(0)} -14 ${random.between(-14, 14).toFixed(0)} -${random.between(14, 38).toFixed(0)}`,
              tint(random, 95, 40, 34, 10),
              2.4,
            )
          })
        : '') +
      leaves(random, random.integer(3, 14), anywhere(random)),
  }
}

/** A gutter under water, at a drain full of leaves. */
export function floodedGutter(random: Random): Scene {
  const curb = random.between(200, 270)
  const drain = random.between(220, 620)
  const bars = repeat(9, (index) => rect(drain + 10 + index * 24, curb + 70, 12, 92, '#0c0d0e', 'rx="5"'))
  return {
    ground:
      rect(0, 0, WIDTH, curb, tint(random, 40, 8, 60)) +
      [150, 470, 790].map((x) => `<path d="M${x} 0L${x - 26} ${curb}" stroke="#3e3a33" stroke-width="5" opacity="0.6"/>`).join('') +
      rect(0, curb - 4, WIDTH, 40, '#c4bfb3') +
      rect(0, curb + 36, WIDTH, 22, '#2e2d2c') +
      rect(0, curb + 50, WIDTH, HEIGHT, tint(random, 220, 4, 34)),
    texture: 'concrete',
    objects:
      path(blob(random, [drain + 100, curb + 180], [560, 150], 0.14, 20), '#5f6f7b', 'opacity="0.80"') +
      path(blob(random, [drain + 60, curb + 170], [420, 84], 0.2, 16), '#aebfca', `opacity="0.55" ${blur(12)}`) +
      repeat(26, () =>
        stroke(
          `M${random.between(0, 900).toFixed(0)} ${random.between(curb + 80, curb + 310).toFixed(0)}q40 ${random.between(-9, 9).toFixed(0)} ${random.between(60, 150).toFixed(0)} 0`,
          '#e8f0f4',
          2,
          'opacity="0.3"',
        ),
      ) +
      `<g opacity="0.8">${rect(drain, curb + 62, 236, 108, '#3c3e40', 'rx="6"')}${bars}</g>` +
      leaves(random, 75, () => [drain + 118 + random.normal() * 120, curb + 130 + random.normal() * 40]) +
      leaves(random, 22, () => [random.between(0, WIDTH), random.between(curb + 70, HEIGHT)]) +
      (random.chance(0.5)
        ? `<g transform="rotate(14 ${drain} ${curb + 200})">${rect(drain + 190, curb + 150, 34, 76, '#7fb2c9', 'rx="12" opacity="0.85"')}${rect(drain + 199, curb + 134, 16, 18, '#2f6d94', 'rx="4"')}</g>`
        : ''),
  }
}
