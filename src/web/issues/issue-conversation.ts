import type { Texts } from '../../locales/texts.ts'
import { richText } from '../../html/rich-text.ts'
import { html, type SafeHtml } from '../../html/template.ts'
import type { Urls } from '../../http/request/urls.ts'
import type { IssueView } from './issue-view.ts'
import { createLinks, type Links } from '../../html/links.ts'
import { createOfficials, type Official, officialBadge, type Officials, videoLink, moderates, redactLink } from './issue-facts.ts'
import { toComment, type CommentRow } from '../../comments/queries.ts'
import type { HiddenComment } from '../../comments/hidden-comments.ts'
import type { RedactionRow, StatusChangeRow } from '../../issues/history-queries.ts'
import { statusLifetimeMs } from '../../issue-lifecycle/transitions.ts'
import { outcomeName } from '../../issue-lifecycle/status.ts'
import { userName } from '../../users/present.ts'
import { statusBadge } from '../cards/cards.ts'
import type { Point } from '../../geo/shapes.ts'
import { formatLocalTime } from '../../html/format.ts'

export function conversation(view: IssueView, urls: Urls): SafeHtml {
  const { texts, issue, comments } = view
  const { comments_count: count } = issue
  const entries = sortedEntries(view, urls)
  const allLink = (text: string) =>
    html`<a href="${createLinks(urls).to(`/issues/${issue.id}`, { comments: 'all' })}#comments">${text}</a>`
  const list = html`<ol class="comments">${entries}</ol>`
  return html`<section aria-labelledby="comments">
    <h2 id="comments">${texts('conversation.comments', { count })}</h2>
    ${count > comments.length ? html`<p class="quiet">${richText(texts, 'conversation.newestOnly', { all: allLink })}</p>` : ''}
    ${entries.length > 0 ? list : emptyState(view)}
  </section>`
}

function emptyState({ viewer, texts, isPublic }: IssueView): SafeHtml {
  const hint = html` ${richText(texts, 'conversation.writeFirst', { write: (text) => html`<a href="#field-comment">${text}</a>` })}`
  return html`<p class="empty">${texts('conversation.noComments')}${viewer && isPublic ? hint : ''}</p>`
}

function sortedEntries(view: IssueView, urls: Urls): SafeHtml[] {
  const { texts, comments, hidden, changes, redactions } = view
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
      entry: commentEntry({ row, view, change: changesByComment.get(row.id), officials }, urls),
    })),
    ...hidden.map(({ row, ...is }) => ({
      created_at: row.created_at,
      entry: commentEntry({ row, view, hidden: is, officials }, urls),
    })),
    ...changesAlone.map((change) => ({
      created_at: change.created_at,
      entry: changeEntry({ change, point: view.issue, officials, texts: texts }),
    })),
    ...redactions.filter(isListed).map((redaction) => ({
      created_at: redaction.created_at,
      entry: redactionEntry(redaction, view.issue, texts),
    })),
  ]
  return entries.sort((a, b) => toMilliseconds(a.created_at) - toMilliseconds(b.created_at)).map(({ entry }) => entry)
}

const toMilliseconds = (iso: string) => Date.parse(iso)

interface CommentEntry {
  readonly row: CommentRow
  readonly view: IssueView
  readonly change?: StatusChangeRow | undefined
  readonly officials: Officials
  readonly hidden?: Omit<HiddenComment, 'row'>
}

function commentEntry({ row, view, change, hidden, officials }: CommentEntry, urls: Urls): SafeHtml {
  const { viewer, texts } = view
  const links = createLinks(urls)
  const { relative, to } = links
  const { id, comment, commenter, created_at, media } = toComment(row, urls)
  const official = officials.ofComment(row)
  const { department } = row
  const isOwn = viewer !== null && row.commenter?.id === viewer.id
  const isStaff = department && (viewer?.isAdmin || viewer?.organizationIds.includes(department.id))
  const name = department ? (official?.organization?.name ?? department.name) : userName(commenter, texts.language)
  return html`<li class="${hidden ? 'card unseen' : 'card'}" id="comment-${id}">
    <img src="${relative(commenter.avatar.square_100x100)}" width="40" height="40" alt="">
    <div>
      <p><b>${name}</b>${isStaff && row.commenter ? ` (${row.commenter.name})` : ''} ${officialBadge(department ? withoutName(official) : official, texts)} ${change ? changeBadge(change, texts) : ''} <span class="quiet">${formatLocalTime(created_at, texts, view.issue)}</span></p>
      ${hidden ? hiddenNotice({ hidden, isOwn, texts }, links) : ''}
      <p class="text">${comment}</p>
      ${media.image_full ? html`<img class="photo" src="${relative(media.image_full)}" alt="${texts('conversation.pictureBy', { name })}" loading="lazy">` : ''}
      ${media.image_full && moderates(view) && !isOwn ? redactLink({ picture: media.image_full, alt: texts('conversation.pictureBy', { name }), from: { issue: row.issue_id }, texts }, links) : ''}
      ${videoLink(media.video_url, texts)}
      ${isOwn || hidden ? '' : html`<p class="quiet flag"><a href="${to(`/comments/${id}/flag`)}" aria-label="${texts('conversation.flagCommentOf', { name })}">${texts('conversation.flag')}</a></p>`}
    </div>
  </li>`
}

const withoutName = (official: Official | undefined) => official && { ...official, organization: null }

interface ChangeEntry extends Pick<CommentEntry, 'officials'> {
  /** The point of the issue, whose time zone is used. */
  readonly point: Point
  readonly texts: Texts
  readonly change: StatusChangeRow
}

/** A status change without a visible comment: automatic, or its comment was hidden later. */
function changeEntry({ change, point, officials, texts }: ChangeEntry): SafeHtml {
  const days = (statusLifetimeMs(change.from_status) ?? 0) / 86_400_000
  const official = officials.ofChange(change)
  const isDepartment = official?.kind === 'official' && !official.organization?.shows_people
  const who = (isDepartment ? official.organization?.name : change.actor) ?? texts('conversation.unknownUser')
  const what =
    change.to_status === 'Archived'
      ? html`${statusBadge({ status: 'Archived', outcome: null }, texts.language)} <span>${texts('conversation.stayedClosed', { days })}</span>`
      : html`<b>${who}</b> ${officialBadge(isDepartment ? withoutName(official) : official, texts)} ${changeBadge(change, texts)}`
  return html`<li class="event" id="change-${change.id}"><p>${what} <span class="quiet">${formatLocalTime(change.created_at, texts, point)}</span></p></li>`
}

function redactionEntry({ id, created_at, moderator }: RedactionRow, point: Point, texts: Texts): SafeHtml {
  return html`<li class="event" id="redaction-${id}"><p>${richText(texts, 'conversation.redacted', { moderator: html`<b>${moderator ?? texts('conversation.aModerator')}</b>` })} <span class="quiet">${formatLocalTime(created_at, texts, point)}</span></p></li>`
}

const changeBadge = ({ to_status, outcome }: StatusChangeRow, texts: Texts) =>
  html`<span class="status ${to_status.toLowerCase()}">${texts(`conversation.changes.${to_status}`)}${outcome === null ? '' : ` · ${outcomeName(outcome, texts.language)}`}</span>`

interface HiddenNotice {
  readonly hidden: Omit<HiddenComment, 'row'>
  readonly isOwn: boolean
  readonly texts: Texts
}

function hiddenNotice({ hidden, isOwn, texts }: HiddenNotice, { to }: Links): SafeHtml {
  const { state, transition, item_id, reason } = hidden
  if (state === 'rejected')
    return html`<p class="waiting"><b>${texts('conversation.rejected')}</b> ${isOwn ? texts('conversation.visibleToYou') : texts('conversation.visibleToAuthor')}${reason ? ` ${texts('issue.reason', { text: reason })}` : ''}</p>`
  return html`<p class="waiting"><b>${texts('conversation.held')}</b> ${isOwn ? texts('conversation.visibleToYouUntilThen') : texts('conversation.visibleToAuthorUntilThen')}
    ${transition ? texts(`conversation.whenApproved.${transition}`) : ''}
    ${isOwn || item_id === null ? '' : html`<a href="${to(`/moderation/${item_id}`)}">${texts('issue.decide')}</a>`}</p>`
}
