import type { Links } from '../../html/links.ts'
import { formatLocalDate } from '../../html/local-format.ts'
import { html, type SafeHtml } from '../../html/template.ts'
import { textsIn } from '../../locales/texts.ts'
import type { IssueView } from './issue-view.ts'

/** The picture of the report next to that of the last closing; empty if the issue is not closed or one of them is missing. */
export function beforeAndAfter({ issue, changes, language }: IssueView, { relative }: Links): SafeHtml | '' {
  const closing = changes.findLast(({ to_status }) => to_status === 'Closed')
  const isClosed = issue.status === 'Closed' || issue.status === 'Archived'
  const after = issue.comments.find(({ id }) => id === closing?.comment_id)
  const [before] = issue.media.images
  if (!isClosed || before === undefined || !after?.media.image_full) return ''
  const texts = textsIn(language)
  const picture = (url: string, part: 'before' | 'after', at: string) =>
    html`<figure><img class="photo" src="${relative(url)}" alt="${texts(`issue.${part}Picture`, { summary: issue.summary })}">
      <figcaption><b>${texts(`issue.${part}`)}</b> <span class="quiet">${formatLocalDate(at, language, issue)}</span></figcaption></figure>`
  return html`<div class="before-and-after">${picture(before, 'before', issue.created_at)}${picture(after.media.image_full, 'after', after.created_at)}</div>`
}
