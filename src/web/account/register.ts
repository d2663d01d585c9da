import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'

import { html } from '../../html/template.ts'
import { preferredLocale } from '../../http/request/locale.ts'
import type { ValidationErrors } from '../../errors/problems.ts'
import { keyOf } from '../../http/auth/log-in.ts'
import { startSession } from '../../http/identity/sessions.ts'
import type { Services } from '../../services.ts'
import { Registration } from '../../accounts/schema.ts'
import { register } from '../../accounts/registration.ts'
import { checkField, faultsAbove, type FieldFaults, hiddenField, inputField } from '../../html/fields.ts'
import { faultsOf, faultsOfInput, textIn, toldTo, type Typed, typedIn, withoutBlanks } from '../../html/form-input.ts'
import { preparing } from '../../http/validation/compilers.ts'
import { type Links, linksOf } from '../../html/links.ts'
import { type Page, sendForm } from '../../html/page.ts'
import { ownPath, seeOther } from '../../html/return-to.ts'
import { text } from '../../errors/texts/text.ts'

const FIELDS = ['name', 'email', 'password', 'password_confirmation', 'accept_terms']
const LICENCE_URL = 'https://creativecommons.org/licenses/by-nc-sa/3.0/us/'

export const registerPages: FastifyPluginAsyncTypebox<Services> = async (app, services) => {
  const { urls, rateLimit, registrations } = services
  const links = linksOf(urls)

  app.get('/register', async (request, reply) => {
    const return_to = ownPath(typedIn(request.query)['return_to'])
    if (request.viewer) return seeOther(reply, urls, return_to)
    return sendForm(request, reply, urls, registerPage(links, { return_to }))
  })

  const options = {
    attachValidation: true,
    validatorCompiler: preparing(app, 'body', withoutBlanks),
    schema: { body: Registration },
  } as const
  app.post('/register', options, async (request, reply) => {
    // As under the API: each costs a hash and a mail.
    await rateLimit.count(reply, keyOf(request))
    const typed = typedIn(request.body)
    const return_to = ownPath(typed['return_to'])
    const refuse = (faults: ValidationErrors) =>
      sendForm(
        request,
        reply.code(422),
        urls,
        registerPage(links, { return_to, typed, faults: toldTo(request, forPeople(faults)) }),
      )
    const faults = faultsOfInput(request)
    if (Object.keys(faults).length > 0) return refuse(faults)
    let id: number
    try {
      id = await registrations.count(request, () => register(services, request.body, preferredLocale(request) ?? 'en'))
    } catch (error) {
      return refuse(faultsOf(error))
    }
    await services.familiar.note(id, keyOf(request))
    await startSession(request, reply, services, { id, credentialsVersion: 1 })
    return seeOther(reply, urls, `/register/done?${new URLSearchParams({ return_to }).toString()}`)
  })

  app.get('/register/done', async (request, reply) => {
    const return_to = ownPath(typedIn(request.query)['return_to'])
    return sendForm(request, reply, urls, donePage(links, return_to))
  })
}

interface RegisterForm {
  readonly return_to: string
  readonly typed?: Typed
  readonly faults?: FieldFaults
}

/** A box that has to be ticked says nothing to people of the value that it sends. */
const forPeople = (faults: ValidationErrors): ValidationErrors =>
  faults['accept_terms'] === undefined ? faults : { ...faults, accept_terms: text('is_needed') }

function registerPage({ to }: Links, { return_to, typed = {}, faults = {} }: RegisterForm): Page {
  const after = return_to === '/' ? {} : { return_to }
  const password = { type: 'password', autocomplete: 'new-password', required: true } as const
  return {
    title: 'Register',
    description: 'Make an account to report what is broken, to comment and to follow.',
    body: html`<div class="narrow">
      <h1>Register</h1>
      ${faultsAbove(faults, FIELDS)}
      <form method="post" action="${to('/register')}">
        ${hiddenField('return_to', return_to)}
        ${inputField({
          name: 'name',
          label: 'Name',
          hint: 'Everybody sees it beside what you report. 3 to 40 characters.',
          value: textIn(typed, 'name'),
          autocomplete: 'name',
          maxlength: 40,
          required: true,
          fault: faults['name'],
        })}
        ${inputField({
          name: 'email',
          label: 'E-mail address',
          hint: 'To log in, and for news of what you report and follow. Nobody else sees it.',
          type: 'email',
          value: textIn(typed, 'email'),
          autocomplete: 'username',
          required: true,
          fault: faults['email'],
        })}
        ${inputField({ name: 'password', label: 'Password', hint: '4 to 40 characters.', fault: faults['password'], ...password })}
        ${inputField({
          name: 'password_confirmation',
          label: 'The password once more',
          fault: faults['password_confirmation'],
          ...password,
        })}
        ${checkField({
          name: 'accept_terms',
          label: html`I agree that what I report may be published under <a href="${LICENCE_URL}">CC BY-NC-SA 3.0 US</a>`,
          checked: textIn(typed, 'accept_terms') === 'true',
          required: true,
          fault: faults['accept_terms'],
        })}
        <p><button>Register</button></p>
      </form>
      <p>You have an account? <a href="${to('/login', after)}">Log in</a></p>
    </div>`,
  }
}

function donePage({ to }: Links, return_to: string): Page {
  return {
    title: 'You are registered',
    description: 'You are logged in, and a mail was sent.',
    body: html`<div class="narrow">
      <h1>You are registered</h1>
      <p class="done" role="status">You are logged in, and a mail was sent to your address. Follow the link in it to confirm that the address
        is yours: only then news of what you report and follow can reach you.</p>
      <p>You can report, comment and follow at once.</p>
      <p><a class="button primary" href="${to(return_to)}">${return_to === '/' ? 'To the first page' : 'Go on'}</a>
        <a class="button" href="${to('/account')}">Your account</a></p>
    </div>`,
  }
}
