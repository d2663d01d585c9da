import { html, type SafeHtml } from './template.ts'
import type { Page } from '../http/lists/pagination.ts'
import { numberText } from './words.ts'

/** Links to the neighbouring pages of a list; nothing where there is one page only. */
export function pager({ page, perPage }: Page, entries: number, hrefOf: (page: number) => string): SafeHtml | string {
  const pages = Math.ceil(entries / perPage)
  if (pages <= 1 && page <= 1) return ''
  const link = (rel: string, text: string, to: number) => html`<a rel="${rel}" href="${hrefOf(to)}">${text}</a>`
  const none = html`<span></span>`
  return html`<nav class="pager" aria-label="Pages">
    ${page > 1 ? link('prev', 'Previous', Math.min(page - 1, Math.max(pages, 1))) : none}
    <span>Page ${numberText(page)} of ${numberText(pages)}</span>
    ${page < pages ? link('next', 'Next', page + 1) : none}
  </nav>`
}
