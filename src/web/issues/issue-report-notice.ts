import { html, type SafeHtml } from '../../html/template.ts'
import type { ReportState } from '../../issues/queries.ts'
import type { Links } from '../../html/links.ts'
import type { IssueTexts } from './issue-texts.ts'

export function reportNotice(
  { moderation_state: state, anonymous, is_own, item_id, reason }: ReportState,
  isNew: boolean,
  texts: IssueTexts,
  { to }: Links,
): SafeHtml {
  const anonymousNote = anonymous && is_own ? html`<p>${texts.withoutName}</p>` : ''
  if (state === 'passed')
    return html`<div class="done" role="status">
      <p><b>${isNew ? texts.thanks : texts.isYours}</b>
        ${isNew ? texts.isPublic : ''}</p>${anonymousNote}
    </div>`
  if (!is_own)
    return html`<div class="waiting">
      <p><b>${state === 'held' ? texts.pending : texts.rejected}</b> ${texts.visibleToReporter}
        ${item_id === null ? '' : html`<a href="${to(`/moderation/${item_id}`)}">${texts.decide}</a>`}</p>
    </div>`
  if (state === 'held')
    return html`<div class="done" role="status">
      <p><b>${isNew ? `${texts.thankYou} ` : ''}${texts.yoursPending}</b> ${texts.visibleToYouUntilThen}</p>${anonymousNote}
    </div>`
  return html`<div class="waiting">
    <p><b>${texts.yoursRejected}</b> ${texts.visibleToYou}</p>
    ${reason ? html`<p>${texts.reason(reason)}</p>` : ''}
  </div>`
}
