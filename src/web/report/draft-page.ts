import { type Language, type Texts, textsIn } from '../../locales/texts.ts'
import { richText } from '../../html/rich-text.ts'
import { hiddenField } from '../../html/fields.ts'
import type { Links } from '../../html/links.ts'
import { formatLocalDateTime } from '../../html/local-format.ts'
import type { HtmlPage } from '../../html/page.ts'
import { html, type SafeHtml } from '../../html/template.ts'
import type { Draft } from '../../reporting/drafts/draft-queries.ts'
import type { RequestType } from '../../request-types/schema.ts'
import type { ReportProgress } from './report-input.ts'
import { draftSummary } from './draft-summary.ts'
import { DRAFT_PATH, PUBLISH_ON_LOGIN_PATH } from './drafts/draft-cookie.ts'
import { publishMailedForm } from './open-draft.ts'
import { type DraftMailForm, draftMailSection, draftMailStatus } from './drafts/draft-mail-form.ts'

export interface DraftPage {
  readonly draft: Draft
  readonly progress: ReportProgress
  /** It is undefined if the type is no longer available. */
  readonly type: RequestType | undefined
  readonly hasErrors: boolean
  readonly isLoggedIn: boolean
  readonly formKey: string
  readonly mail: DraftMailForm
  readonly language: Language
}

export function draftPage(page: DraftPage, links: Links): HtmlPage {
  const { draft, hasErrors, isLoggedIn, formKey, mail, language } = page
  const texts = textsIn(language)
  const isMailed = draft.mailedTo !== null
  const title =
    isLoggedIn || isMailed ? texts('draft.title') : draft.email === null ? texts('draftMail.title') : texts('draftMail.sentTitle')
  return {
    title,
    description: texts('draft.description'),
    language,
    body: html`<div class="narrow">
      ${isLoggedIn || isMailed || draft.email !== null ? '' : html`<p class="step">${texts('report.step', { step: 3, steps: 3 })}</p>`}
      <h1>${title}</h1>
      ${isLoggedIn || isMailed ? '' : draftMailStatus(mail, draft, language)}
      ${hasErrors ? html`<p class="error-summary" role="alert">${texts('draft.errors')}</p>` : status(page, texts)}
      ${isLoggedIn || isMailed ? html`<p>${texts('draft.publishHint')}</p>` : ''}
      ${isLoggedIn ? publishForm(formKey, texts, links) : isMailed ? publishMailedForm({ draft, token: '', language }, links) : html`${draftMailSection({ ...mail, sentTo: draft.email, formKey, language }, links)}${logInLink(texts, links)}`}
      ${draftSummary(page, links)}
      <p>${editLinks(page, links)}</p>
      <p class="quiet">${richText(texts, 'draft.kept', { until: formatLocalDateTime(draft.expiresAt.toISOString(), language, page.progress.point) })}</p>
      ${draft.isClaimed ? '' : html`<p class="note">${texts('draft.sharedDevice')}</p>`}
      <form method="post" action="${links.to(`${DRAFT_PATH}/discard`)}"><p><button class="second">${texts('draft.discard')}</button></p></form>
    </div>`,
  }
}

/** The page after the mail says so itself. */
function status({ draft, isLoggedIn }: DraftPage, texts: Texts): SafeHtml | string {
  if (!isLoggedIn && draft.mailedTo === null && draft.email !== null) return ''
  return html`<p>${draft.isClaimed ? `${texts('draft.notPublished')} ${texts('draft.onlyYou')}` : texts('draft.notPublished')}</p>`
}

const publishForm = (formKey: string, texts: Texts, { to }: Links) =>
  html`<form method="post" action="${to(`${DRAFT_PATH}/publish`)}">${hiddenField('form_key', formKey)}<p><button>${texts('draft.publish')}</button></p></form>`

const logInLink = (texts: Texts, { to }: Links) =>
  html`<p>${richText(texts, 'draft.hasAccount', { logIn: (text) => html`<a href="${to('/login', { return_to: PUBLISH_ON_LOGIN_PATH })}">${text}</a>` })}</p>`

/** A draft without a place or a type continues with the step that it lacks. After errors, the place may be the reason. */
function editLinks({ progress: { point, requestType }, type, hasErrors, language }: DraftPage, { to }: Links): SafeHtml {
  const texts = textsIn(language)
  if (!point) return html`<a href="${to('/report')}">${texts('draftMail.choosePlace')}</a>`
  const form = html`<a href="${to('/report', { lat: point.lat, lng: point.lng, type: type ? requestType : undefined })}">${texts('draft.edit')}</a>`
  return hasErrors
    ? html`${form} · <a href="${to('/report', { view: `17/${point.lat}/${point.lng}` })}">${texts('draftMail.otherPlace')}</a>`
    : form
}
