import { type Language, textsIn } from '../../../locales/texts.ts'
import { errorSummary, type FieldErrors, hiddenField, inputField } from '../../../html/fields.ts'
import type { Links } from '../../../html/links.ts'
import type { HtmlPage } from '../../../html/page.ts'
import { html, type SafeHtml } from '../../../html/template.ts'
import { DRAFT_PATH } from './draft-cookie.ts'

export interface DraftMailForm {
  readonly email: string
  readonly errors: FieldErrors
  readonly isRequested: boolean
}

export const emptyMailForm: DraftMailForm = { email: '', errors: {}, isRequested: false }

export const draftMailStatus = ({ errors, isRequested }: DraftMailForm, language: Language): SafeHtml =>
  html`${errorSummary(errors, ['email'], language)}${isRequested ? html`<p class="done" role="status">${textsIn(language)('draftMail.requested')}</p>` : ''}`

/** The form for a link by mail: its page is the same whether the address has an account or not. */
export function draftMailSection(
  { email, errors, isRequested, formKey, language }: DraftMailForm & { readonly formKey: string; readonly language: Language },
  { to }: Links,
): SafeHtml {
  const texts = textsIn(language)
  const form = html`<form method="post" action="${to(`${DRAFT_PATH}/mail`)}">
        ${hiddenField('form_key', formKey)}
        ${inputField({
          ...{ name: 'email', label: texts('draftMail.email'), hint: texts('draftMail.emailHint'), type: 'email', language },
          value: email,
          autocomplete: 'email',
          required: true,
          error: errors['email'],
        })}
        <p>${isRequested ? html`<button class="second">${texts('draftMail.sendAgain')}</button>` : html`<button>${texts('draftMail.send')}</button>`}</p>
      </form>`
  return isRequested ? html`<details><summary>${texts('draftMail.noMail')}</summary>${form}</details>` : form
}

/** The page of a link whose draft was published, discarded, deleted or claimed by an account. */
export function endedLinkPage({ to }: Links, language: Language): HtmlPage {
  const texts = textsIn(language)
  return {
    title: texts('draftMail.linkEnded'),
    description: texts('draftMail.linkEndedDescription'),
    language,
    body: html`<div class="narrow">
      <h1>${texts('draftMail.linkEnded')}</h1>
      <p>${texts('draftMail.linkEndedHint')}</p>
      <p><a class="button primary" href="${to('/login', { return_to: DRAFT_PATH })}">${texts('draft.logIn')}</a>
        <a class="button" href="${to('/report')}">${texts('draftMail.newReport')}</a></p>
    </div>`,
  }
}
