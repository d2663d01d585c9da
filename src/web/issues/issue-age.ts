import { formatDuration } from '../../html/local-format.ts'
import { html, type SafeHtml } from '../../html/template.ts'
import { type Language, textsIn } from '../../locales/texts.ts'
import type { ExtendedIssue } from '../../issues/schema.ts'

type Timestamps = Pick<ExtendedIssue, 'status' | 'created_at' | 'reopened_at' | 'closed_at'>

/** Returns for example "for 3 weeks" or "after 8 days", which follow the name of the status. */
export function issueAge(
  { status, created_at, reopened_at, closed_at }: Timestamps,
  language: Language,
  now = new Date(),
): SafeHtml {
  const isClosed = status === 'Closed' || status === 'Archived'
  const [from, to] = isClosed ? [created_at, closed_at ?? created_at] : [reopened_at ?? created_at, now.toISOString()]
  const age = formatDuration(Date.parse(to) - Date.parse(from), language)
  return html`<span class="age">${textsIn(language)(`issue.age.${status}`, { age })}</span>`
}
