import type { Point } from '../geo/shapes.ts'
import { isInUnitedStates, timeZoneAt } from '../geo/time-zone.ts'
import { type Language, languages, type Texts, textsIn } from '../locales/texts.ts'
import { html, type SafeHtml } from './template.ts'

/** Returns the locale of numbers in a language. English texts use those of British English. */
export const numberLocale = (texts: Texts): string => texts('language.numbers')

/** Returns the locale of dates that belong to no place. English has those of the United States, for example "Nov 24, 2026". */
export const dateLocale = (texts: Texts): string => texts('language.dates')

/** Returns a function that creates the format of a language once. */
export function keepFormats<Format>(create: (language: Language) => Format): (language: Language) => Format {
  const formats = new Map(languages.map((language) => [language, create(language)]))
  return (language) => formats.get(language) ?? create(language)
}

const numberFormat = keepFormats((language) => new Intl.NumberFormat(numberLocale(textsIn(language))))
const dateFormat = keepFormats(
  (language) => new Intl.DateTimeFormat(dateLocale(textsIn(language)), { dateStyle: 'medium', timeZone: 'UTC' }),
)
const alternativesFormat = keepFormats((language) => new Intl.ListFormat(numberLocale(textsIn(language)), { type: 'disjunction' }))

export function formatNumber(number: number, language: Language): string {
  return numberFormat(language).format(number)
}

/** Dates are absolute, because pages are cached and shared. */
export function formatDate(iso: string, language: Language): SafeHtml {
  return html`<time datetime="${iso}">${dateFormat(language).format(new Date(iso))}</time>`
}

/** Returns for example "comment, vote or follow". */
export function formatAlternatives(names: readonly string[], language: Language): string {
  return alternativesFormat(language).format(names)
}

/** Returns one line of at most `lengthMax` characters, with an ellipsis if the text is longer. */
export function truncate(text: string, lengthMax = 160): string {
  const line = text.replaceAll(/\s+/g, ' ').trim().toWellFormed()
  return line.length <= lengthMax
    ? line
    : `${line
        .slice(0, lengthMax - 1)
        .toWellFormed()
        .trimEnd()}…`
}

/** English texts about a place in the United States have its dates and units. Everything else has those of the language. */
const localeAt = (texts: Texts, point: Point): string =>
  texts.language === 'en' && isInUnitedStates(point) ? 'en-US' : numberLocale(texts)

/** Without a point, dates are those of `formatDate`, in UTC. */
const dateOptionsAt = (texts: Texts, point: Point | undefined) =>
  point === undefined ? ([dateLocale(texts), 'UTC'] as const) : ([localeAt(texts, point), timeZoneAt(point)] as const)

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
const RELATIVE_MAX_MS = 30 * DAY_MS

/** Returns the date and time in the time zone of the point or UTC, for example "25 Nov 2026, 06:45 GMT-7". */
export function formatLocalDateTime(iso: string, language: Language, point: Point | undefined): SafeHtml {
  return html`<time datetime="${iso}">${writeLocalDateTime(iso, textsIn(language), point)}</time>`
}

/** Returns for example "3 hours ago" with the exact time as title; the date and time if they are 30 days away or more. */
export function formatLocalTime(iso: string, texts: Texts, point: Point | undefined, now = new Date()): SafeHtml {
  return relativeTime(iso, texts, point, now) ?? formatLocalDateTime(iso, texts.language, point)
}

/** Returns the same for a list: the date alone if it is 30 days away or more. */
export function formatLocalDate(iso: string, texts: Texts, point: Point, now = new Date()): SafeHtml {
  const format = findDateFormat(localeAt(texts, point), { dateStyle: 'medium', timeZone: timeZoneAt(point) })
  return relativeTime(iso, texts, point, now) ?? html`<time datetime="${iso}">${format.format(new Date(iso))}</time>`
}

function relativeTime(iso: string, texts: Texts, point: Point | undefined, now: Date): SafeHtml | undefined {
  const difference = new Date(iso).getTime() - now.getTime()
  if (Math.abs(difference) >= RELATIVE_MAX_MS) return undefined
  const exact = writeLocalDateTime(iso, texts, point)
  return html`<time class="relative" datetime="${iso}" title="${exact}">${formatDifference(difference, texts.language)}</time>`
}

const UNITS = [
  ['year', 365.25 * DAY_MS, 730 * DAY_MS],
  ['month', 30.44 * DAY_MS, 60 * DAY_MS],
  ['week', 7 * DAY_MS, 14 * DAY_MS],
  ['day', DAY_MS, DAY_MS],
  ['hour', HOUR_MS, HOUR_MS],
  ['minute', MINUTE_MS, 0],
] as const

/** Returns the count of the largest unit. A unit starts at two of it, so that no month is lost in "1 year". */
function countUnits(duration_ms: number) {
  const [unit, unit_ms] = UNITS.find(([, , ms_min]) => duration_ms >= ms_min) ?? ['minute', MINUTE_MS]
  return { unit, count: Math.floor(duration_ms / unit_ms) }
}

/** Returns a duration in its largest unit, for example "3 weeks", and at least "1 minute". */
export function formatDuration(duration_ms: number, language: Language): string {
  const { unit, count } = countUnits(Math.max(duration_ms, MINUTE_MS))
  return writeUnit(count, unit, numberLocale(textsIn(language)))
}

/** Returns for example "3 weeks ago" or "in 5 minutes". */
export function formatDifference(difference_ms: number, language: Language): string {
  const { unit, count } = countUnits(Math.abs(difference_ms))
  if (count === 0) return nowFormat(language).format(0, 'second')
  // Never "yesterday", which depends on the time zone of the reader.
  return relativeFormat(language).format(difference_ms < 0 ? -count : count, unit)
}

/** Returns the date and time of `formatLocalDateTime` without markup. */
export function writeLocalDateTime(iso: string, texts: Texts, point: Point | undefined): string {
  const [locale, timeZone] = dateOptionsAt(texts, point)
  const format = findDateFormat(locale, {
    ...({ year: 'numeric', month: 'short', day: 'numeric', hour: 'numeric', minute: '2-digit' } as const),
    timeZone,
    timeZoneName: 'short',
  })
  return format.format(new Date(iso))
}

const dateFormats = new Map<string, Intl.DateTimeFormat>()
const relativeFormat = keepFormats(
  (language) => new Intl.RelativeTimeFormat(numberLocale(textsIn(language)), { numeric: 'always' }),
)
const nowFormat = keepFormats((language) => new Intl.RelativeTimeFormat(numberLocale(textsIn(language)), { numeric: 'auto' }))

/** Formats are expensive to create. Locales and time zones bound their number. */
function findDateFormat(locale: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = JSON.stringify([locale, options])
  const format = dateFormats.get(key) ?? new Intl.DateTimeFormat(locale, options)
  dateFormats.set(key, format)
  return format
}

const FEET_PER_METRE = 3.280_84
const METRES_PER_MILE = 1_609.344
/** Shorter distances are in feet. */
const MILES_MIN_M = 0.2 * METRES_PER_MILE

/** Returns for example "750 metres" or "1.5 kilometres"; "0.5 miles" or "330 feet" in English about a place in the United States. */
export function formatDistance(metres: number, texts: Texts, point: Point | undefined): string {
  const locale = point === undefined ? numberLocale(texts) : localeAt(texts, point)
  if (locale !== 'en-US') {
    return metres < 1_000 ? writeUnit(metres, 'meter', locale) : writeUnit(metres / 1_000, 'kilometer', locale)
  }
  if (metres < MILES_MIN_M) return writeUnit(Math.round((metres * FEET_PER_METRE) / 10) * 10, 'foot', locale)
  return writeUnit(Math.round((metres / METRES_PER_MILE) * 10) / 10, 'mile', locale)
}

const unitFormats = new Map<string, Intl.NumberFormat>()

function writeUnit(value: number, unit: string, locale: string): string {
  const key = `${locale} ${unit}`
  const format = unitFormats.get(key) ?? new Intl.NumberFormat(locale, { style: 'unit', unit, unitDisplay: 'long' })
  unitFormats.set(key, format)
  return format.format(value)
}
