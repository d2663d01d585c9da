import { formatNumber } from '../../html/format.ts'
import { html, type SafeHtml } from '../../html/template.ts'
import type { Language } from '../../locales/texts.ts'

/* A chart of pairs of bars. Its numbers are in CSS pixels of the drawing, which a phone shows in about this size. */
const [WIDTH, HEIGHT] = [380, 210]
const [LEFT, RIGHT, TOP, BOTTOM] = [44, 4, 12, 24]
const LABELS_MAX = 6

export interface BarPair {
  readonly label: string
  /** Null is a number that is left out: a mark on the axis. */
  readonly values: readonly [number | null, number | null]
}

interface BarChart {
  readonly id: string
  readonly title: string
  readonly description: string
  readonly pairs: readonly BarPair[]
  /** Classes of the first and the second bar, which colour them. */
  readonly classes: readonly [string, string]
  readonly language: Language
}

/** Returns an SVG element that needs no style attributes. A table has to give the same numbers to readers who cannot see it. */
export function barChart({ id, title, description, pairs, classes, language }: BarChart): SafeHtml {
  const highest = Math.max(1, ...pairs.flatMap(({ values }) => values.map((value) => value ?? 0)))
  const step = tickStep(highest)
  const top = Math.ceil(highest / step) * step
  const ticks = Array.from({ length: top / step + 1 }, (_, n) => n * step)
  const toY = (value: number) => round(HEIGHT - BOTTOM - (value / top) * (HEIGHT - TOP - BOTTOM))
  const slot = (WIDTH - LEFT - RIGHT) / Math.max(pairs.length, 1)
  const bar = Math.min(slot * 0.4, 18)
  const every = Math.ceil(pairs.length / LABELS_MAX)
  const bars = pairs.map(({ label, values }, index) => {
    const middle = LEFT + slot * (index + 0.5)
    return html`<g>${values.map((value, n) => {
      const y = value === null ? HEIGHT - BOTTOM - 4 : toY(value)
      const box = html`x="${round(middle + (n - 1) * bar)}" y="${y}" width="${round(bar * 0.92)}" height="${round(HEIGHT - BOTTOM - y)}"`
      return html`<rect class="${classes[n] ?? ''}${value === null ? ' left-out' : ''}" ${box}></rect>`
    })}${index % every === 0 ? html`<text class="label" x="${round(middle)}" y="${HEIGHT - 7}" text-anchor="middle">${label}</text>` : ''}</g>`
  })
  return html`<svg class="chart" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-labelledby="${id}-title ${id}-description">
    <title id="${id}-title">${title}</title>
    <desc id="${id}-description">${description}</desc>
    ${ticks.map(
      (tick) =>
        html`<line class="${tick === 0 ? 'axis' : 'tick'}" x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${toY(tick)}" y2="${toY(tick)}"></line><text class="label" x="${LEFT - 6}" y="${round(toY(tick) + 4)}" text-anchor="end">${formatNumber(tick, language)}</text>`,
    )}
    ${bars}
  </svg>`
}

/** Returns 1, 2 or 5 times a power of ten, so that an axis has three to six ticks. */
function tickStep(highest: number): number {
  const power = 10 ** Math.floor(Math.log10(highest / 4))
  return Math.max(1, [1, 2, 5, 10].map((factor) => factor * power).find((step) => highest / step <= 5) ?? 10 * power)
}

const round = (pixels: number) => Math.round(pixels * 10) / 10
