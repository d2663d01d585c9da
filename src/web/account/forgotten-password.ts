import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'

import { html } from '../../html/template.ts'
import { ipAddressKey } from '../../http/auth/login.ts'
import { toMailbox } from '../../http/schema/mailbox.ts'
import type { ValidationErrors } from '../../errors/problems.ts'
import { isResetTokenValid, requestReset, resetPassword } from '../../accounts/passwords/queries.ts'
import { ForgottenPassword, PasswordReset } from '../../accounts/passwords/schema.ts'
import { RESET_LINK_INVALID, PASSWORDS_DIFFER, RESET_REQUESTED } from '../../accounts/passwords/rules.ts'
import type { Services } from '../../services.ts'
import { errorSummary, type FieldErrors, hiddenField, inputField } from '../../html/fields.ts'
import { formErrors, readText, translateErrors, toFormValues } from '../../html/form-input.ts'
import { type Links, createLinks } from '../../html/links.ts'
import { type HtmlPage, sendPrivatePage } from '../../html/page.ts'
import { preventUrlLeaks } from '../../html/token-page.ts'
import { inLanguage } from '../../errors/texts/in-language.ts'

export const forgottenPasswordPages: FastifyPluginAsyncTypebox<Services> = async (
  app,
  { db, urls, trustedDevices, enqueueDeliveries },
) => {
  const links = createLinks(urls)

  app.get('/password/forgot', async (request, reply) => sendPrivatePage(request, reply, urls, forgotPage(links)))

  app.post('/password/forgot', { attachValidation: true, schema: { body: ForgottenPassword } }, async (request, reply) => {
    const errors = formErrors(request)
    const email = readText(toFormValues(request.body), 'email').trim()
    if (Object.keys(errors).length > 0)
      return sendPrivatePage(request, reply.code(422), urls, forgotPage(links, email, translateErrors(request, errors)))
    enqueueDeliveries(await requestReset(db, toMailbox(email)))
    return sendPrivatePage(request, reply, urls, mailSentPage)
  })

  await app.register(async (reset) => {
    reset.addHook('onSend', preventUrlLeaks)

    reset.get('/password/reset', async (request, reply) => {
      const token = readText(toFormValues(request.query), 'token')
      if (await isResetTokenValid(db, token)) return sendPrivatePage(request, reply, urls, resetPage(links, token))
      return sendPrivatePage(request, reply.code(422), urls, expiredLinkPage(links))
    })

    const options = { attachValidation: true, config: { hasMailToken: true }, schema: { body: PasswordReset } } as const
    reset.post('/password/reset', options, async (request, reply) => {
      const values = toFormValues(request.body)
      const [token, password] = [readText(values, 'token'), readText(values, 'password')]
      if (!(await isResetTokenValid(db, token))) return sendPrivatePage(request, reply.code(422), urls, expiredLinkPage(links))
      const errors: ValidationErrors = {
        ...(password === readText(values, 'password_confirmation') ? {} : { password_confirmation: PASSWORDS_DIFFER }),
        ...formErrors(request),
      }
      if (Object.keys(errors).length > 0)
        return sendPrivatePage(request, reply.code(422), urls, resetPage(links, token, translateErrors(request, errors)))
      const done = await resetPassword(db, token, password)
      if (!done) return sendPrivatePage(request, reply.code(422), urls, expiredLinkPage(links))
      enqueueDeliveries(done.deliveries)
      await trustedDevices.trust(done.userId, ipAddressKey(request))
      return sendPrivatePage(request, reply, urls, passwordChangedPage(links))
    })
  })
}

function forgotPage({ to }: Links, email = '', errors: FieldErrors = {}): HtmlPage {
  return {
    title: 'Forgotten your password?',
    description: 'Request a link to choose a new password.',
    body: html`<div class="narrow">
      <h1>Forgotten your password?</h1>
      <p>Enter the e-mail address of your account. If it is confirmed, we send a link to choose a new password.</p>
      ${errorSummary(errors, ['email'])}
      <form method="post" action="${to('/password/forgot')}">
        ${inputField({
          name: 'email',
          label: 'E-mail address',
          type: 'email',
          value: email,
          autocomplete: 'username',
          required: true,
          error: errors['email'],
        })}
        <p><button>Send the link</button></p>
      </form>
      <p>Remembered it? <a href="${to('/login')}">Log in</a></p>
    </div>`,
  }
}

const mailSentPage: HtmlPage = {
  title: 'Check your mail',
  description: RESET_REQUESTED,
  body: html`<div class="narrow">
    <h1>Check your mail</h1>
    <p class="done">${RESET_REQUESTED}</p>
    <p>The link works once, for one hour. If no mail arrives within a few minutes, check your spam folder or try another of your
      addresses: we send nothing to unconfirmed addresses, or for 72 hours to one that was added to an older one.</p>
  </div>`,
}

function resetPage({ to }: Links, token: string, errors: FieldErrors = {}): HtmlPage {
  return {
    title: 'Choose a new password',
    description: 'The new password applies at once, and all sessions and tokens of the account end.',
    body: html`<div class="narrow">
      <h1>Choose a new password</h1>
      <p>All sessions and tokens of your account end, so you must log in again everywhere.</p>
      ${errorSummary(errors, ['password', 'password_confirmation'])}
      <form method="post" action="${to('/password/reset')}">
        ${hiddenField('token', token)}
        ${inputField({
          name: 'password',
          label: 'New password',
          type: 'password',
          autocomplete: 'new-password',
          hint: '4 to 40 characters.',
          required: true,
          error: errors['password'],
        })}
        ${inputField({
          name: 'password_confirmation',
          label: 'Repeat the new password',
          type: 'password',
          autocomplete: 'new-password',
          required: true,
          error: errors['password_confirmation'],
        })}
        <p><button>Set this password</button></p>
      </form>
    </div>`,
  }
}

const passwordChangedPage = ({ to }: Links): HtmlPage => ({
  title: 'Your password is changed',
  description: 'Log in with the new password.',
  body: html`<div class="narrow">
    <h1>Your password is changed</h1>
    <p class="done">Your new password is set. All sessions and tokens have ended.</p>
    <p><a class="button primary" href="${to('/login')}">Log in</a></p>
  </div>`,
})

const expiredLinkPage = ({ to }: Links): HtmlPage => ({
  title: 'This link does not work any more',
  description: 'What to do when the link of a mail does not work.',
  body: html`<div class="narrow">
    <h1>This link does not work any more</h1>
    <p>It ${inLanguage(RESET_LINK_INVALID, 'en')}. If your mail program has split the link, copy all of it into the browser.</p>
    <p><a class="button primary" href="${to('/password/forgot')}">Request another link</a></p>
  </div>`,
})
