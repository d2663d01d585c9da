import { inLanguage } from '../../html/lang.ts'
import { richText } from '../../html/rich-text.ts'
import { html, type SafeHtml } from '../../html/template.ts'
import type { ReportState } from '../../issues/queries.ts'
import { translateType } from '../../request-types/present.ts'
import type { Links } from '../../html/links.ts'
import type { IssueView } from './issue-view.ts'

export function reportNotice(view: IssueView, report: ReportState, isNew: boolean, links: Links): SafeHtml {
  const { moderation_state: state, anonymous, is_own, item_id, reason } = report
  const { texts } = view
  const { to } = links
  const nextSteps = isNew && is_own ? nextStepsSection(view, state, links) : ''
  const anonymousNote = anonymous && is_own ? html`<p>${texts('issue.withoutName')}</p>` : ''
  if (state === 'passed') {
    const isPublic = view.viewer?.isConfirmed ? texts('issue.isPublic') : texts('issue.isPublicUnconfirmed')
    return html`<div class="done" role="status">
      <p><b>${isNew ? texts('issue.thanks') : texts('issue.isYours')}</b>
        ${isNew ? isPublic : ''}</p>${anonymousNote}${nextSteps}
    </div>`
  }
  if (!is_own)
    return html`<div class="waiting">
      <p><b>${state === 'held' ? texts('issue.pending') : texts('issue.rejected')}</b> ${texts('issue.visibleToReporter')}
        ${item_id === null ? '' : html`<a href="${to(`/moderation/${item_id}`)}">${texts('issue.decide')}</a>`}</p>
    </div>`
  if (state === 'held')
    return html`<div class="done" role="status">
      <p><b>${isNew ? `${texts('issue.thankYou')} ` : ''}${texts('issue.yoursPending')}</b> ${texts('issue.visibleToYouUntilThen')}</p>${anonymousNote}${nextSteps}
    </div>`
  return html`<div class="waiting">
    <p><b>${texts('issue.yoursRejected')}</b> ${texts('issue.visibleToYou')}</p>
    ${reason ? html`<p>${texts('issue.reason', { text: reason })}</p>` : ''}
  </div>`
}

const MAP_ZOOM = 16

/** The number of a new report, its link, and what happens next. */
function nextStepsSection(
  { issue, row, texts }: IssueView,
  state: ReportState['moderation_state'],
  { to, relative }: Links,
): SafeHtml {
  const { id, lat, lng, shortened_url } = issue
  const type = row.request_type && translateType(row.request_type, texts.language)
  const handling = type?.organization
    ? richText(texts, 'reportNotice.nextByOrganization', {
        organization: inLanguage(type.organization, type.organization_language, texts.language),
      })
    : texts('reportNotice.nextByCommunity')
  return html`<p>${texts('reportNotice.number', { id })} ${texts('reportNotice.link')} <a href="${relative(shortened_url)}">${shortened_url}</a></p>
    <p><b>${texts('reportNotice.next')}</b></p>
    <p>${state === 'held' ? `${texts('reportNotice.nextAfterReview')} ` : ''}${handling}</p>
    <p class="buttons"><a class="button" href="${to('/', { lat, lng, zoom: MAP_ZOOM })}">${texts('reportNotice.onMap')}</a> <a class="button" href="${to('/report', { view: `${MAP_ZOOM}/${lat}/${lng}` })}">${texts('reportNotice.another')}</a></p>`
}
