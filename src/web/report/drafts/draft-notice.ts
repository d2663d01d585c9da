import type { FastifyRequest } from 'fastify'

import type { Problem } from '../../../errors/problems.ts'
import { errorSummary, type FieldErrors, hiddenField } from '../../../html/fields.ts'
import { createForm } from '../../../html/form.ts'
import { createLinks, type Links } from '../../../html/links.ts'
import { type HtmlPage, narrowPage, pageTitles } from '../../../html/page.ts'
import { richText } from '../../../html/rich-text.ts'
import { html, type SafeHtml } from '../../../html/template.ts'
import { type Texts, inLanguage } from '../../../locales/texts.ts'
import { type Draft, findDraft, isIncomplete } from '../../../reporting/drafts/draft-queries.ts'
import type { Services } from '../../../services.ts'
import { DRAFT_PATH, draftReader } from './draft-cookie.ts'

type DraftServices = Pick<Services, 'db' | 'urls' | 'clock'>

/** Pictures alone need no notice: the next form shows them. */
export async function findNoticed(request: FastifyRequest, { db, urls, clock }: DraftServices): Promise<Draft | undefined> {
  const draft = await findDraft(db, draftReader(request, urls), clock())
  return draft && !isIncomplete(draft) ? draft : undefined
}

/** Returns the newest draft of an account, which reads it in every browser. */
export const findWaitingDraft = ({ db, clock }: Pick<DraftServices, 'db' | 'clock'>, userId: number) =>
  findDraft(db, { secretHash: undefined, userId }, clock())

interface NoticeOptions {
  /** True where another report begins, which replaces the draft of an anonymous visitor. */
  readonly isReplaced?: boolean
  /** True if only the button in a mail publishes it. */
  readonly isMailed?: boolean
}

/** Leads to the draft of the caller from a page where its author may look for it; '' without a draft. A page with it is private. */
export async function draftNotice(request: FastifyRequest, services: DraftServices, texts: Texts, options: NoticeOptions = {}) {
  const draft = await findNoticed(request, services)
  if (!draft) return ''
  const isMailed = draft.email !== null && draft.mailedTo === null && !draft.isClaimed
  return draftNoticeSection(createLinks(services.urls).to(DRAFT_PATH), texts, { ...options, isMailed })
}

/** The section shows nothing of what was written, because others may see the page. */
export function draftNoticeSection(
  href: string,
  texts: Texts,
  { isReplaced = false, isMailed = false }: NoticeOptions = {},
): SafeHtml {
  return html`<div class="waiting" data-draft-notice>
      <p><b>${texts(isMailed ? 'draftNotice.mailed' : 'draftNotice.notPublished')}</b>${isReplaced ? html` ${texts('draftNotice.replacement')}` : ''}</p>
      <p><a class="button primary" href="${href}">${texts(isMailed ? 'draftNotice.seeReport' : 'draftNotice.open')}</a></p>
    </div>`
}

/** Says above a form that comes back that it no longer changes a draft, or would have replaced one that it did not name. */
export const alertNotice = (text: string): SafeHtml => html`<div class="error-summary" role="alert"><p>${text}</p></div>`

/** Says why no further draft is saved, above the form that comes back. The login opens in a new tab, so that the form keeps its text. */
export function draftLimitNotice({ body }: Problem, loginHref: string, texts: Texts): SafeHtml {
  return html`<div class="error-summary" role="alert">
      <p><b>${body.kind === 'message' ? inLanguage(body.message, texts.language) : ''}</b> ${texts('draft.isKept')}</p>
      <p><a class="button primary" href="${loginHref}" target="_blank">${texts('draft.logInInNewTab')}</a></p>
    </div>`
}

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

/** The page of a link whose draft was published, discarded, deleted or sent to another address. */
export function endedLinkPage({ to }: Links, texts: Texts): HtmlPage {
  return narrowPage({
    ...pageTitles(texts, 'draftMail.linkEnded', 'draftMail.linkEndedDescription'),
    body: html`<p>${texts('draftMail.linkEndedHint')}</p>
      <p><a class="button primary" href="${to('/report')}">${texts('draftMail.newReport')}</a></p>`,
  })
}
