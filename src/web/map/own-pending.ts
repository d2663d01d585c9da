import { type Language, textsIn } from '../../locales/texts.ts'
import type { Links } from '../../html/links.ts'
import { formatLocalDate } from '../../html/local-format.ts'
import { html, type SafeHtml } from '../../html/template.ts'
import type { OwnIssueRow } from '../../issues/own-queries.ts'

/** The page of a reporter lists this number of the newest reports in review. */
export const OWN_PENDING_MAX = 20

/**
 * The viewer's reports that wait for a review. They are not part of the list, whose number is that of the API. A script draws them on the map.
 */
export function ownPendingSection(issues: readonly OwnIssueRow[], language: Language, { to }: Links): SafeHtml | string {
  if (issues.length === 0) return ''
  const texts = textsIn(language)
  return html`<section id="own-pending" class="waiting" aria-labelledby="own-pending-name">
    <h2 id="own-pending-name">${texts('ownPending.heading')}</h2>
    <p class="quiet">${texts('ownPending.hint')} <a href="${to('/account/reports')}">${texts('ownPending.all')}</a></p>
    <ul class="found">${issues.map(
      ({ id, lng, lat, summary, created_at }) =>
        html`<li data-issue="${id}" data-lng="${lng}" data-lat="${lat}"><a href="${to(`/issues/${id}`)}">${summary}</a>
          <span class="quiet">${formatLocalDate(created_at, language, { lat, lng })}</span></li>`,
    )}</ul>
  </section>`
}
