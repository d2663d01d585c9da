import { type Language, languages } from '../errors/texts/languages.ts'
import { html, type SafeHtml } from './template.ts'

/** English texts use the numbers of British English. */
export const locales = { en: 'en-GB', es: 'es', fr: 'fr' } as const

/** English dates that belong to no place are written as those of the United States, for example "Nov 24, 2026". */
export const dateLocales = { ...locales, en: 'en-US' } as const

export const createFormats = <Format>(create: (locale: string) => Format) =>
  Object.fromEntries(languages.map((language) => [language, create(locales[language])])) as Record<Language, Format>

const numberFormats = createFormats((locale) => new Intl.NumberFormat(locale))
const dateFormats = new Map(
  languages.map((language) => [language, new Intl.DateTimeFormat(dateLocales[language], { dateStyle: 'medium', timeZone: 'UTC' })]),
)
const alternativesFormats = createFormats((locale) => new Intl.ListFormat(locale, { type: 'disjunction' }))

export function formatNumber(number: number, language: Language): string {
  return numberFormats[language].format(number)
}

/** Dates are absolute, because pages are cached and shared. */
export function formatDate(iso: string, language: Language): SafeHtml {
  return html`<time datetime="${iso}">${dateFormats.get(language)?.format(new Date(iso))}</time>`
}

/** Returns for example "comment, vote or follow". */
export function formatAlternatives(names: readonly string[], language: Language): string {
  return alternativesFormats[language].format(names)
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
