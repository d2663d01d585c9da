import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'

import { type ValidationErrors, Problem } from '../../errors/problems.ts'
import { html } from '../../html/template.ts'
import { endSession, startSession } from '../../http/identity/sessions.ts'
import type { Services } from '../../services.ts'
import { faultsAbove, type FieldFaults, hiddenField, inputField } from '../../html/fields.ts'
import { textIn, toldTo, typedIn } from '../../html/form-input.ts'
import { type Links, linksOf } from '../../html/links.ts'
import { type Page, sendForm } from '../../html/page.ts'
import { ownPath, seeOther } from '../../html/return-to.ts'
import { text } from '../../errors/texts/text.ts'

const CREDENTIAL_MAX = 500

/** In and out of the pages. */
export const logInPages: FastifyPluginAsyncTypebox<Services> = async (app, services) => {
  const { urls } = services
  const links = linksOf(urls)

  app.get('/login', async (request, reply) => {
    const { return_to } = typedIn(request.query)
    if (request.viewer) return seeOther(reply, urls, ownPath(return_to))
    return sendForm(request, reply, urls, logInPage(links, { return_to: ownPath(return_to) }))
  })

  app.post('/login', async (request, reply) => {
    const typed = typedIn(request.body)
    const [email, password] = [textIn(typed, 'email').trim(), textIn(typed, 'password')]
    const return_to = ownPath(typed['return_to'])
    const faults = await tryToLogIn(request, reply, email, password)
    if (faults === undefined) return seeOther(reply, urls, return_to)
    return sendForm(request, reply, urls, logInPage(links, { return_to, email, faults: toldTo(request, faults) }))
  })

  app.post('/logout', async (request, reply) => {
    await endSession(request, reply, services)
    return seeOther(reply, urls, '/')
  })

  /** Undefined where it worked; else the faults, with the status of the answer set. */
  async function tryToLogIn(request: FastifyRequest, reply: FastifyReply, email: string, password: string) {
    const faults: ValidationErrors = {
      ...(email === '' ? { email: text('is_needed') } : {}),
      ...(password === '' ? { password: text('is_needed') } : {}),
    }
    const isBlank = Object.keys(faults).length > 0
    // No account has such an address, and no database would look for it.
    if (isBlank || email.length > CREDENTIAL_MAX || password.length > CREDENTIAL_MAX || email.includes('\0')) {
      void reply.code(422)
      return isBlank ? faults : WRONG
    }
    try {
      const viewer = await reply.logIn(email, password)
      await startSession(request, reply, services, viewer)
      return undefined
    } catch (error) {
      if (!(error instanceof Problem) || error.body.kind !== 'message' || error.status >= 500) throw error
      void reply.code(error.status === 401 ? 422 : error.status)
      if (error.status === 401) return WRONG
      void reply.headers(error.headers)
      return { base: error.body.message }
    }
  }
}

const WRONG: ValidationErrors = { base: text('email_or_password_wrong') }

function logInPage(
  { to }: Links,
  { return_to, email, faults = {} }: { return_to: string; email?: string; faults?: FieldFaults },
): Page {
  const after = return_to === '/' ? {} : { return_to }
  return {
    title: 'Log in',
    description: 'Log in to report what is broken, to comment and to follow.',
    body: html`<div class="narrow">
      <h1>Log in</h1>
      ${faultsAbove(faults, ['email', 'password'])}
      <form method="post" action="${to('/login')}">
        ${hiddenField('return_to', return_to)}
        ${inputField({
          name: 'email',
          label: 'E-mail address',
          type: 'email',
          value: email,
          autocomplete: 'username',
          required: true,
          fault: faults['email'],
        })}
        ${inputField({
          name: 'password',
          label: 'Password',
          type: 'password',
          autocomplete: 'current-password',
          required: true,
          fault: faults['password'],
        })}
        <p><button>Log in</button></p>
      </form>
      <p>Forgotten your password? <a href="${to('/password/forgot')}">Choose a new one</a></p>
      <p>No account yet? <a href="${to('/register', after)}">Register</a></p>
    </div>`,
  }
}
