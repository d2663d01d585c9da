import type { Language } from '../../errors/texts/languages.ts'
import { hiddenField } from '../../html/fields.ts'
import { formatDateTime, formatNumber } from '../../html/format.ts'
import { readText, toFormValues } from '../../html/form-input.ts'
import type { Links } from '../../html/links.ts'
import type { HtmlPage } from '../../html/page.ts'
import { html, type SafeHtml } from '../../html/template.ts'
import type { Draft } from '../../reporting/drafts/draft-queries.ts'
import type { RequestType } from '../../request-types/schema.ts'
import { answerValues, type ReportProgress } from './report-input.ts'
import { draftTexts, type DraftTexts } from './draft-texts.ts'

export interface DraftPage {
  readonly draft: Draft
  readonly progress: ReportProgress
  /** It is undefined if the type is no longer available. */
  readonly type: RequestType | undefined
  readonly hasErrors: boolean
  readonly isLoggedIn: boolean
  readonly formKey: string
  readonly language: Language
}

export const DRAFT_PATH = '/report/draft'

export function draftPage(page: DraftPage, links: Links): HtmlPage {
  const { draft, progress, type, hasErrors, isLoggedIn, formKey, language } = page
  const texts = draftTexts[language]
  return {
    title: texts.title,
    description: texts.description,
    language,
    body: html`<div class="narrow">
      <h1>${texts.title}</h1>
      ${hasErrors ? html`<p class="error-summary" role="alert">${texts.errors}</p>` : html`<p class="done" role="status">${texts.notPublished}</p>`}
      <p>${isLoggedIn ? texts.publishHint : texts.whoReports}</p>
      ${isLoggedIn ? publishForm(formKey, texts, links) : accountLinks(texts, links)}
      ${summary(draft, type, language, texts)}
      <p><a href="${formUrl(progress, links)}">${texts.edit}</a></p>
      <p class="quiet">${texts.kept(formatDateTime(draft.expiresAt.toISOString(), language))}</p>
      <form method="post" action="${links.to(`${DRAFT_PATH}/discard`)}"><p><button class="second">${texts.discard}</button></p></form>
    </div>`,
  }
}

const publishForm = (formKey: string, texts: DraftTexts, { to }: Links) =>
  html`<form method="post" action="${to(`${DRAFT_PATH}/publish`)}">${hiddenField('form_key', formKey)}<p><button>${texts.publish}</button></p></form>`

const accountLinks = (texts: DraftTexts, { to }: Links) =>
  html`<p><a class="button primary" href="${to('/register', { return_to: DRAFT_PATH })}">${texts.register}</a>
    <a class="button" href="${to('/login', { return_to: DRAFT_PATH })}">${texts.logIn}</a></p>`

/** The form shows the texts of the draft again. */
const formUrl = ({ point, requestType }: ReportProgress, { to }: Links) =>
  to('/report', { lat: point?.lat, lng: point?.lng, type: requestType })

function summary({ formValues, images }: Draft, type: RequestType | undefined, language: Language, texts: DraftTexts): SafeHtml {
  const answers = (type?.questions ?? []).flatMap((question) => {
    const values = answerValues(toFormValues(formValues), question).filter((value) => value !== '')
    return values.length === 0 ? [] : [html`<dt>${question.question}</dt><dd class="text">${values.join(', ')}</dd>`]
  })
  const address = readText(toFormValues(formValues), 'address')
  return html`${type ? html`<h2>${type.title}</h2>` : ''}
    <dl class="answers">
      <dt>${texts.place}</dt><dd>${address}</dd>
      ${answers}
      ${images.length > 0 ? html`<dt>${texts.pictures}</dt><dd>${formatNumber(images.length, language)}</dd>` : ''}
    </dl>`
}
