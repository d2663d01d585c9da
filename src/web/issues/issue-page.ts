import { html } from '../../html/template.ts'
import { newSecret } from '../../http/identity/credentials.ts'
import type { Urls } from '../../http/request/urls.ts'
import type { TransitionName } from '../../issue-lifecycle/transitions.ts'
import { errorSummary, type FieldErrors } from '../../html/fields.ts'
import type { FormValues } from '../../html/form-input.ts'
import { commentForm } from './issue-comment-form.ts'
import { conversation } from './issue-conversation.ts'
import { answers, facts, heading, picture, steps, trail } from './issue-facts.ts'
import { neighbourhood } from './issue-map.ts'
import { reportState } from './issue-report-state.ts'
import { logInLine, takePart } from './issue-take-part.ts'
import type { IssueView } from './issue-view.ts'
import { createLinks } from '../../html/links.ts'
import type { Page } from '../../html/page.ts'
import { truncate } from '../../html/format.ts'

/** What was just sent from this page, and is not done. */
export interface Refused {
  readonly what: 'comment' | 'press'
  readonly move?: TransitionName | undefined
  readonly typed: FormValues
  readonly errors: FieldErrors
}

export interface IssuePage {
  /** The reader reported it just now. */
  readonly isNew?: boolean
  readonly refused?: Refused
}

export function issuePage(view: IssueView, { isNew = false, refused }: IssuePage, urls: Urls): Page {
  const { viewer, issue, isPublic, places, report } = view
  const links = createLinks(urls)
  const { typed, errors, move } = (refused?.what === 'comment' && isPublic ? refused : undefined) ?? {
    typed: {},
    errors: {},
    move: undefined,
  }
  const above = refused && !(refused.what === 'comment' && isPublic) ? refused.errors : {}
  const isOwn = issue.current_user_relationship.reporter
  return {
    title: `${refused ? 'Not done yet: ' : ''}${truncate(issue.summary, 80)}`,
    description: truncate([issue.status, issue.address, issue.description].filter(Boolean).join(' · ')),
    ...(refused ? {} : { canonical: `/issues/${issue.id}` }),
    image: issue.media.image_full,
    body: html`${trail(places, links)}
      <article>
        ${heading(issue, links)}
        ${errorSummary(above, ['assignee_id'])}
        ${report ? reportState(report, isNew, links) : ''}
        <div class="beside">
          ${neighbourhood(view, links)}
          <div>
            ${issue.description ? html`<p class="text">${issue.description}</p>` : ''}
            ${picture(issue, links)}
            ${steps(issue)}
            ${facts(issue, places[0], links)}
            ${takePart(view, links, above)}
          </div>
        </div>
        ${answers(issue)}
        ${conversation(view, urls)}
        ${viewer ? '' : logInLine(view, links)}
        ${viewer && isPublic ? commentForm(view, { formKey: newSecret(), typed, errors, move }, links) : ''}
        <p class="quiet"><a href="${links.relative(issue.url)}">This issue as JSON</a> ·
          ${isOwn ? '' : html`<a href="${links.relative(issue.flag_url)}">Flag it</a> ·`}
          Short link: <a href="${links.relative(issue.shortened_url)}">${issue.shortened_url}</a></p>
      </article>`,
  }
}
