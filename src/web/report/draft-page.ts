import type { Language } from '../../errors/texts/languages.ts'
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
import { type DraftMailForm, draftMailSection, draftMailStatus } from './drafts/draft-mail-form.ts'
import { draftMailTexts } from './drafts/draft-mail-texts.ts'
import { draftTexts, type DraftTexts } from './drafts/draft-texts.ts'

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
  const texts = draftTexts[language]
  return {
    title: texts.title,
    description: texts.description,
    language,
    body: html`<div class="narrow">
      <h1>${texts.title}</h1>
      ${isLoggedIn ? '' : draftMailStatus(mail, language)}
      ${hasErrors ? html`<p class="error-summary" role="alert">${texts.errors}</p>` : html`<p class="done" role="status">${draft.isClaimed ? `${texts.notPublished} ${texts.onlyYou}` : texts.notPublished}</p>`}
      <p>${isLoggedIn ? texts.publishHint : texts.whoReports}</p>
      ${isLoggedIn ? publishForm(formKey, texts, links) : accountLinks(texts, links)}
      ${draftSummary(page, links)}
      <p>${editLinks(page, links)}</p>
      <p class="quiet">${texts.kept(formatLocalDateTime(draft.expiresAt.toISOString(), language, page.progress.point))}</p>
      ${draft.isClaimed ? '' : html`<p class="note">${texts.sharedDevice}</p>`}
      <form method="post" action="${links.to(`${DRAFT_PATH}/discard`)}"><p><button class="second">${texts.discard}</button></p></form>
      ${isLoggedIn ? '' : draftMailSection({ ...mail, formKey, language }, links)}
    </div>`,
  }
}

const publishForm = (formKey: string, texts: DraftTexts, { to }: Links) =>
  html`<form method="post" action="${to(`${DRAFT_PATH}/publish`)}">${hiddenField('form_key', formKey)}<p><button>${texts.publish}</button></p></form>`

const accountLinks = (texts: DraftTexts, { to }: Links) =>
  html`<p class="buttons"><a class="button primary" href="${to('/register', { return_to: DRAFT_PATH })}">${texts.register}</a>
    <a class="button" href="${to('/login', { return_to: PUBLISH_ON_LOGIN_PATH })}">${texts.logInAndPublish}</a></p>`

/** A draft without a place or a type continues with the step that it lacks. After errors, the place may be the reason. */
function editLinks({ progress: { point, requestType }, type, hasErrors, language }: DraftPage, { to }: Links): SafeHtml {
  const texts = draftTexts[language]
  const own = draftMailTexts[language]
  if (!point) return html`<a href="${to('/report')}">${own.choosePlace}</a>`
  const form = html`<a href="${to('/report', { lat: point.lat, lng: point.lng, type: type ? requestType : undefined })}">${texts.edit}</a>`
  return hasErrors ? html`${form} · <a href="${to('/report')}#17/${point.lat}/${point.lng}">${own.otherPlace}</a>` : form
}
