import { html, type SafeHtml } from '../../html/template.ts'
import type { ReportState } from '../../issues/queries.ts'
import type { Links } from '../../html/links.ts'

/** Notice for the reporter, and for moderators on a report that others do not see. */
export function reportNotice(
  { moderation_state: state, anonymous, is_own, item_id, reason }: ReportState,
  isNew: boolean,
  { to }: Links,
): SafeHtml {
  const anonymousNote = anonymous && is_own ? html`<p>Others see it without your name.</p>` : ''
  if (state === 'passed')
    return html`<div class="done" role="status">
      <p><b>${isNew ? 'Thank you for your report.' : 'This is your report.'}</b>
        ${isNew ? 'It is public from now on. You follow it: once your e-mail address is confirmed, news of it comes by mail.' : ''}</p>${anonymousNote}
    </div>`
  if (!is_own)
    return html`<div class="waiting">
      <p><b>${state === 'held' ? 'This report waits for a moderator.' : 'A moderator rejected this report.'}</b> Only whoever reported it and
        the moderators see this page.
        ${item_id === null ? '' : html`<a href="${to(`/moderation/${item_id}`)}">Decide on it</a>`}</p>
    </div>`
  if (state === 'held')
    return html`<div class="done" role="status">
      <p><b>${isNew ? 'Thank you. ' : ''}A moderator looks at your report before others see it.</b> Until then it stands on this page
        only, for you and the moderators.</p>${anonymousNote}
    </div>`
  return html`<div class="waiting">
    <p><b>A moderator decided not to publish your report.</b> It stands on this page only, for you and the moderators.</p>
    ${reason ? html`<p>They wrote: ${reason}</p>` : ''}
  </div>`
}
