import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'

import { findOrCreateMailedAccount } from '../../accounts/mailed-account.ts'
import { problems } from '../../errors/problems.ts'
import { type FieldErrors, hiddenField } from '../../html/fields.ts'
import { createForm, normalizeLineEndings, readText, toFormValues, translateErrors, validationErrorsFrom } from '../../html/form.ts'
import { createLinks, type Links } from '../../html/links.ts'
import { type HtmlPage, narrowPage, sendPrivatePage, preventUrlLeaks, pageTitles } from '../../html/page.ts'
import { html, type SafeHtml } from '../../html/template.ts'
import type { Texts } from '../../locales/texts.ts'
import { type ClosingCaller, type ClosingSubject, readClosingToken, findUnsubscribeKey } from '../../mail/unsubscribe-token.ts'
import { answerClosing, type ClosingAnswerResult, isAnswerable } from '../../reporting/closing-answers/answer-closing.ts'
import { type AskedClosing, findAskedClosing } from '../../reporting/closing-answers/queries.ts'
import type { Services } from '../../services.ts'
import { mailPageTexts } from './mail-page-texts.ts'

interface OpenedLink {
  readonly token: string
  readonly subject: ClosingSubject | ClosingCaller
  readonly closing: AskedClosing
  readonly is_fixed: boolean
}

/** The pages behind the two links of the mail that asks whether an issue is fixed. GET changes nothing, because virus scanners open every link. */
export const closingAnswerPages: FastifyPluginAsyncTypebox<Services> = async (app, services) => {
  const { db, urls, clock } = services
  app.addHook('onSend', preventUrlLeaks)
  app.addHook('onSend', async (_request, reply) => void reply.header('x-robots-tag', 'noindex'))

  app.get('/closings', async (request, reply) => send(request, reply, await openLink(request, request.query), {}))

  app.post('/closings', { config: { hasMailToken: true } }, async (request, reply) => {
    const opened = await openLink(request, request.body)
    const values = normalizeLineEndings(request.body)
    try {
      const { subject, is_fixed } = opened
      const answer = { is_fixed, comment: values['comment'], requestId: request.id }
      const result = await answerClosing(services, { ...answer, subject: await toUser(request, subject, opened.closing) })
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
    return { token, subject, closing, is_fixed: readText(values, 'fixed') !== 'no' }
  }

  /** The link has come to the address of a caller, so it may make an account, as the link of a draft does. */
  async function toUser(request: FastifyRequest, subject: OpenedLink['subject'], { caller_email, locale }: AskedClosing) {
    if ('user_id' in subject) return subject
    const account = { name: mailPageTexts(request, locale)('errors.resident'), locale }
    const user_id = await findOrCreateMailedAccount(db, caller_email ?? '', account)
    return { user_id, status_change_id: subject.status_change_id }
  }

  function send(request: FastifyRequest, reply: FastifyReply, opened: OpenedLink, state: Omit<PageState, 'isAnswerable'>) {
    const texts = mailPageTexts(request, opened.closing.locale)
    const page = closingPage(opened, { ...state, isAnswerable: isAnswerable(opened.closing, clock()) }, texts, createLinks(urls))
    return sendPrivatePage(request, reply, urls, page)
  }
}

interface PageState {
  readonly isAnswerable: boolean
  readonly result?: ClosingAnswerResult
  readonly errors?: FieldErrors
  readonly comment?: string
}

function closingPage(opened: OpenedLink, state: PageState, texts: Texts, links: Links): HtmlPage {
  const { issue_id, summary } = opened.closing
  return narrowPage({
    ...pageTitles(texts, 'closingPage.title', 'closingPage.title'),
    body: html`<p><a href="${links.to(`/issues/${issue_id}`)}">${summary} (#${issue_id})</a></p>
      ${state.result ? thanks(opened, state.result, texts, links) : answerForm(opened, state, texts, links)}`,
  })
}

function thanks({ is_fixed }: OpenedLink, { opened_issue_id, isHeld }: ClosingAnswerResult, texts: Texts, { to }: Links): SafeHtml {
  if (is_fixed || opened_issue_id === null) return html`<p class="done" role="status">${texts('closingPage.thanks')}</p>`
  const link = html`<a href="${to(`/issues/${opened_issue_id}`)}">${texts('closingPage.see', { number: `#${opened_issue_id}` })}</a>`
  return html`<p class="done" role="status">${texts(isHeld ? 'closingPage.held' : 'closingPage.opened')} ${isHeld ? '' : link}</p>`
}

/** One page shows the chosen answer as a form with one button, and a link to the other one. */
function answerForm({ token, closing, is_fixed }: OpenedLink, state: PageState, texts: Texts, { to }: Links): SafeHtml {
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
      ${closing.user_id === null ? html`<p class="quiet">${texts('closingPage.callerHint')}</p>` : ''}
      <p><button>${texts(is_fixed ? 'closingPage.fixed' : closing.status === 'Archived' ? 'closingPage.reportAgain' : 'closingPage.open')}</button></p>
    </form>
    ${other}`
}
