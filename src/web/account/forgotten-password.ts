import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import Type from 'typebox'

import type { Texts } from '../../locales/texts.ts'
import { richText } from '../../html/rich-text.ts'
import { html } from '../../html/template.ts'
import { ipAddressKey } from '../../http/auth/login.ts'
import { pageTexts } from '../../http/errors/text-language.ts'
import { toMailbox } from '../../http/schema/mailbox.ts'
import { findResetOwner, requestReset, resetPassword } from '../../accounts/passwords/queries.ts'
import { ForgottenPassword, PasswordReset, StrongPassword } from '../../accounts/passwords/schema.ts'
import type { Services } from '../../services.ts'
import { type FieldErrors, hiddenField, PASSWORD_SCRIPT } from '../../html/fields.ts'
import { createForm, formErrors, readText, translateErrors, toFormValues } from '../../html/form.ts'
import type { Links } from '../../html/links.ts'
import { type HtmlPage, narrowPage, sendPrivatePage, preventUrlLeaks, pageTitles } from '../../html/page.ts'

const PasswordResetForm = Type.Object({ token: PasswordReset.properties.token, password: StrongPassword })

export const forgottenPasswordPages: FastifyPluginAsyncTypebox<Services> = async (app, { db, links, urls, trustedDevices }) => {
  app.get('/password/forgot', async (request, reply) =>
    sendPrivatePage(request, reply, urls, forgotPage(links, {}, pageTexts(request))),
  )

  app.post('/password/forgot', { attachValidation: true, schema: { body: ForgottenPassword } }, async (request, reply) => {
    const texts = pageTexts(request)
    const errors = formErrors(request)
    const email = readText(toFormValues(request.body), 'email').trim()
    if (Object.keys(errors).length > 0) {
      const form = { email, errors: translateErrors(request, errors) }
      return sendPrivatePage(request, reply.code(422), urls, forgotPage(links, form, texts))
    }
    await requestReset(db, toMailbox(email))
    const sent = html`<p class="done">${texts('password.sent')}</p><p>${texts('password.sentHint')}</p>`
    const page = narrowPage({ ...pageTitles(texts, 'password.sentTitle', 'password.sent'), body: sent })
    return sendPrivatePage(request, reply, urls, page)
  })

  await app.register(async (reset) => {
    reset.addHook('onSend', preventUrlLeaks)

    reset.get('/password/reset', async (request, reply) => {
      const texts = pageTexts(request)
      const token = readText(toFormValues(request.query), 'token')
      if (await findResetOwner(db, token)) return sendPrivatePage(request, reply, urls, resetPage(links, { token }, texts))
      return sendPrivatePage(request, reply.code(422), urls, messagePage(links, 'expired', texts))
    })

    const options = { attachValidation: true, config: { hasMailToken: true }, schema: { body: PasswordResetForm } } as const
    reset.post('/password/reset', options, async (request, reply) => {
      const texts = pageTexts(request)
      const sendExpired = () => sendPrivatePage(request, reply.code(422), urls, messagePage(links, 'expired', texts))
      const values = toFormValues(request.body)
      const [token, password] = [readText(values, 'token'), readText(values, 'password')]
      if (!(await findResetOwner(db, token))) return sendExpired()
      const errors = formErrors(request)
      if (Object.keys(errors).length > 0) {
        const form = { token, errors: translateErrors(request, errors) }
        return sendPrivatePage(request, reply.code(422), urls, resetPage(links, form, texts))
      }
      const done = await resetPassword(db, token, password)
      if (!done) return sendExpired()
      await trustedDevices.trust(done.userId, ipAddressKey(request))
      return sendPrivatePage(request, reply, urls, messagePage(links, 'changed', texts))
    })
  })
}

interface ForgotForm {
  readonly email?: string
  readonly errors?: FieldErrors
}

function forgotPage({ to }: Links, { email = '', errors = {} }: ForgotForm, texts: Texts): HtmlPage {
  const form = createForm(texts.language, { values: { email }, errors })
  const field = form.input('email', texts('password.email'), { type: 'email', autocomplete: 'username', required: true })
  return narrowPage({
    ...pageTitles(texts, 'password.forgotTitle', 'password.forgotDescription'),
    body: html`<p>${texts('password.forgot')}</p>
      ${form.errorSummary()}
      <form method="post" action="${to('/password/forgot')}">
        ${field}
        <p><button>${texts('password.sendLink')}</button></p>
      </form>
      <p>${richText(texts, 'password.remembered', { logIn: (text) => html`<a href="${to('/login')}">${text}</a>` })}</p>`,
  })
}

interface ResetForm {
  readonly token: string
  readonly errors?: FieldErrors
}

function resetPage({ to }: Links, { token, errors = {} }: ResetForm, texts: Texts): HtmlPage {
  const form = createForm(texts.language, { errors })
  const password = { hint: texts('password.passwordHint'), type: 'password', autocomplete: 'new-password', required: true } as const
  const field = form.input('password', texts('password.newPassword'), password)
  return narrowPage({
    ...pageTitles(texts, 'password.resetTitle', 'password.resetDescription'),
    script: PASSWORD_SCRIPT,
    body: html`<p>${texts('password.reset')}</p>
      ${form.errorSummary()}
      <form method="post" action="${to('/password/reset')}">
        ${hiddenField('token', token)}
        ${field}
        <p><button>${texts('password.setPassword')}</button></p>
      </form>`,
  })
}

const linkTo = { changed: ['/login', 'logIn'], expired: ['/password/forgot', 'anotherLink'] } as const

function messagePage({ to }: Links, name: keyof typeof linkTo, texts: Texts): HtmlPage {
  const [path, label] = linkTo[name]
  return narrowPage({
    ...pageTitles(texts, `password.${name}Title`, `password.${name}Description`),
    body: html`<p${name === 'changed' ? html` class="done"` : ''}>${texts(`password.${name}`)}</p>
      <p><a class="button primary" href="${to(path)}">${texts(`password.${label}`)}</a></p>`,
  })
}
