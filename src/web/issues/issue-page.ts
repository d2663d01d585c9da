import { html } from '../../html/template.ts'
import { newSecret } from '../../http/identity/credentials.ts'
import type { Urls } from '../../http/request/urls.ts'
import type { TransitionName } from '../../issue-lifecycle/transitions.ts'
import { errorSummary, type FieldErrors } from '../../html/fields.ts'
import type { FormValues } from '../../html/form-input.ts'
import { commentForm } from './issue-comment-form.ts'
import { conversation } from './issue-conversation.ts'
import { answerList, factList, issueHeader, imageAndVideo, statusHistory, breadcrumbs } from './issue-facts.ts'
import { neighbourhoodMap } from './issue-map.ts'
import { reportNotice } from './issue-report-notice.ts'
import { loginPrompt, actionSection } from './issue-action-section.ts'
import type { IssueView } from './issue-view.ts'
import { createLinks } from '../../html/links.ts'
import type { HtmlPage } from '../../html/page.ts'
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
}

export function issuePage(view: IssueView, { isNew = false, rejected }: IssuePageOptions, urls: Urls): HtmlPage {
  const { viewer, issue, isPublic, places, report } = view
  const links = createLinks(urls)
  const { values, errors, transition } = (rejected?.form === 'comment' && isPublic ? rejected : undefined) ?? {
    values: {},
    errors: {},
    transition: undefined,
  }
  const above = rejected && !(rejected.form === 'comment' && isPublic) ? rejected.errors : {}
  const isOwn = issue.current_user_relationship.reporter
  return {
    title: `${rejected ? 'Error: ' : ''}${truncate(issue.summary, 80)}`,
    description: truncate([issue.status, issue.address, issue.description].filter(Boolean).join(' · ')),
    ...(rejected ? {} : { canonical: `/issues/${issue.id}` }),
    image: issue.media.image_full,
    body: html`${breadcrumbs(places, links)}
      <article>
        ${issueHeader(issue, links)}
        ${errorSummary(above, ['assignee_id'])}
        ${report ? reportNotice(report, isNew, links) : ''}
        <div class="two-columns">
          ${neighbourhoodMap(view, links)}
          <div>
            ${issue.description ? html`<p class="text">${issue.description}</p>` : ''}
            ${imageAndVideo(issue, links)}
            ${statusHistory(issue)}
            ${factList(issue, places[0], links)}
            ${actionSection(view, links, above)}
          </div>
        </div>
        ${answerList(issue)}
        ${conversation(view, urls)}
        ${viewer ? '' : loginPrompt(view, links)}
        ${viewer && isPublic ? commentForm(view, { formKey: newSecret(), values, errors, transition }, links) : ''}
        <p class="quiet"><a href="${links.relative(issue.url)}">This issue as JSON</a> ·
          ${isOwn ? '' : html`<a href="${links.relative(issue.flag_url)}">Flag it</a> ·`}
          Short link: <a href="${links.relative(issue.shortened_url)}">${issue.shortened_url}</a></p>
      </article>`,
  }
}
