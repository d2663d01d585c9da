import { html, type SafeHtml } from './template.ts'

const plain = new Intl.NumberFormat('en-GB')
const day = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' })
const moment = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' })

/** 1234 → '1,234'. */
export function numberText(number: number): string {
  return plain.format(number)
}

/** (1, 'issue') → '1 issue', (2, 'issue') → '2 issues'. */
export function countText(number: number, noun: string): string {
  return `${numberText(number)} ${noun}${number === 1 ? '' : 's'}`
}

/** The day of a moment. Pages are the same for everybody and for a while, so nothing is "three hours ago". */
export function dayOf(iso: string): SafeHtml {
  return html`<time datetime="${iso}">${day.format(new Date(iso))}</time>`
}

export function momentOf(iso: string): SafeHtml {
  return html`<time datetime="${iso}">${moment.format(new Date(iso))} UTC</time>`
}

/** The beginning of a text, for where one line has to do. */
export function beginningOf(text: string, lengthMax = 160): string {
  const line = text.replaceAll(/\s+/g, ' ').trim().toWellFormed()
  return line.length <= lengthMax
    ? line
    : `${line
        .slice(0, lengthMax - 1)
        .toWellFormed()
        .trimEnd()}…`
}
