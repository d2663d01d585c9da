import { html, type SafeHtml } from './template.ts'

const numberFormat = new Intl.NumberFormat('en-GB')
const dateFormat = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' })
const dateTimeFormat = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' })

/** 1234 → '1,234'. */
export function formatNumber(number: number): string {
  return numberFormat.format(number)
}

/** (1, 'issue') → '1 issue', (2, 'issue') → '2 issues'. */
export function formatCount(number: number, noun: string): string {
  return `${formatNumber(number)} ${noun}${number === 1 ? '' : 's'}`
}

/** The day of a moment. Pages are the same for everybody and for a while, so nothing is "three hours ago". */
export function formatDate(iso: string): SafeHtml {
  return html`<time datetime="${iso}">${dateFormat.format(new Date(iso))}</time>`
}

export function formatDateTime(iso: string): SafeHtml {
  return html`<time datetime="${iso}">${dateTimeFormat.format(new Date(iso))} UTC</time>`
}

/** The beginning of a text, for where one line has to do. */
export function truncate(text: string, lengthMax = 160): string {
  const line = text.replaceAll(/\s+/g, ' ').trim().toWellFormed()
  return line.length <= lengthMax
    ? line
    : `${line
        .slice(0, lengthMax - 1)
        .toWellFormed()
        .trimEnd()}…`
}
