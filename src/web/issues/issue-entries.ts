import type { HiddenComment } from '../../comments/hidden-queries.ts'
import { toComment } from '../../comments/present.ts'
import type { CommentRow } from '../../comments/queries.ts'
import { html, type SafeHtml } from '../../html/template.ts'
import type { Viewer } from '../../http/auth/authentication.ts'
import type { Urls } from '../../http/request/urls.ts'
import type { StatusChangeRow } from '../../issues/history-queries.ts'
import { statusLifetimeMs, type TransitionName } from '../../issue-lifecycle/transitions.ts'
import type { Status } from '../../issue-lifecycle/status.ts'
import { videoLink } from './issue-facts.ts'
import { type Links, createLinks } from '../../html/links.ts'
import { formatDateTime } from '../../html/format.ts'

export interface CommentEntry {
  readonly row: CommentRow
  readonly viewer: Viewer | null
  readonly change?: StatusChangeRow | undefined
  readonly hidden?: Omit<HiddenComment, 'row'>
}

export function commentEntry({ row, viewer, change, hidden }: CommentEntry, urls: Urls): SafeHtml {
  const links = createLinks(urls)
  const { relative } = links
  const { id, comment, commenter, created_at, media, flag_url } = toComment(row, urls)
  const isOwn = viewer !== null && commenter.id === viewer.id
  const alt = `Picture that ${commenter.name} added`
  return html`<li class="${hidden ? 'card unseen' : 'card'}" id="comment-${id}">
    <img src="${relative(commenter.avatar.square_100x100)}" width="40" height="40" alt="">
    <div>
      <p><b>${commenter.name}</b> ${change ? statusChangeBadge(change) : ''} <span class="quiet">${formatDateTime(created_at)}</span></p>
      ${hidden ? hiddenNotice(hidden, isOwn, links) : ''}
      <p class="text">${comment}</p>
      ${media.image_full ? html`<img class="photo" src="${relative(media.image_full)}" alt="${alt}" loading="lazy">` : ''}
      ${videoLink(media.video_url)}
      ${isOwn || hidden ? '' : html`<p class="quiet"><a href="${relative(flag_url)}" aria-label="Flag this comment of ${commenter.name}">Flag</a></p>`}
    </div>
  </li>`
}

/** A status change without a visible comment: automatic, or its comment was hidden later. */
export function changeEntry(change: StatusChangeRow): SafeHtml {
  const days = (statusLifetimeMs(change.from_status) ?? 0) / 86_400_000
  const what =
    change.to_status === 'Archived'
      ? html`${badge('Archived', 'Archived')} <span>It stayed closed for ${days} days.</span>`
      : html`<b>${change.actor ?? 'A user'}</b> ${statusChangeBadge(change)}`
  return html`<li class="event" id="change-${change.id}"><p>${what} <span class="quiet">${formatDateTime(change.created_at)}</span></p></li>`
}

const verbs: Readonly<Record<Status, string>> = {
  Open: 'opened this again',
  Acknowledged: 'acknowledged this',
  Closed: 'closed this',
  Archived: 'archived this',
}

const statusChangeBadge = ({ to_status }: StatusChangeRow) => badge(to_status, verbs[to_status])

const badge = (status: Status, text: string) => html`<span class="status ${status.toLowerCase()}">${text}</span>`

const transitionTexts: Readonly<Record<TransitionName, string>> = {
  open: 'opened again',
  close: 'closed',
  acknowledge: 'acknowledged',
}

function hiddenNotice({ state, transition, item_id, reason }: Omit<HiddenComment, 'row'>, isOwn: boolean, { to }: Links): SafeHtml {
  const audience = isOwn ? 'only you and the moderators see it' : 'only its author and the moderators see it'
  if (state === 'rejected')
    return html`<p class="waiting"><b>A moderator decided not to publish this:</b> ${audience}.${reason ? html` They wrote: ${reason}` : ''}</p>`
  return html`<p class="waiting"><b>A moderator reviews this first.</b> Until then ${audience}.
    ${transition ? `When it is approved, the issue is ${transitionTexts[transition]} as well.` : ''}
    ${isOwn || item_id === null ? '' : html`<a href="${to(`/moderation/${item_id}`)}">Decide on it</a>`}</p>`
}
