import { type Language, textsIn } from '../../locales/texts.ts'
import { richText } from '../../html/rich-text.ts'
import type { HiddenComment } from '../../comments/hidden-queries.ts'
import { toComment } from '../../comments/present.ts'
import type { CommentRow } from '../../comments/queries.ts'
import { html, type SafeHtml } from '../../html/template.ts'
import type { Viewer } from '../../http/auth/authentication.ts'
import type { Urls } from '../../http/request/urls.ts'
import type { RedactionRow, StatusChangeRow } from '../../issues/history-queries.ts'
import { statusLifetimeMs } from '../../issue-lifecycle/transitions.ts'
import { outcomeName } from '../../issue-lifecycle/status-texts.ts'
import { userName } from '../../users/present.ts'
import { statusBadge } from '../cards/cards.ts'
import { videoLink } from './issue-facts.ts'
import { officialBadge, type Officials } from './official.ts'
import { redactLink } from './redact-link.ts'
import { type Links, createLinks } from '../../html/links.ts'
import type { Point } from '../../geo/point.ts'
import { formatLocalTime } from '../../html/local-format.ts'

export interface CommentEntry {
  readonly row: CommentRow
  readonly viewer: Viewer | null
  /** The point of the issue, whose time zone is used. */
  readonly point: Point
  readonly language: Language
  readonly change?: StatusChangeRow | undefined
  readonly officials: Officials
  readonly hidden?: Omit<HiddenComment, 'row'>
}

export function commentEntry({ row, viewer, point, language, change, hidden, officials }: CommentEntry, urls: Urls): SafeHtml {
  const links = createLinks(urls)
  const texts = textsIn(language)
  const { relative } = links
  const { id, comment, commenter, created_at, media, flag_url } = toComment(row, urls)
  const isOwn = viewer !== null && commenter.id === viewer.id
  const name = userName(commenter, language)
  return html`<li class="${hidden ? 'card unseen' : 'card'}" id="comment-${id}">
    <img src="${relative(commenter.avatar.square_100x100)}" width="40" height="40" alt="">
    <div>
      <p><b>${name}</b> ${officialBadge(officials.ofComment(row), language)} ${change ? changeBadge(change, language) : ''} <span class="quiet">${formatLocalTime(created_at, language, point)}</span></p>
      ${hidden ? hiddenNotice({ hidden, isOwn, language }, links) : ''}
      <p class="text">${comment}</p>
      ${media.image_full ? html`<img class="photo" src="${relative(media.image_full)}" alt="${texts('conversation.pictureBy', { name })}" loading="lazy">` : ''}
      ${media.image_full && viewer?.isModerator && !isOwn ? redactLink({ picture: media.image_full, alt: texts('conversation.pictureBy', { name }), from: { issue: row.issue_id }, language }, links) : ''}
      ${videoLink(media.video_url, texts)}
      ${isOwn || hidden ? '' : html`<p class="quiet flag"><a href="${relative(flag_url)}" aria-label="${texts('conversation.flagCommentOf', { name })}">${texts('conversation.flag')}</a></p>`}
    </div>
  </li>`
}

interface ChangeEntry extends Pick<CommentEntry, 'point' | 'language' | 'officials'> {
  readonly change: StatusChangeRow
}

/** A status change without a visible comment: automatic, or its comment was hidden later. */
export function changeEntry({ change, point, officials, language }: ChangeEntry): SafeHtml {
  const texts = textsIn(language)
  const days = (statusLifetimeMs(change.from_status) ?? 0) / 86_400_000
  const what =
    change.to_status === 'Archived'
      ? html`${statusBadge({ status: 'Archived', outcome: null }, language)} <span>${texts('conversation.stayedClosed', { days })}</span>`
      : html`<b>${change.actor ?? texts('conversation.unknownUser')}</b> ${officialBadge(officials.ofChange(change), language)} ${changeBadge(change, language)}`
  return html`<li class="event" id="change-${change.id}"><p>${what} <span class="quiet">${formatLocalTime(change.created_at, language, point)}</span></p></li>`
}

export function redactionEntry({ id, created_at, moderator }: RedactionRow, point: Point, language: Language): SafeHtml {
  const texts = textsIn(language)
  return html`<li class="event" id="redaction-${id}"><p>${richText(texts, 'conversation.redacted', { moderator: html`<b>${moderator ?? texts('conversation.aModerator')}</b>` })} <span class="quiet">${formatLocalTime(created_at, language, point)}</span></p></li>`
}

const changeBadge = ({ to_status, outcome }: StatusChangeRow, language: Language) =>
  html`<span class="status ${to_status.toLowerCase()}">${textsIn(language)(`conversation.changes.${to_status}`)}${outcome === null ? '' : ` · ${outcomeName(outcome, language)}`}</span>`

interface HiddenNotice {
  readonly hidden: Omit<HiddenComment, 'row'>
  readonly isOwn: boolean
  readonly language: Language
}

function hiddenNotice({ hidden, isOwn, language }: HiddenNotice, { to }: Links): SafeHtml {
  const { state, transition, item_id, reason } = hidden
  const texts = textsIn(language)
  if (state === 'rejected')
    return html`<p class="waiting"><b>${texts('conversation.rejected')}</b> ${isOwn ? texts('conversation.visibleToYou') : texts('conversation.visibleToAuthor')}${reason ? ` ${texts('issue.reason', { text: reason })}` : ''}</p>`
  return html`<p class="waiting"><b>${texts('conversation.pending')}</b> ${isOwn ? texts('conversation.visibleToYouUntilThen') : texts('conversation.visibleToAuthorUntilThen')}
    ${transition ? texts(`conversation.whenApproved.${transition}`) : ''}
    ${isOwn || item_id === null ? '' : html`<a href="${to(`/moderation/${item_id}`)}">${texts('issue.decide')}</a>`}</p>`
}
