import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'

import { findOrCreateMailedAccount, listClaims } from '../../accounts/mailed-account.ts'
import { problems } from '../../errors/problems.ts'
import { type FieldErrors, hiddenField } from '../../html/fields.ts'
import { createForm, normalizeLineEndings, readText, toFormValues, translateErrors, validationErrorsFrom } from '../../html/form.ts'
import type { Links } from '../../html/links.ts'
import { narrowPage, sendPrivatePage, preventUrlLeaks, pageTitles } from '../../html/page.ts'
import { html, type SafeHtml } from '../../html/template.ts'
import { text, type Texts } from '../../locales/texts.ts'
import { type ClosingCaller, type ClosingSubject, readClosingToken, findUnsubscribeKey } from '../../mail/unsubscribe-token.ts'
import { answerClosing, type ClosingAnswerResult, isAnswerable } from '../../reporting/closing-answers/answer-closing.ts'
import { type AskedClosing, findAskedClosing } from '../../reporting/closing-answers/queries.ts'
import type { Services } from '../../services.ts'
import { checkClaim, claimQuestion } from '../report/claim-question.ts'
import { mailPageTexts } from './mail-page-texts.ts'

interface OpenedLink {
  readonly token: string
  readonly subject: ClosingSubject | ClosingCaller
  readonly closing: AskedClosing
  /** An account without a confirmed address has entered that of the caller. */
  readonly isClaimed: boolean
  readonly is_fixed: boolean
}

/** The pages behind the two links of the mail that asks whether an issue is fixed. GET changes nothing, because virus scanners open every link. */
export const closingAnswerPages: FastifyPluginAsyncTypebox<Services> = async (app, services) => {
  const { db, links, urls, clock } = services
  app.addHook('onSend', preventUrlLeaks)
  app.addHook('onSend', async (_request, reply) => void reply.header('x-robots-tag', 'noindex'))

  app.get('/closings', async (request, reply) => send(request, reply, await openLink(request, request.query), {}))

  app.post('/closings', { config: { hasMailToken: true } }, async (request, reply) => {
    const opened = await openLink(request, request.body)
    const values = normalizeLineEndings(request.body)
    try {
      const answer = { is_fixed: opened.is_fixed, comment: values['comment'], requestId: request.id }
      const result = await answerClosing(services, { ...answer, subject: await toUser(request, reply, opened) })
      return await send(request, reply, opened, { result })
    } catch (error) {
      const errors = translateErrors(request, validationErrorsFrom(error))
      const again = await openLink(request, request.body)
      return send(request, reply.code(422), again, { errors, comment: readText(values, 'comment') })
    }
  })

  /** @throws Problem 404 if the token is invalid, or the account or the issue no longer exists */
  async function openLink(_request: FastifyRequest, input: unknown): Promise<OpenedLink> {
    const values = toFormValues(input)
    const token = readText(values, 'token')
    const subject = readClosingToken(await findUnsubscribeKey(db), token)
    const closing = subject && (await findAskedClosing(db, subject))
    if (!subject || !closing) throw problems.notFound('this_address')
    const email = closing.user_id === null ? closing.caller_email : null
    const isClaimed = email !== null && (await listClaims(db, email)).length > 0
    return { token, subject, closing, isClaimed, is_fixed: readText(values, 'fixed') !== 'no' }
  }

  /**
   * The link has come to the address of a caller, so it may make an account, as the link of a draft does.
   * @throws Problem 422 if an account has entered the address without confirming it, and its password is missing or wrong
   */
  async function toUser(request: FastifyRequest, reply: FastifyReply, { subject, closing }: OpenedLink) {
    if ('user_id' in subject) return subject
    const { caller_email, locale, user_id: known } = closing
    if (known !== null) return { ...subject, user_id: known }
    const [email, texts] = [caller_email ?? '', mailPageTexts(request, locale)]
    const { verified, isRefused } = await checkClaim(reply, db, { email, values: toFormValues(request.body) })
    if (isRefused) throw problems.invalid({ password: text('adder_password_wrong') })
    const user_id = await findOrCreateMailedAccount(db, email, { name: texts('errors.resident'), locale }, verified)
    return { ...subject, user_id }
  }

  function send(request: FastifyRequest, reply: FastifyReply, opened: OpenedLink, state: Omit<PageState, 'isAnswerable'>) {
    const { closing } = opened
    const texts = mailPageTexts(request, closing.locale)
    const form = { ...state, isAnswerable: isAnswerable(closing, clock()) }
    const page = narrowPage({
      ...pageTitles(texts, 'closingPage.title', 'closingPage.title'),
      body: html`<p><a href="${links.to(`/issues/${closing.issue_id}`)}">${closing.summary} (#${closing.issue_id})</a></p>
      ${state.result ? thanks(opened, state.result, texts, links) : answerForm(opened, form, texts, links)}`,
    })
    return sendPrivatePage(request, reply, urls, page)
  }
}

interface PageState {
  readonly isAnswerable: boolean
  readonly result?: ClosingAnswerResult
  readonly errors?: FieldErrors
  readonly comment?: string
}

function thanks({ is_fixed }: OpenedLink, { opened_issue_id, isHeld }: ClosingAnswerResult, texts: Texts, { to }: Links): SafeHtml {
  if (is_fixed || opened_issue_id === null) return html`<p class="done" role="status">${texts('closingPage.thanks')}</p>`
  const link = html`<a href="${to(`/issues/${opened_issue_id}`)}">${texts('closingPage.see', { number: `#${opened_issue_id}` })}</a>`
  return html`<p class="done" role="status">${texts(isHeld ? 'closingPage.held' : 'closingPage.opened')} ${isHeld ? '' : link}</p>`
}

/** One page shows the chosen answer as a form with one button, and a link to the other one. */
function answerForm({ token, closing, isClaimed, is_fixed }: OpenedLink, state: PageState, texts: Texts, { to }: Links): SafeHtml {
  if (!state.isAnswerable) {
    const key = closing.is_current ? 'closingPage.tooLate' : 'closingPage.openAgain'
    return html`<p class="note">${texts(key)} <a href="${to('/report')}">${texts('closingPage.report')}</a></p>`
  }
  const other = html`<p><a href="${to('/closings', { token, fixed: is_fixed ? 'no' : 'yes' })}">${texts(is_fixed ? 'closingPage.notFixed' : 'closingPage.fixed')}</a></p>`
  const form = createForm(texts.language, { values: { comment: state.comment }, errors: state.errors ?? {} })
  const hint = texts('closingPage.commentHint', { name: closing.user_name ?? texts('errors.resident') })
  const field = form.textarea('comment', texts('closingPage.comment'), { hint, required: true })
  return html`${form.errorSummary()}
    <form method="post" action="${to('/closings')}">
      ${hiddenField('token', token)}${hiddenField('fixed', is_fixed ? 'yes' : 'no')}
      ${is_fixed ? '' : field}
      ${isClaimed ? claimQuestion(texts, state.errors) : ''}
      ${closing.user_id === null ? html`<p class="quiet">${texts('closingPage.callerHint')}</p>` : ''}
      <p><button>${texts(is_fixed ? 'closingPage.fixed' : closing.status === 'Archived' ? 'closingPage.reportAgain' : 'closingPage.open')}</button></p>
    </form>
    ${other}`
}
