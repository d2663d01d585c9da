import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'

import { html } from '../../html/template.ts'
import { preferredLocale } from '../../http/request/locale.ts'
import type { ValidationErrors } from '../../errors/problems.ts'
import { ipAddressKey } from '../../http/auth/login.ts'
import { startSession } from '../../http/identity/sessions.ts'
import type { Services } from '../../services.ts'
import { Registration } from '../../accounts/schema.ts'
import { register } from '../../accounts/registration.ts'
import { checkboxField, errorSummary, type FieldErrors, hiddenField, inputField } from '../../html/fields.ts'
import {
  validationErrorsFrom,
  formErrors,
  readText,
  translateErrors,
  type FormValues,
  toFormValues,
  omitBlankFields,
} from '../../html/form-input.ts'
import { withInputTransform } from '../../http/validation/compilers.ts'
import { type Links, createLinks } from '../../html/links.ts'
import { type HtmlPage, sendPrivatePage } from '../../html/page.ts'
import { safeReturnPath, seeOther } from '../../html/redirects.ts'
import { text } from '../../errors/texts/text.ts'

const FIELDS = ['name', 'email', 'password', 'password_confirmation', 'accept_terms']
const LICENCE_URL = 'https://creativecommons.org/licenses/by-nc-sa/3.0/us/'

export const registerPages: FastifyPluginAsyncTypebox<Services> = async (app, services) => {
  const { urls, rateLimit, registrations } = services
  const links = createLinks(urls)

  app.get('/register', async (request, reply) => {
    const return_to = safeReturnPath(toFormValues(request.query)['return_to'])
    if (request.viewer) return seeOther(reply, urls, return_to)
    return sendPrivatePage(request, reply, urls, registerPage(links, { return_to }))
  })

  const options = {
    attachValidation: true,
    validatorCompiler: withInputTransform(app, 'body', omitBlankFields),
    schema: { body: Registration },
  } as const
  app.post('/register', options, async (request, reply) => {
    // The rate limit is that of the API, because each registration costs a hash and a mail.
    await rateLimit.count(reply, ipAddressKey(request))
    const values = toFormValues(request.body)
    const return_to = safeReturnPath(values['return_to'])
    const sendErrors = (errors: ValidationErrors) =>
      sendPrivatePage(
        request,
        reply.code(422),
        urls,
        registerPage(links, { return_to, values, errors: translateErrors(request, simplifyTermsError(errors)) }),
      )
    const errors = formErrors(request)
    if (Object.keys(errors).length > 0) return sendErrors(errors)
    let id: number
    try {
      id = await registrations.count(request, () => register(services, request.body, preferredLocale(request) ?? 'en'))
    } catch (error) {
      return sendErrors(validationErrorsFrom(error))
    }
    await services.trustedDevices.trust(id, ipAddressKey(request))
    await startSession(request, reply, services, { id, credentialsVersion: 1 })
    return seeOther(reply, urls, `/register/done?${new URLSearchParams({ return_to }).toString()}`)
  })

  app.get('/register/done', async (request, reply) => {
    const return_to = safeReturnPath(toFormValues(request.query)['return_to'])
    return sendPrivatePage(request, reply, urls, donePage(links, return_to))
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

function registerPage({ to }: Links, { return_to, values = {}, errors = {} }: RegisterForm): HtmlPage {
  const after = return_to === '/' ? {} : { return_to }
  const password = { type: 'password', autocomplete: 'new-password', required: true } as const
  return {
    title: 'Register',
    description: 'Create an account to report what is broken, to comment and to follow.',
    body: html`<div class="narrow">
      <h1>Register</h1>
      ${errorSummary(errors, FIELDS)}
      <form method="post" action="${to('/register')}">
        ${hiddenField('return_to', return_to)}
        ${inputField({
          name: 'name',
          label: 'Name',
          hint: 'It is public and appears with your reports. 3 to 40 characters.',
          value: readText(values, 'name'),
          autocomplete: 'name',
          maxlength: 40,
          required: true,
          error: errors['name'],
        })}
        ${inputField({
          name: 'email',
          label: 'E-mail address',
          hint: 'To log in, and for mails about what you report and follow. It is not public.',
          type: 'email',
          value: readText(values, 'email'),
          autocomplete: 'username',
          required: true,
          error: errors['email'],
        })}
        ${inputField({ name: 'password', label: 'Password', hint: '4 to 40 characters.', error: errors['password'], ...password })}
        ${inputField({
          name: 'password_confirmation',
          label: 'Repeat the password',
          error: errors['password_confirmation'],
          ...password,
        })}
        ${checkboxField({
          name: 'accept_terms',
          label: html`I agree that what I report may be published under <a href="${LICENCE_URL}">CC BY-NC-SA 3.0 US</a>`,
          checked: readText(values, 'accept_terms') === 'true',
          required: true,
          error: errors['accept_terms'],
        })}
        <p><button>Register</button></p>
      </form>
      <p>Already have an account? <a href="${to('/login', after)}">Log in</a></p>
    </div>`,
  }
}

function donePage({ to }: Links, return_to: string): HtmlPage {
  return {
    title: 'You are registered',
    description: 'You are logged in, and a mail was sent.',
    body: html`<div class="narrow">
      <h1>You are registered</h1>
      <p class="done" role="status">You are logged in, and a mail was sent to your address. Follow the link in it to confirm that the address
        is yours: only then do you get mails about what you report and follow.</p>
      <p>You can already report, comment and follow.</p>
      <p><a class="button primary" href="${to(return_to)}">${return_to === '/' ? 'Go to the home page' : 'Continue'}</a>
        <a class="button" href="${to('/account')}">Your account</a></p>
    </div>`,
  }
}
