import { type Language, textsIn } from '../locales/texts.ts'
import { html, type SafeHtml } from './template.ts'
import type { Page } from '../http/lists/pagination.ts'
import { formatNumber } from './format.ts'

/** Links to the previous and the next page; empty if there is only one page. */
export function pager(
  { page, perPage }: Page,
  entries: number,
  pageHref: (page: number) => string,
  language: Language,
): SafeHtml | string {
  const texts = textsIn(language)
  const pages = Math.ceil(entries / perPage)
  if (pages <= 1 && page <= 1) return ''
  const link = (rel: string, text: string, to: number) => html`<a rel="${rel}" href="${pageHref(to)}">${text}</a>`
  const placeholder = html`<span></span>`
  return html`<nav class="pager" aria-label="${texts('pager.pages')}">
    ${page > 1 ? link('prev', texts('pager.previous'), Math.min(page - 1, Math.max(pages, 1))) : placeholder}
    <span>${texts('pager.pageOf', { page: formatNumber(page, language), pages: formatNumber(pages, language) })}</span>
    ${page < pages ? link('next', texts('pager.next'), page + 1) : placeholder}
  </nav>`
}
