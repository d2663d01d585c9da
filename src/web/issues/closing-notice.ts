import { formatDuration, formatLocalDateTime } from '../../html/local-format.ts'
import type { Links } from '../../html/links.ts'
import { richText } from '../../html/rich-text.ts'
import { html, type SafeHtml } from '../../html/template.ts'
import type { IssueView } from './issue-view.ts'

/** Returns what the outcome of a closed issue means for its readers: who has it since when, or which issue it repeats. */
export function closingNotice({ issue, texts }: Pick<IssueView, 'issue' | 'texts'>, { to }: Links, now = new Date()) {
  const { outcome, passed_on_to, duplicate_of, previous_issue, closed_at } = issue
  const related = (key: 'closing.duplicateOf' | 'closing.reportedAgain', id: number) =>
    notice(richText(texts, key, { number: `#${id}`, issue: (text) => html`<a href="${to(`/issues/${id}`)}">${text}</a>` }))
  if (outcome === 'duplicate' && duplicate_of !== null) return related('closing.duplicateOf', duplicate_of)
  if (previous_issue !== null && outcome === null) return related('closing.reportedAgain', previous_issue)
  if (outcome !== 'passed_on' || closed_at === null) return ''
  const date = formatLocalDateTime(closed_at, texts.language, issue)
  const age = formatDuration(now.getTime() - Date.parse(closed_at), texts.language)
  return notice(
    passed_on_to === null
      ? richText(texts, 'closing.passedOnUnnamed', { date, age })
      : richText(texts, 'closing.passedOn', { who: html`<b>${passed_on_to}</b>`, date, age }),
  )
}

const notice = (text: SafeHtml) => html`<p class="note">${text}</p>`

/** Returns for example "2 of 3 say it is fixed", or nothing if no resident has answered. */
export function confirmationText({ issue, texts }: Pick<IssueView, 'issue' | 'texts'>): SafeHtml | string {
  const { fixed, not_fixed } = issue.confirmations
  const total = fixed + not_fixed
  return total === 0 ? '' : html` <b>${texts('closing.confirmations', { fixed, total })}</b> ·`
}
