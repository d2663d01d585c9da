import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import Type from 'typebox'

import { inLanguage, text, type Texts } from '../../locales/texts.ts'
import { richText } from '../../html/rich-text.ts'
import { html } from '../../html/template.ts'
import { pageTexts, preferredLocale } from '../../http/errors/text-language.ts'
import { EmailAddressWithDomain } from '../../http/schema/mailbox.ts'
import type { ValidationErrors } from '../../errors/problems.ts'
import { ipAddressKey } from '../../http/auth/login.ts'
import { startSession } from '../../http/identity/sessions.ts'
import type { Services } from '../../services.ts'
import { StrongPassword } from '../../accounts/passwords/schema.ts'
import { Registration } from '../../accounts/schema.ts'
import { register } from '../../accounts/registration.ts'
import { type FieldErrors, hiddenField, PASSWORD_SCRIPT } from '../../html/fields.ts'
import {
  validationErrorsFrom,
  formErrors,
  translateErrors,
  type FormValues,
  toFormValues,
  omitBlankFields,
  createForm,
} from '../../html/form.ts'
import { withInputTransform } from '../../http/validation/input-transforms.ts'
import { type Links, safeReturnPath, seeOther } from '../../html/links.ts'
import { type HtmlPage, narrowPage, pageTitles, sendPrivatePage } from '../../html/page.ts'
import { findViewer } from '../../http/identity/viewer-queries.ts'
import { actOnLogin, parseActionPath } from '../issues/act-on-login.ts'
import { claimDraftOfBrowser, DRAFT_PATH } from '../report/drafts/draft-cookie.ts'
import { findNoticed } from '../report/drafts/draft-notice.ts'

const { password_confirmation: _, ...registrationFields } = Registration.properties
const RegistrationForm = Type.Object({ ...registrationFields, email: EmailAddressWithDomain, password: StrongPassword })
const licence = html`<a href="https://creativecommons.org/licenses/by-nc-sa/3.0/us/">CC BY-NC-SA 3.0 US</a>`

export const registerPages: FastifyPluginAsyncTypebox<Services> = async (app, services) => {
  const { config, links, urls, registrations } = services

  app.get('/register', async (request, reply) => {
    const return_to = safeReturnPath(toFormValues(request.query)['return_to'])
    if (request.viewer) return seeOther(reply, urls, return_to)
    const texts = pageTexts(request)
    const page = config.registrationLimit === 0 ? closedPage(links, return_to, texts) : registerPage(links, { return_to }, texts)
    return sendPrivatePage(request, reply, urls, page)
  })

  const options = {
    attachValidation: true,
    validatorCompiler: withInputTransform(app, 'body', omitBlankFields),
    schema: { body: RegistrationForm },
  } as const
  app.post('/register', options, async (request, reply) => {
    // Each registration costs a hash and a mail.
    await reply.countRequest(`form:${ipAddressKey(request)}`)
    const values = toFormValues(request.body)
    const return_to = safeReturnPath(values['return_to'])
    const sendErrors = (errors: ValidationErrors) => {
      const form = { return_to, values, errors: translateErrors(request, simplifyTermsError(errors)) }
      return sendPrivatePage(request, reply.code(422), urls, registerPage(links, form, pageTexts(request)))
    }
    const errors = formErrors(request)
    if (Object.keys(errors).length > 0) return sendErrors(errors)
    const registration = { ...request.body, password_confirmation: request.body.password }
    let id: number
    try {
      id = await registrations.count(request, () => register(services, registration, preferredLocale(request) ?? 'en'))
    } catch (error) {
      return sendErrors(validationErrorsFrom(error))
    }
    await services.trustedDevices.trust(id, ipAddressKey(request))
    await startSession(request, reply, services, { id, credentialsVersion: 1 })
    await claimDraftOfBrowser(request, reply, services, { userId: id, return_to })
    const action = parseActionPath(return_to)
    const viewer = action && (await findViewer(services.db, id))
    const next = action && viewer ? await actOnLogin(services, viewer, action, request.id) : return_to
    return seeOther(reply, urls, `/register/done?${new URLSearchParams({ return_to: next }).toString()}`)
  })

  app.get('/register/done', async (request, reply) => {
    const return_to = safeReturnPath(toFormValues(request.query)['return_to'])
    // A mailed draft has its mail.
    const isDraftWaiting = (await findNoticed(request, services))?.isClaimed === true
    return sendPrivatePage(request, reply, urls, donePage(links, { return_to, isDraftWaiting }, pageTexts(request)))
  })
}

interface RegisterForm {
  readonly return_to: string
  readonly values?: FormValues
  readonly errors?: FieldErrors
}

/** The schema's text names the value `true`, which means nothing to people who see a checkbox. */
const simplifyTermsError = (errors: ValidationErrors): ValidationErrors =>
  errors['accept_terms'] === undefined ? errors : { ...errors, accept_terms: text('is_required') }

const loginLink = ({ to }: Links, return_to: string, texts: Texts) =>
  html`<p>${richText(texts, 'register.hasAccount', { logIn: (text) => html`<a href="${to('/login', return_to === '/' ? {} : { return_to })}">${text}</a>` })}</p>
    <p>${richText(texts, 'register.hasNoPassword', { getPassword: (text) => html`<a href="${to('/password/forgot')}">${text}</a>` })}</p>`

function closedPage(links: Links, return_to: string, texts: Texts): HtmlPage {
  return narrowPage({
    ...pageTitles(texts, 'register.title', 'register.description'),
    body: html`<p>${inLanguage(text('registration_closed'), texts.language)}</p>${loginLink(links, return_to, texts)}`,
  })
}

function registerPage(links: Links, { return_to, values = {}, errors = {} }: RegisterForm, texts: Texts): HtmlPage {
  const { to } = links
  const form = createForm(texts.language, { values, errors })
  const name = { hint: texts('register.nameHint'), autocomplete: 'name', maxlength: 40, required: true }
  const email = { hint: texts('register.emailHint'), type: 'email', autocomplete: 'username', required: true } as const
  const password = { hint: texts('register.passwordHint'), type: 'password', autocomplete: 'new-password', required: true } as const
  const acceptTerms = richText(texts, 'register.acceptTerms', { licence })
  const fields = html`${form.input('name', texts('register.name'), name)}
        ${form.input('email', texts('register.email'), email)}
        ${form.input('password', texts('register.password'), password)}
        ${form.checkbox('accept_terms', acceptTerms, { required: true, summaryLabel: texts('menu.terms') })}`
  return narrowPage({
    ...pageTitles(texts, 'register.title', 'register.description'),
    script: PASSWORD_SCRIPT,
    body: html`${form.errorSummary()}
      <form method="post" action="${to('/register')}">
        ${hiddenField('return_to', return_to)}
        ${fields}
        <p><button>${texts('register.title')}</button></p>
      </form>
      ${loginLink(links, return_to, texts)}`,
  })
}

interface Done {
  readonly return_to: string
  readonly isDraftWaiting: boolean
}

function donePage({ to }: Links, { return_to, isDraftWaiting }: Done, texts: Texts): HtmlPage {
  const [path, label] = isDraftWaiting
    ? [DRAFT_PATH, texts('draftNotice.open')]
    : [return_to, return_to === '/' ? texts('register.home') : texts('register.continue')]
  return narrowPage({
    ...pageTitles(texts, 'register.doneTitle', 'register.doneDescription'),
    body: html`<p class="done" role="status">${texts('register.done')}</p>
      <p>${isDraftWaiting ? html`<b>${texts('draftNotice.publishedOnConfirmation')}</b>` : texts('register.nextStep')}</p>
      <p class="buttons"><a class="button primary" href="${to(path)}">${label}</a>
        <a class="button" href="${to('/account')}">${texts('register.account')}</a></p>`,
  })
}
