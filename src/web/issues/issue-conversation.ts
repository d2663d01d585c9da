import { textsIn } from '../../locales/texts.ts'
import { richText } from '../../html/rich-text.ts'
import { html, type SafeHtml } from '../../html/template.ts'
import type { Urls } from '../../http/request/urls.ts'
import { changeEntry, commentEntry, redactionEntry } from './issue-entries.ts'
import type { IssueView } from './issue-view.ts'
import { createLinks } from '../../html/links.ts'
import { createOfficials } from './official.ts'

export function conversation(view: IssueView, urls: Urls): SafeHtml {
  const { language, issue, comments } = view
  const texts = textsIn(language)
  const { comments_count: count, comments_url: all } = issue
  const entries = sortedEntries(view, urls)
  const allLink = (text: string) => html`<a href="${createLinks(urls).relative(all)}">${text}</a>`
  const list = html`<ol class="comments">${entries}</ol>`
  return html`<section aria-labelledby="comments">
    <h2 id="comments">${texts('conversation.comments', { count })}</h2>
    ${count > comments.length ? html`<p class="quiet">${richText(texts, 'conversation.newestOnly', { all: allLink })}</p>` : ''}
    ${entries.length > 0 ? list : emptyState(view)}
  </section>`
}

function emptyState({ viewer, language, isPublic }: IssueView): SafeHtml {
  const texts = textsIn(language)
  const hint = html` ${richText(texts, 'conversation.writeFirst', { write: (text) => html`<a href="#field-comment">${text}</a>` })}`
  return html`<p class="empty">${texts('conversation.noComments')}${viewer && isPublic ? hint : ''}</p>`
}

function sortedEntries(view: IssueView, urls: Urls): SafeHtml[] {
  const { viewer, language, comments, hidden, changes, redactions } = view
  const officials = createOfficials(view)
  const changesByComment = new Map(changes.map((change) => [change.comment_id, change]))
  const [oldest] = view.issue.comments_count > comments.length ? comments : []
  // Leaves out changes that are older than the oldest listed comment, because their comments are not listed either.
  const isListed = ({ created_at }: { readonly created_at: string }) =>
    !(oldest && toMilliseconds(created_at) < toMilliseconds(oldest.created_at))
  const changesAlone = changes.filter((change) => change.comment_id === null && isListed(change))
  const entries = [
    ...comments.map((row) => ({
      created_at: row.created_at,
      entry: commentEntry({ row, viewer, point: view.issue, language, change: changesByComment.get(row.id), officials }, urls),
    })),
    ...hidden.map(({ row, ...is }) => ({
      created_at: row.created_at,
      entry: commentEntry({ row, viewer, point: view.issue, language, hidden: is, officials }, urls),
    })),
    ...changesAlone.map((change) => ({
      created_at: change.created_at,
      entry: changeEntry({ change, point: view.issue, officials, language }),
    })),
    ...redactions.filter(isListed).map((redaction) => ({
      created_at: redaction.created_at,
      entry: redactionEntry(redaction, view.issue, language),
    })),
  ]
  return entries.sort((a, b) => toMilliseconds(a.created_at) - toMilliseconds(b.created_at)).map(({ entry }) => entry)
}

const toMilliseconds = (iso: string) => Date.parse(iso)
