import { html, type SafeHtml } from '../../html/template.ts'
import type { Urls } from '../../http/request/urls.ts'
import { changeEntry, commentEntry } from './issue-entries.ts'
import type { IssueView } from './issue-view.ts'
import { createLinks } from '../../html/links.ts'
import { formatCount } from '../../html/format.ts'

export function conversation(view: IssueView, urls: Urls): SafeHtml {
  const { issue, comments } = view
  const { comments_count: count, comments_url: all } = issue
  const entries = sortedEntries(view, urls)
  const list = html`<ol class="comments">${entries}</ol>`
  return html`<section aria-labelledby="comments">
    <h2 id="comments">${formatCount(count, 'comment')}</h2>
    ${count > comments.length ? html`<p class="quiet">These are the newest; <a href="${createLinks(urls).relative(all)}">all of them as JSON</a>.</p>` : ''}
    ${entries.length > 0 ? list : emptyState(view)}
  </section>`
}

function emptyState({ viewer, isPublic }: IssueView): SafeHtml {
  const what = html` <a href="#field-comment">Write</a> whether it is still there, or what became of it.`
  return html`<p class="empty">There are no comments yet.${viewer && isPublic ? what : ''}</p>`
}

function sortedEntries(view: IssueView, urls: Urls): SafeHtml[] {
  const { viewer, comments, hidden, changes } = view
  const changesByComment = new Map(changes.map((change) => [change.comment_id, change]))
  const [oldest] = view.issue.comments_count > comments.length ? comments : []
  // Leaves out changes that are older than the oldest listed comment, because their comments are not listed either.
  const changesAlone = changes.filter(({ comment_id, created_at }) => {
    return comment_id === null && !(oldest && toMilliseconds(created_at) < toMilliseconds(oldest.created_at))
  })
  const entries = [
    ...comments.map((row) => ({
      created_at: row.created_at,
      entry: commentEntry({ row, viewer, change: changesByComment.get(row.id) }, urls),
    })),
    ...hidden.map(({ row, ...is }) => ({ created_at: row.created_at, entry: commentEntry({ row, viewer, hidden: is }, urls) })),
    ...changesAlone.map((change) => ({ created_at: change.created_at, entry: changeEntry(change) })),
  ]
  return entries.sort((a, b) => toMilliseconds(a.created_at) - toMilliseconds(b.created_at)).map(({ entry }) => entry)
}

const toMilliseconds = (iso: string) => Date.parse(iso)
