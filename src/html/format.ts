import { html, type SafeHtml } from './template.ts'

const numberFormat = new Intl.NumberFormat('en-GB')
const dateFormat = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' })
const dateTimeFormat = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' })

export function formatNumber(number: number): string {
  return numberFormat.format(number)
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
