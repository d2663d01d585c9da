import { html, type SafeHtml } from '../../html/template.ts'
import type { ReportState } from '../../issues/queries.ts'
import type { Links } from '../../html/links.ts'

export function reportNotice(
  { moderation_state: state, anonymous, is_own, item_id, reason }: ReportState,
  isNew: boolean,
  { to }: Links,
): SafeHtml {
  const anonymousNote = anonymous && is_own ? html`<p>Others see it without your name.</p>` : ''
  if (state === 'passed')
    return html`<div class="done" role="status">
      <p><b>${isNew ? 'Thank you for your report.' : 'This is your report.'}</b>
        ${isNew ? 'It is public now, and you follow it: you get mails about it when your e-mail address is confirmed.' : ''}</p>${anonymousNote}
    </div>`
  if (!is_own)
    return html`<div class="waiting">
      <p><b>${state === 'held' ? 'This report is pending review.' : 'A moderator rejected this report.'}</b> Only the reporter and
        moderators see this page.
        ${item_id === null ? '' : html`<a href="${to(`/moderation/${item_id}`)}">Decide on it</a>`}</p>
    </div>`
  if (state === 'held')
    return html`<div class="done" role="status">
      <p><b>${isNew ? 'Thank you. ' : ''}A moderator reviews your report before it is public.</b> Until then only you and
        the moderators see this page.</p>${anonymousNote}
    </div>`
  return html`<div class="waiting">
    <p><b>A moderator decided not to publish your report.</b> Only you and the moderators see this page.</p>
    ${reason ? html`<p>They wrote: ${reason}</p>` : ''}
  </div>`
}
