import { html, type SafeHtml } from './template.ts'
import type { Page } from '../http/lists/pagination.ts'
import { formatNumber } from './format.ts'

/** Links to the previous and the next page; empty if there is only one page. */
export function pager({ page, perPage }: Page, entries: number, pageHref: (page: number) => string): SafeHtml | string {
  const pages = Math.ceil(entries / perPage)
  if (pages <= 1 && page <= 1) return ''
  const link = (rel: string, text: string, to: number) => html`<a rel="${rel}" href="${pageHref(to)}">${text}</a>`
  const placeholder = html`<span></span>`
  return html`<nav class="pager" aria-label="Pages">
    ${page > 1 ? link('prev', 'Previous', Math.min(page - 1, Math.max(pages, 1))) : placeholder}
    <span>Page ${formatNumber(page)} of ${formatNumber(pages)}</span>
    ${page < pages ? link('next', 'Next', page + 1) : placeholder}
  </nav>`
}
