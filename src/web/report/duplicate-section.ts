import type { Texts } from '../../locales/texts.ts'
import type { DuplicateMatch } from '../../duplicates/queries.ts'
import { html, type SafeHtml } from '../../html/template.ts'
import { createLinks } from '../../html/links.ts'
import { formatDifference } from '../../html/format.ts'
import type { Viewer } from '../../http/auth/authentication.ts'
import type { Urls } from '../../http/request/urls.ts'
import { toIssue } from '../../issues/present.ts'
import { issueNumber, statusBadge } from '../cards/cards.ts'

interface DuplicateSection {
  readonly duplicates: readonly DuplicateMatch[]
  readonly viewer: Viewer | null
  readonly now: Date
  readonly texts: Texts
}

const PICTURE_PIXELS = 100

/** Issues that may be the same as the report, before its questions. */
export function duplicateSection(section: DuplicateSection, urls: Urls): SafeHtml | string {
  const { duplicates, texts } = section
  if (duplicates.length === 0) return ''
  return html`<section aria-labelledby="duplicates">
    <h2 id="duplicates">${texts('report.duplicates')}</h2>
    <p>${texts('report.duplicatesHint')} ${texts('duplicate.thisOneHint')}</p>
    <ul class="cards duplicates">${duplicates.map((duplicate) => duplicateCard(duplicate, section, urls))}</ul>
    <h2>${texts('report.noDuplicate')}</h2>
  </section>`
}

/** The link of a card does not cover it, because it has a button. */
function duplicateCard({ issue: row, reason }: DuplicateMatch, { viewer, now, texts }: DuplicateSection, urls: Urls): SafeHtml {
  const { relative, to } = createLinks(urls)
  const issue = toIssue(row, urls)
  const image = relative(issue.media.image_square_100x100 ?? issue.media.representative_image_url)
  const isOwn = viewer !== null && row.reporter?.id === viewer.id
  return html`<li class="card">
    <img src="${image}" width="${PICTURE_PIXELS}" height="${PICTURE_PIXELS}" alt="" loading="lazy">
    <div>
      <h3><a href="${relative(issue.html_url)}">${issue.summary}</a> ${issueNumber(issue)}</h3>
      <p class="quiet">${statusBadge(issue, texts.language)} ${texts('duplicate.reported', { ago: formatDifference(Date.parse(issue.created_at) - now.getTime(), texts.language) })}${issue.address ? ` · ${issue.address}` : ''}</p>
      <p class="quiet">${reason}</p>
      ${
        isOwn
          ? html`<p><b>${texts('duplicate.isYours')}</b></p>`
          : html`<form method="post" action="${to(`/issues/${issue.id}/same`)}"><button class="second" aria-label="${texts('duplicate.thisOneIs', { summary: issue.summary })}">${texts('duplicate.thisOne')}</button></form>`
      }
    </div>
  </li>`
}
