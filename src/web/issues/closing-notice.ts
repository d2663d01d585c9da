import { textsIn } from '../../locales/texts.ts'
import { formatDuration, formatLocalDateTime } from '../../html/local-format.ts'
import type { Links } from '../../html/links.ts'
import { richText } from '../../html/rich-text.ts'
import { html, type SafeHtml } from '../../html/template.ts'
import type { IssueView } from './issue-view.ts'

/** Returns what the outcome of a closed issue means for its readers: who has it since when, or which issue it repeats. */
export function closingNotice({ issue, language }: Pick<IssueView, 'issue' | 'language'>, { to }: Links, now = new Date()) {
  const { outcome, passed_on_to, duplicate_of, closed_at } = issue
  const texts = textsIn(language)
  if (outcome === 'duplicate' && duplicate_of !== null) {
    const link = (text: string) => html`<a href="${to(`/issues/${duplicate_of}`)}">${text}</a>`
    return notice(richText(texts, 'closing.duplicateOf', { number: `#${duplicate_of}`, issue: link }))
  }
  if (outcome !== 'passed_on' || closed_at === null) return ''
  const date = formatLocalDateTime(closed_at, language, issue)
  const age = formatDuration(now.getTime() - Date.parse(closed_at), language)
  return notice(
    passed_on_to === null
      ? richText(texts, 'closing.passedOnUnnamed', { date, age })
      : richText(texts, 'closing.passedOn', { who: html`<b>${passed_on_to}</b>`, date, age }),
  )
}

const notice = (text: SafeHtml) => html`<p class="note">${text}</p>`
