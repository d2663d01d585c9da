import { type Language, type Texts, textsIn } from '../../locales/texts.ts'
import { richText } from '../../html/rich-text.ts'
import { hiddenField } from '../../html/fields.ts'
import type { Links } from '../../html/links.ts'
import { formatLocalDateTime } from '../../html/local-format.ts'
import type { HtmlPage } from '../../html/page.ts'
import { html, type SafeHtml } from '../../html/template.ts'
import { type Draft, isIncomplete } from '../../reporting/drafts/draft-queries.ts'
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
  const { draft, progress, language } = page
  const texts = textsIn(language)
  const { title, step = '', top, action } = partsOf(page, texts, links)
  return {
    title,
    description: texts('draft.description'),
    language,
    body: html`<div class="narrow">
      ${step}
      <h1>${title}</h1>
      ${top}
      ${action}
      ${draftSummary(page, links)}
      <p>${editLinks(page, links)}</p>
      <p class="quiet">${richText(texts, 'draft.kept', { until: formatLocalDateTime(draft.expiresAt.toISOString(), language, progress.point) })}</p>
      ${draft.isClaimed ? '' : html`<p class="note">${texts('draft.sharedDevice')}</p>`}
      <form method="post" action="${links.to(`${DRAFT_PATH}/discard`)}"><p><button class="second">${texts('draft.discard')}</button></p></form>
    </div>`,
  }
}

/** Returns what depends on the next step: a correction, the publication, an e-mail address or the mail. */
function partsOf({ draft, hasErrors, isLoggedIn, formKey, mail, language }: DraftPage, texts: Texts, links: Links) {
  const errors = html`<p class="error-summary" role="alert">${texts('draft.errors')}</p>`
  if (isIncomplete(draft)) return { title: texts('draft.title'), top: errors, action: '' }
  const onlyYou = draft.isClaimed ? ` ${texts('draft.onlyYou')}` : ''
  const waiting = hasErrors ? errors : html`<p>${texts('draft.notPublished')}${onlyYou}</p>`
  if (isLoggedIn || draft.mailedTo !== null) {
    const publish = isLoggedIn ? publishForm(formKey, texts, links) : publishMailedForm({ draft, token: '', language }, links)
    return { title: texts('draft.title'), top: waiting, action: html`<p>${texts('draft.publishHint')}</p>${publish}` }
  }
  const action = html`${draftMailSection({ ...mail, sentTo: draft.email, formKey, language }, links)}${logInLink(texts, links)}`
  const status = draftMailStatus(mail, draft, language)
  if (draft.email !== null) return { title: texts('draftMail.sentTitle'), top: status, action }
  const step = html`<p class="step">${texts('report.step', { step: 3, steps: 3 })}</p>`
  return { title: texts('draftMail.title'), step, top: html`${status}${waiting}`, action }
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
