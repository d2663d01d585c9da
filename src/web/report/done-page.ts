import { type FieldErrors, hiddenField, PASSWORD_SCRIPT } from '../../html/fields.ts'
import { createForm, type Form } from '../../html/form.ts'
import type { Links } from '../../html/links.ts'
import { type HtmlPage, narrowPage } from '../../html/page.ts'
import { html, type SafeHtml } from '../../html/template.ts'
import type { Texts } from '../../locales/texts.ts'
import type { PublishedIssue } from '../../reporting/drafts/draft-queries.ts'
import { DRAFT_PATH } from './drafts/draft-cookie.ts'

export interface DonePage {
  readonly issue: PublishedIssue
  /** The token of the link that has published it; '' without one. */
  readonly token: string
  readonly errors?: FieldErrors
  readonly hasNewPassword?: boolean
}

/** The page after a report by e-mail alone. It offers a password for an account without one. */
export function donePage(page: DonePage, links: Links, texts: Texts): HtmlPage {
  const { issue, hasNewPassword = false, errors = {} } = page
  const { id, isPublic, withoutPassword, maySetPassword } = issue
  const { to } = links
  const form = createForm(texts.language, { errors })
  const setPassword = withoutPassword && maySetPassword ? passwordForm(page, form, links, texts) : ''
  const logIn = html`<a class="button" href="${to('/login', { return_to: '/account/reports' })}">${texts('openDraft.logIn')}</a>`
  return narrowPage({
    title: texts('openDraft.doneTitle'),
    description: texts('openDraft.description'),
    ...(withoutPassword === undefined ? {} : { script: PASSWORD_SCRIPT }),
    body: html`${form.errorSummary()}
      <p class="done" role="status">${isPublic ? texts('draftNotice.published') : texts('draftNotice.pendingReview')} ${hasNewPassword ? texts('openDraft.passwordSet') : ''}</p>
      ${isPublic ? html`<p><a class="button primary" href="${to(`/issues/${id}`)}">${texts('openDraft.seeReport', { id })}</a></p>` : ''}
      <p>${texts('openDraft.news')}</p>
      ${withoutPassword === undefined ? html`<p>${logIn}</p>` : maySetPassword ? setPassword : passwordLink(links, texts)}`,
  })
}

/** Others may use this browser, so a mail shows whose account it is. */
const passwordLink = ({ to }: Links, texts: Texts) => html`<section aria-labelledby="password-title">
      <h2 id="password-title">${texts('openDraft.passwordTitle')}</h2>
      <p>${texts('openDraft.passwordHint')} ${texts('openDraft.passwordByMail')}</p>
      <p><a class="button" href="${to('/password/forgot')}">${texts('password.sendLink')}</a></p>
    </section>`

function passwordForm({ token }: DonePage, form: Form, { to }: Links, texts: Texts): SafeHtml {
  const password = { hint: texts('password.passwordHint'), type: 'password', autocomplete: 'new-password', required: true } as const
  return html`<section aria-labelledby="password-title">
      <h2 id="password-title">${texts('openDraft.passwordTitle')}</h2>
      <p>${texts('openDraft.passwordHint')}</p>
      <form method="post" action="${to(`${DRAFT_PATH}/open/password`)}">
        ${hiddenField('token', token)}
        ${form.input('password', texts('login.password'), password)}
        <p><button class="second">${texts('password.setPassword')}</button></p>
      </form>
    </section>`
}
