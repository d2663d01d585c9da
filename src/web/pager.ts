import { html, type SafeHtml } from '@remix-run/html-template'

import type { Page } from '../http/pagination.ts'
import { numberText } from './words.ts'

/** Links to the neighbouring pages of a list; nothing where there is one page only. */
export function pager({ page, perPage }: Page, entries: number, hrefOf: (page: number) => string): SafeHtml | string {
  const pages = Math.ceil(entries / perPage)
  if (pages <= 1 && page <= 1) return ''
  return html`<nav class="pager" aria-label="Pages">
    ${page > 1 ? html`<a rel="prev" href="${hrefOf(Math.min(page - 1, Math.max(pages, 1)))}">Previous</a>` : html`<span></span>`}
    <span>Page ${numberText(page)} of ${numberText(pages)}</span>
    ${page < pages ? html`<a rel="next" href="${hrefOf(page + 1)}">Next</a>` : html`<span></span>`}
  </nav>`
}
