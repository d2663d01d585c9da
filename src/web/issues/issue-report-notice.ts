import { html, type SafeHtml } from '../../html/template.ts'
import type { ReportState } from '../../issues/queries.ts'
import type { Links } from '../../html/links.ts'
import { issueTexts } from './issue-texts.ts'
import type { IssueView } from './issue-view.ts'
import { reportNoticeTexts } from './report-notice-texts.ts'

export function reportNotice(view: IssueView, report: ReportState, isNew: boolean, links: Links): SafeHtml {
  const { moderation_state: state, anonymous, is_own, item_id, reason } = report
  const texts = issueTexts[view.language]
  const { to } = links
  const nextSteps = isNew && is_own ? nextStepsSection(view, state, links) : ''
  const anonymousNote = anonymous && is_own ? html`<p>${texts.withoutName}</p>` : ''
  if (state === 'passed') {
    const isPublic = view.viewer?.isConfirmed ? texts.isPublic : texts.isPublicUnconfirmed
    return html`<div class="done" role="status">
      <p><b>${isNew ? texts.thanks : texts.isYours}</b>
        ${isNew ? isPublic : ''}</p>${anonymousNote}${nextSteps}
    </div>`
  }
  if (!is_own)
    return html`<div class="waiting">
      <p><b>${state === 'held' ? texts.pending : texts.rejected}</b> ${texts.visibleToReporter}
        ${item_id === null ? '' : html`<a href="${to(`/moderation/${item_id}`)}">${texts.decide}</a>`}</p>
    </div>`
  if (state === 'held')
    return html`<div class="done" role="status">
      <p><b>${isNew ? `${texts.thankYou} ` : ''}${texts.yoursPending}</b> ${texts.visibleToYouUntilThen}</p>${anonymousNote}${nextSteps}
    </div>`
  return html`<div class="waiting">
    <p><b>${texts.yoursRejected}</b> ${texts.visibleToYou}</p>
    ${reason ? html`<p>${texts.reason(reason)}</p>` : ''}
  </div>`
}

const MAP_ZOOM = 16

/** The number of a new report, its link, and what happens next. */
function nextStepsSection(
  { row, issue, language }: IssueView,
  state: ReportState['moderation_state'],
  { to, relative }: Links,
): SafeHtml {
  const texts = reportNoticeTexts[language]
  const { id, lat, lng, shortened_url } = issue
  const organization = row.request_type?.organization
  const handling = organization ? texts.nextByOrganization(organization) : texts.nextByCommunity
  return html`<p>${texts.number(id)} ${texts.link} <a href="${relative(shortened_url)}">${shortened_url}</a></p>
    <p><b>${texts.next}</b></p>
    <p>${state === 'held' ? `${texts.nextAfterReview} ` : ''}${handling}</p>
    <p class="buttons"><a class="button" href="${to('/', { lat, lng, zoom: MAP_ZOOM })}">${texts.onMap}</a> <a class="button" href="${to('/report')}">${texts.another}</a></p>`
}
