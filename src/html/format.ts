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
