import type { Language } from '../errors/texts/languages.ts'
import { html, type SafeHtml } from './template.ts'

/** English texts use the numbers and dates of British English. */
const locales = { en: 'en-GB', es: 'es', fr: 'fr' } as const
const numberFormats = {
  en: new Intl.NumberFormat(locales.en),
  es: new Intl.NumberFormat(locales.es),
  fr: new Intl.NumberFormat(locales.fr),
}
const dateFormat = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' })
const dateTimeFormat = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' })

export function formatNumber(number: number, language: Language = 'en'): string {
  return numberFormats[language].format(number)
}

export function formatCount(number: number, noun: string): string {
  return `${formatNumber(number)} ${noun}${number === 1 ? '' : 's'}`
}

/** Dates are absolute, because pages are cached and shared. */
export function formatDate(iso: string): SafeHtml {
  return html`<time datetime="${iso}">${dateFormat.format(new Date(iso))}</time>`
}

export function formatDateTime(iso: string): SafeHtml {
  return html`<time datetime="${iso}">${dateTimeFormat.format(new Date(iso))} UTC</time>`
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
