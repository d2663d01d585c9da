import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'

import { text, type Texts } from '../../locales/texts.ts'
import { richText } from '../../html/rich-text.ts'
import { type ValidationErrors, Problem } from '../../errors/problems.ts'
import { html } from '../../html/template.ts'
import { pageTexts } from '../../http/errors/text-language.ts'
import { endSession, startSession } from '../../http/identity/sessions.ts'
import type { Viewer } from '../../http/auth/authentication.ts'
import type { Draft } from '../../reporting/drafts/draft-queries.ts'
import type { Services } from '../../services.ts'
import { type FieldErrors, hiddenField, PASSWORD_SCRIPT } from '../../html/fields.ts'
import { createForm, readText, translateErrors, toFormValues } from '../../html/form.ts'
import { type Links, safeReturnPath, seeOther } from '../../html/links.ts'
import { type HtmlPage, narrowPage, sendPrivatePage, pageTitles } from '../../html/page.ts'
import { actionNote } from '../issues/staff-offers.ts'
import { actOnLogin, parseActionPath } from '../issues/act-on-login.ts'
import { claimDraftOfBrowser, DRAFT_PATH, forgetDraft, PUBLISH_ON_LOGIN_PATH } from '../report/drafts/draft-cookie.ts'
import { findWaitingDraft } from '../report/drafts/draft-notice.ts'
import { publishedPath, publishValidDraft } from '../report/keep-draft.ts'

const CREDENTIAL_MAX = 500

export const logInPages: FastifyPluginAsyncTypebox<Services> = async (app, services) => {
  const { links, urls } = services

  app.get('/login', async (request, reply) => {
    const { return_to } = toFormValues(request.query)
    if (request.viewer) return seeOther(reply, urls, safeReturnPath(return_to))
    return sendPrivatePage(request, reply, urls, logInPage(links, { return_to: safeReturnPath(return_to) }, pageTexts(request)))
  })

  app.post('/login', async (request, reply) => {
    const values = toFormValues(request.body)
    const [email, password] = [readText(values, 'email').trim(), readText(values, 'password')]
    const return_to = safeReturnPath(values['return_to'])
    const login = await logIn(request, reply, { email, password, return_to })
    if ('viewer' in login) return seeOther(reply, urls, await nextPath(request, login, return_to))
    const form = { return_to, email, errors: translateErrors(request, login.errors) }
    return sendPrivatePage(request, reply, urls, logInPage(links, form, pageTexts(request)))
  })

  app.post('/logout', async (request, reply) => {
    await endSession(request, reply, services)
    // The next user of the browser must not find the text and pictures of a report that was not sent, which scripts store in IndexedDB.
    void reply.header('clear-site-data', '"storage"')
    // The next person at this device must not read a draft that was opened from a mail.
    forgetDraft(reply, urls)
    return seeOther(reply, urls, '/')
  })

  /**
   * A report that was written before the login is published if its author came from its page, and is shown instead of the home page, as the work of
   * staff is.
   */
  async function nextPath(request: FastifyRequest, { viewer, isStaff, draft }: Login, return_to: string): Promise<string> {
    const userId = viewer.id
    const action = parseActionPath(return_to)
    if (action) return actOnLogin(services, viewer, action, request.id)
    if (return_to === '/' && draft) return DRAFT_PATH
    if (return_to === '/' && isStaff) return '/work'
    if (return_to !== PUBLISH_ON_LOGIN_PATH) return return_to
    const report = draft && (await publishValidDraft(request, services, draft, { id: userId }))
    if (report) return publishedPath(report)
    // A form that is sent twice has already published it.
    return (draft ?? (await findWaitingDraft(services, userId))) ? DRAFT_PATH : '/account/reports'
  }

  /** Sets the status if it returns errors. */
  async function logIn(
    request: FastifyRequest,
    reply: FastifyReply,
    { email, password, return_to }: Readonly<Record<'email' | 'password' | 'return_to', string>>,
  ): Promise<Login | { readonly errors: ValidationErrors }> {
    const errors: ValidationErrors = {
      ...(email === '' ? { email: text('is_required') } : {}),
      ...(password === '' ? { password: text('is_required') } : {}),
    }
    const isBlank = Object.keys(errors).length > 0
    // These values cannot be credentials, and PostgreSQL rejects U+0000.
    if (isBlank || email.length > CREDENTIAL_MAX || password.length > CREDENTIAL_MAX || email.includes('\0')) {
      void reply.code(422)
      return { errors: isBlank ? errors : WRONG_CREDENTIALS }
    }
    try {
      const viewer = await reply.logIn(email, password)
      await startSession(request, reply, services, viewer)
      const isStaff = viewer.isAdmin || viewer.organizationIds.length > 0
      return { viewer, isStaff, draft: await claimDraftOfBrowser(request, reply, services, { userId: viewer.id, return_to }) }
    } catch (error) {
      if (!(error instanceof Problem) || error.body.kind !== 'message' || error.status >= 500) throw error
      void reply.code(error.status === 401 ? 422 : error.status)
      if (error.status === 401) return { errors: WRONG_CREDENTIALS }
      void reply.headers(error.headers)
      return { errors: { base: error.body.message } }
    }
  }
}

const WRONG_CREDENTIALS: ValidationErrors = { base: text('email_or_password_wrong') }

interface Login {
  readonly viewer: Viewer
  readonly isStaff: boolean
  /** The draft of the browser, which the account has taken over, unless it was mailed. */
  readonly draft: Draft | undefined
}

interface LogInForm {
  readonly return_to: string
  readonly email?: string
  readonly errors?: FieldErrors
}

function logInPage({ to }: Links, { return_to, email, errors = {} }: LogInForm, texts: Texts): HtmlPage {
  const after = return_to === '/' ? {} : { return_to }
  const form = createForm(texts.language, { values: { email }, errors })
  const fields = html`${form.input('email', texts('login.email'), { type: 'email', autocomplete: 'username', required: true })}
        ${form.input('password', texts('login.password'), { type: 'password', autocomplete: 'current-password', required: true })}`
  return narrowPage({
    ...pageTitles(texts, 'login.title', 'login.description'),
    script: PASSWORD_SCRIPT,
    body: html`${return_to === PUBLISH_ON_LOGIN_PATH ? html`<p class="note">${texts('draftNotice.publishedOnLogin')}</p>` : ''}
      ${actionNote(return_to, texts)}
      ${form.errorSummary()}
      <form method="post" action="${to('/login')}">
        ${hiddenField('return_to', return_to)}
        ${fields}
        <p><button>${texts('login.title')}</button></p>
      </form>
      <p>${richText(texts, 'login.forgotten', { reset: (text) => html`<a href="${to('/password/forgot')}">${text}</a>` })}</p>
      <p>${richText(texts, 'login.noAccount', { register: (text) => html`<a href="${to('/register', after)}">${text}</a>` })}</p>`,
  })
}
