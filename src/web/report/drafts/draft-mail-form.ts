import type { Texts } from '../../../locales/texts.ts'
import { richText } from '../../../html/rich-text.ts'
import type { Draft } from '../../../reporting/drafts/draft-queries.ts'
import { errorSummary, type FieldErrors, hiddenField } from '../../../html/fields.ts'
import { createForm } from '../../../html/form.ts'
import type { Links } from '../../../html/links.ts'
import { type HtmlPage, narrowPage } from '../../../html/page.ts'
import { html, type SafeHtml } from '../../../html/template.ts'
import { DRAFT_PATH } from './draft-cookie.ts'

export interface DraftMailForm {
  /** The address that was entered; undefined for that of the draft. */
  readonly email?: string
  readonly errors: FieldErrors
  readonly isRequested: boolean
}

export const emptyMailForm: DraftMailForm = { errors: {}, isRequested: false }

export function draftMailStatus({ errors, isRequested }: DraftMailForm, { email }: Pick<Draft, 'email'>, texts: Texts): SafeHtml {
  const sent = email === null ? '' : richText(texts, 'draftMail.sentTo', { email: html`<b>${email}</b>` })
  const status = html`<p class="done" role="status">${sent} ${isRequested ? texts('draftMail.requested') : ''}</p>`
  return html`${errorSummary(errors, [['email', texts('draftMail.email')]], texts.language)}${email === null ? '' : status}`
}

interface MailSection extends DraftMailForm {
  /** The address to which the draft was last mailed. */
  readonly sentTo: string | null
  readonly formKey: string
  readonly texts: Texts
}

/** The form for a link by mail: its page is the same whether the address has an account or not. */
export function draftMailSection({ email, sentTo, errors, formKey, texts }: MailSection, { to }: Links): SafeHtml {
  const fields = createForm(texts.language, { values: { email: email ?? sentTo ?? '' }, errors })
  const options = { hint: texts('draftMail.emailHint'), type: 'email', autocomplete: 'email', required: true } as const
  const form = html`<form method="post" action="${to(`${DRAFT_PATH}/mail`)}">
        ${hiddenField('form_key', formKey)}
        ${fields.input('email', texts('draftMail.email'), options)}
        <p>${sentTo === null ? html`<button>${texts('draftMail.send')}</button>` : html`<button class="second">${texts('draftMail.sendAgain')}</button>`}</p>
      </form>`
  if (sentTo === null) return form
  return html`<details${errors['email'] ? html` open` : ''}><summary>${texts('draftMail.noMail')}</summary><p>${texts('draftMail.noMailHint')}</p>${form}</details>`
}

/** The page of a link whose draft was published, discarded, deleted or claimed by an account. */
export function endedLinkPage({ to }: Links, texts: Texts): HtmlPage {
  return narrowPage({
    title: texts('draftMail.linkEnded'),
    description: texts('draftMail.linkEndedDescription'),
    body: html`<p>${texts('draftMail.linkEndedHint')}</p>
      <p><a class="button primary" href="${to('/login', { return_to: DRAFT_PATH })}">${texts('draft.logIn')}</a>
        <a class="button" href="${to('/report')}">${texts('draftMail.newReport')}</a></p>`,
  })
}
