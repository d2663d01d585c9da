import { qrCode } from '../../html/qr-code.ts'
import { html, type SafeHtml } from '../../html/template.ts'
import { newSecret } from '../../http/identity/credentials.ts'
import type { Urls } from '../../http/request/urls.ts'
import { statusName } from '../../issue-lifecycle/status-texts.ts'
import type { TransitionName } from '../../issue-lifecycle/transitions.ts'
import { errorSummary, type FieldErrors } from '../../html/fields.ts'
import type { FormValues } from '../../html/form-input.ts'
import { closingNotice } from './closing-notice.ts'
import { commentForm } from './issue-comment-form.ts'
import { conversation } from './issue-conversation.ts'
import { answerList, factList, issueHeader, imagesAndVideo, statusHistory, breadcrumbs } from './issue-facts.ts'
import { neighbourhoodMap } from './issue-map.ts'
import { issueJsonLd } from './issue-json-ld.ts'
import { COPY_SCRIPT } from '../../html/fields.ts'
import { reportNotice } from './issue-report-notice.ts'
import { staffFields, staffSection } from './staff-section.ts'
import { loginPrompt, actionSection } from './issue-action-section.ts'
import type { Preview } from '../../staff/previews/schema.ts'
import type { IssueView } from './issue-view.ts'
import type { PageMaps } from '../map/page-maps.ts'
import { createLinks, type Links } from '../../html/links.ts'
import type { HtmlPage, PageMap } from '../../html/page.ts'
import { truncate } from '../../html/format.ts'

export interface RejectedIssueForm {
  readonly form: 'comment' | 'action'
  readonly transition?: TransitionName | undefined
  readonly values: FormValues
  readonly errors: FieldErrors
}

export interface IssuePageOptions {
  /** True right after the viewer reported the issue. */
  readonly isNew?: boolean
  readonly rejected?: RejectedIssueForm
  /** The mail of the answer that the form has. */
  readonly preview?: Preview
  /** The values of a prepared answer, or of one that is previewed. */
  readonly values?: FormValues
  readonly maps: PageMaps
  readonly map: PageMap
}

export function issuePage(
  view: IssueView,
  { isNew = false, rejected, preview, values: prepared = {}, maps, map }: IssuePageOptions,
  urls: Urls,
): HtmlPage {
  const { viewer, texts, issue, isPublic, report } = view
  const links = createLinks(urls)
  const { values, errors, transition } = (rejected?.form === 'comment' && isPublic ? rejected : undefined) ?? {
    values: prepared,
    errors: {},
    transition: undefined,
  }
  const above = rejected && !(rejected.form === 'comment' && isPublic) ? rejected : { values: {}, errors: {} }
  const isOwn = issue.current_user_relationship.reporter
  const title = truncate(issue.summary, 80)
  return {
    title: rejected ? texts('issue.rejectedTitle', { title }) : title,
    description: truncate([statusName(issue.status, texts.language), issue.address, issue.description].filter(Boolean).join(' · ')),
    ...(rejected || preview || (report && report.moderation_state !== 'passed')
      ? {}
      : { canonical: `/issues/${issue.id}`, jsonLd: issueJsonLd(view, urls) }),
    image: issue.media.image_full,
    script: COPY_SCRIPT,
    map,
    reportView: `17/${issue.lat}/${issue.lng}`,
    ...(viewer && isPublic ? { formModule: maps.commentForm } : {}),
    body: html`${breadcrumbs(view, links)}
      <article>
        ${issueHeader(view, links)}
        ${closingNotice(view, links)}
        ${errorSummary(above.errors, staffFields(texts), texts.language)}
        ${report ? reportNotice(view, report, isNew, links) : ''}
        <div class="two-columns">
          <div>
            ${issue.description ? html`<p class="text">${issue.description}</p>` : ''}
            ${imagesAndVideo(view, links)}
            ${statusHistory(view)}
            ${factList(view, links)}
            ${actionSection(view, links)}
          </div>
          <div>${neighbourhoodMap(view, links, maps)}${shareSection(view, links)}</div>
        </div>
        ${answerList(view, links)}
        ${staffSection(view, links, above)}
        ${conversation(view, urls)}
        ${viewer ? '' : loginPrompt(view, links)}
        ${viewer && isPublic ? commentForm(view, { formKey: newSecret(), values, errors, transition, preview }, links) : ''}
        <p class="quiet flag">${isOwn ? '' : html`<a href="${links.relative(issue.flag_url)}">${texts('issue.flag')}</a>`}</p>
      </article>`,
  }
}

/** The short link as text, on paper as a QR code, too, and a button that the script shows. Only the link of a public issue opens for others. */
function shareSection({ issue, isPublic, texts }: IssueView, { relative }: Links): SafeHtml | string {
  if (!isPublic) return ''
  const { shortened_url: url, summary } = issue
  return html`${qrCode(url, texts('issue.qrCode', { url }))}<p class="share">${texts('issue.shortLink')} <a href="${relative(url)}">${url}</a>
    <button class="second" type="button" hidden data-copies="${url}" data-title="${summary}" data-done="${texts('issue.linkCopied')}">${texts('issue.share')}</button></p>`
}
