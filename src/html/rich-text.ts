import type { Key, PartValue, Texts } from '../locales/texts.ts'
import { html, type SafeHtml } from './template.ts'

/**
 * Returns a text with tags or HTML values: `richText(texts, 'menu.hint', { link: (name) => html`<a href="/">${name}</a>` })` for the message
 * `See <link>the map</link>.` Everything except `SafeHtml` is escaped.
 */
export function richText(
  texts: Texts,
  key: Key,
  values: Readonly<Record<string, string | number | SafeHtml | ((text: string) => SafeHtml)>>,
): SafeHtml {
  const toValue = (value: (typeof values)[string]): PartValue<SafeHtml> =>
    typeof value === 'function' ? (content) => value(content.join('')) : value
  const converted = Object.entries(values).map(([name, value]) => [name, toValue(value)] as const)
  return html`${texts.parts<SafeHtml>(key, Object.fromEntries(converted))}`
}

/** Returns the links `logIn` and `register` of a text; both pages return to the path. */
export const loginLinks = (to: (path: string, parameters: { readonly return_to: string }) => string, return_to: string) => ({
  logIn: (text: string) => html`<a class="button primary" data-return href="${to('/login', { return_to })}">${text}</a>`,
  register: (text: string) => html`<a data-return href="${to('/register', { return_to })}">${text}</a>`,
})
