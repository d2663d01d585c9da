import type { Language } from '../locales/texts.ts'
import { html, type SafeHtml } from './template.ts'

/** Returns the attribute `lang` of a text in another language than the page (WCAG 3.1.2); null is an unknown language. */
export const langAttribute = (language: string | null | undefined, page: Language): SafeHtml | '' =>
  language === null || language === undefined || language === page ? '' : html` lang="${language}"`

/** Returns a text with its language, if that is not the page's. */
export function inLanguage(text: string, language: string | null | undefined, page: Language): SafeHtml | string {
  const attribute = langAttribute(language, page)
  return attribute === '' ? text : html`<span${attribute}>${text}</span>`
}
