import { createForm, type FormState } from '../../html/form.ts'
import { formatNumber, dateLocale, keepFormats, numberLocale, formatDuration } from '../../html/format.ts'
import type { Links } from '../../html/links.ts'
import { html, type SafeHtml } from '../../html/template.ts'
import { outcomes } from '../../issue-lifecycle/status.ts'
import type { IssueRow } from '../../issues/queries.ts'
import { type Language, type Texts, textsIn } from '../../locales/texts.ts'
import type { IntervalNumbers, Statistics, TypeNumbers } from '../../statistics/schema.ts'

/* A chart of pairs of bars. Its numbers are in CSS pixels of the drawing, which a phone shows in about this size. */
const [WIDTH, HEIGHT] = [380, 210]
const [LEFT, RIGHT, TOP, BOTTOM] = [44, 4, 12, 24]
const LABELS_MAX = 6

interface BarPair {
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
function barChart({ id, title, description, pairs, classes, language }: BarChart): SafeHtml {
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

/** Days have too few issues to be shown in most places. */
export type ChartInterval = 'week' | 'month'

interface NumbersView {
  readonly statistics: Statistics
  readonly interval: ChartInterval
  /** The issues that have waited longest, the oldest first. */
  readonly oldest: readonly IssueRow[]
  /** The path of the page. */
  readonly path: string
  readonly now: Date
  readonly texts: Texts
  readonly links: Links
}

const HOUR_MS = 3_600_000
const LEFT_OUT = '–'
const showNumber = (value: number | null, language: Language) => (value === null ? LEFT_OUT : formatNumber(value, language))

/** Returns the sections of a page of numbers below its heading. */
export function numbersBody(view: NumbersView): SafeHtml {
  const { statistics, interval, texts, path, links } = view
  const { from, until } = statistics.metadata
  const hasLeftOut = JSON.stringify([statistics.total, statistics.intervals, statistics.types]).includes(':null')
  return html`${periodForm(view, { values: { from, until } })}
    <section aria-labelledby="key-numbers">
      <h2 id="key-numbers">${texts('numbers.period', { from: writeDate(from, texts.language), until: writeDate(until, texts.language) })}</h2>
      ${keyNumbers(statistics, texts)}
    </section>
    <div class="two-columns">${chartSection(statistics, interval, texts)}${speedSection(statistics, texts)}</div>
    ${outcomeSection(statistics, texts)}
    ${typeSection(statistics.types, texts)}
    ${oldestSection(view)}
    ${hasLeftOut ? html`<p class="quiet">${texts('numbers.leftOut')}</p>` : ''}
    <p class="quiet">${texts('numbers.rules')}</p>
    <p><a class="button second" href="${links.to(path, { from, until, format: 'csv' })}" download>${texts('numbers.csv')}</a></p>`
}

/** The form from which the page is shown, with its errors. */
export function periodForm({ path, links, texts }: Pick<NumbersView, 'path' | 'links' | 'texts'>, state: FormState): SafeHtml {
  const form = createForm(texts.language, state)
  const date = (name: 'from' | 'until') => form.input(name, texts(`numbers.${name}`), { type: 'date', required: true })
  const fields = html`${date('from')}${date('until')}`
  return html`${form.errorSummary()}<form class="period" action="${links.to(path)}">
    ${fields}
    <button class="second">${texts('numbers.show')}</button>
  </form>`
}

function keyNumbers({ total }: Statistics, texts: Texts): SafeHtml {
  const number = (value: number | null) => showNumber(value, texts.language)
  const before = total.open_at_start === null ? '' : texts('numbers.openBefore', { count: total.open_at_start })
  return html`<dl class="key-numbers">
    ${keyNumber('open', texts('numbers.reported'), number(total.reported))}
    ${keyNumber('acknowledged', texts('numbers.acknowledged'), number(total.acknowledged))}
    ${keyNumber('closed', texts('numbers.closed'), number(total.closed))}
    ${keyNumber('', texts('numbers.reopened'), number(total.reopened))}
    ${keyNumber('', texts('numbers.open'), number(total.open_at_end), before)}
  </dl>`
}

const keyNumber = (colour: string, name: string, value: string, more = ''): SafeHtml =>
  html`<div class="${colour}"><dt>${name}</dt><dd><b>${value}</b>${more === '' ? '' : html` <span class="quiet">${more}</span>`}</dd></div>`

/** Returns how fast issues are solved in a place, with a small chart and a link to all its numbers. */
export function speedOfPlace(statistics: Statistics, link: SafeHtml, texts: Texts): SafeHtml {
  return html`<section aria-labelledby="speed"><h2 id="speed">${texts('numbers.howFastHere')}</h2>
    <div class="two-columns"><div>${speedNumbers(statistics, texts)}<p>${link}</p></div>${intervalChart(statistics, 'month', texts)}</div></section>`
}

function chartSection(statistics: Statistics, interval: ChartInterval, texts: Texts): SafeHtml {
  const title = texts(`numbers.chart.${interval}`)
  return html`<section aria-labelledby="by-interval">
    <h2 id="by-interval">${title}</h2>
    ${intervalChart(statistics, interval, texts)}
    <details class="data numbers"><summary>${texts('numbers.table')}</summary>${intervalTable(statistics.intervals, interval, texts)}</details>
  </section>`
}

function intervalChart({ intervals }: Statistics, interval: ChartInterval, texts: Texts): SafeHtml {
  const label = (date: string) => labelFormats[interval](texts.language).format(new Date(date))
  const highest = intervals.toSorted((a, b) => (b.reported ?? 0) - (a.reported ?? 0))[0]
  const chart = barChart({
    id: 'chart',
    title: texts(`numbers.chart.${interval}`),
    description: texts('numbers.chartDescription', { count: highest?.reported ?? 0, when: label(highest?.start ?? '1970-01-01') }),
    pairs: intervals.map(({ start, reported, closed }) => ({ label: label(start), values: [reported, closed] })),
    classes: ['reported', 'closed'],
    language: texts.language,
  })
  return html`<figure class="frame chart-frame">${chart}
    <figcaption><ul class="legend"><li class="open">${texts('numbers.reported')}</li><li class="closed">${texts('numbers.closed')}</li></ul></figcaption>
  </figure>`
}

function intervalTable(intervals: readonly IntervalNumbers[], interval: ChartInterval, texts: Texts): SafeHtml {
  const number = (value: number | null) => html`<td class="number">${showNumber(value, texts.language)}</td>`
  const rows = intervals.map(
    ({ start, reported, closed, open_at_end }) =>
      html`<tr><th scope="row">${labelFormats[interval](texts.language).format(new Date(start))}</th>${[reported, closed, open_at_end].map(number)}</tr>`,
  )
  return html`<table>
    <thead><tr><th scope="col">${texts(`numbers.interval.${interval}`)}</th>${(['reported', 'closed', 'open'] as const).map((column) => html`<th scope="col" class="number">${texts(`numbers.${column}`)}</th>`)}</tr></thead>
    <tbody>${rows}</tbody>
  </table>`
}

const speedSection = (statistics: Statistics, texts: Texts): SafeHtml =>
  html`<section aria-labelledby="speed"><h2 id="speed">${texts('numbers.howFast')}</h2>${speedNumbers(statistics, texts)}</section>`

function speedNumbers({ total }: Statistics, texts: Texts): SafeHtml {
  const duration = (hours: number | null) => (hours === null ? null : formatDuration(hours * HOUR_MS, texts.language))
  const share = (value: number | null) => (value === null ? null : percentFormat(texts.language).format(value))
  const facts = [
    [texts('numbers.halfAcknowledged'), duration(total.median_acknowledge_hours)],
    [texts('numbers.mostAcknowledged'), duration(total.p90_acknowledge_hours)],
    [texts('numbers.halfClosed'), duration(total.median_close_hours)],
    [texts('numbers.mostClosed'), duration(total.p90_close_hours)],
    [texts('numbers.acknowledgedInTime'), share(total.acknowledged_in_time_share)],
    [texts('numbers.closedInTime'), share(total.closed_in_time_share)],
    [texts('numbers.confirmed'), share(total.confirmed_share)],
  ] as const
  const rows = facts.flatMap(([name, value]) => (value === null ? [] : [keyNumber('', name, value)]))
  return rows.length > 0 ? html`<dl class="key-numbers">${rows}</dl>` : html`<p class="empty">${texts('numbers.tooFew')}</p>`
}

function outcomeSection({ total: { closed_by_outcome: closed } }: Statistics, texts: Texts): SafeHtml | string {
  if (outcomes.every((outcome) => closed[outcome] === 0)) return ''
  const item = (name: string, count: number | null) =>
    count === 0 ? '' : html`<li>${name} <b>${showNumber(count, texts.language)}</b></li>`
  return html`<section aria-labelledby="outcomes"><h2 id="outcomes">${texts('numbers.outcomes')}</h2>
    <ul>${outcomes.map((outcome) => item(texts(`outcome.${outcome}`), closed[outcome]))}${item(texts('numbers.unknownOutcome'), closed.unknown)}</ul></section>`
}

function typeSection(types: readonly TypeNumbers[], texts: Texts): SafeHtml | string {
  if (types.length === 0) return ''
  const number = (value: number | null) => html`<td class="number">${showNumber(value, texts.language)}</td>`
  const rows = types.map(
    ({ title, reported, closed, open_at_end, median_close_hours }) =>
      html`<tr><th scope="row">${title}</th>${[reported, closed, open_at_end].map(number)}<td class="number">${median_close_hours === null ? LEFT_OUT : formatDuration(median_close_hours * HOUR_MS, texts.language)}</td></tr>`,
  )
  return html`<section aria-labelledby="by-type"><h2 id="by-type">${texts('numbers.byType')}</h2>
    <div class="data numbers" role="group" aria-labelledby="by-type" tabindex="0"><table>
      <thead><tr><th scope="col">${texts('numbers.type')}</th>${(['reported', 'closed', 'openShort', 'halfClosedShort'] as const).map((column) => html`<th scope="col" class="number">${texts(`numbers.${column}`)}</th>`)}</tr></thead>
      <tbody>${rows}</tbody>
    </table></div></section>`
}

function oldestSection({ oldest, now, links, texts }: NumbersView): SafeHtml {
  const items = oldest.map(({ id, summary, created_at }) => {
    const age = formatDuration(now.getTime() - Date.parse(created_at), texts.language)
    return html`<li><a href="${links.to(`/issues/${id}`)}">${summary}</a> <span class="quiet">#${id} · ${texts('numbers.waiting', { age })}</span></li>`
  })
  return html`<section aria-labelledby="oldest"><h2 id="oldest">${texts('numbers.oldest')}</h2>
    ${items.length > 0 ? html`<ol class="oldest">${items}</ol>` : html`<p class="empty">${texts('numbers.noneWaiting')}</p>`}</section>`
}

const longDate = keepFormats(
  (language) => new Intl.DateTimeFormat(dateLocale(textsIn(language)), { dateStyle: 'long', timeZone: 'UTC' }),
)
const writeDate = (date: string, language: Language) => longDate(language).format(new Date(date))

const dateLabels = (options: Intl.DateTimeFormatOptions) =>
  keepFormats((language) => new Intl.DateTimeFormat(numberLocale(textsIn(language)), { ...options, timeZone: 'UTC' }))
const labelFormats = {
  week: dateLabels({ day: 'numeric', month: 'short' }),
  month: dateLabels({ month: 'short', year: '2-digit' }),
} as const
const percentFormat = keepFormats((language) => new Intl.NumberFormat(numberLocale(textsIn(language)), { style: 'percent' }))
