import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import Type from 'typebox'

import { text, inLanguage, type Language, textsIn } from '../../locales/texts.ts'
import { findOrCreateMailedAccount } from '../../accounts/mailed-account.ts'
import { hiddenField } from '../../html/fields.ts'
import { readText, toFormValues, validationErrorsFrom } from '../../html/form-input.ts'
import { createLinks, type Links } from '../../html/links.ts'
import { type HtmlPage, sendPrivatePage } from '../../html/page.ts'
import { seeOther } from '../../html/redirects.ts'
import { html, type SafeHtml } from '../../html/template.ts'
import { preventUrlLeaksExceptOrigin } from '../../html/token-page.ts'
import { pageLanguage } from '../../http/errors/text-language.ts'
import { releaseIdempotencyKey } from '../../http/idempotency/idempotency.ts'
import { storedResult } from '../../http/idempotency/idempotent.ts'
import { hashToken, newSecret } from '../../http/identity/credentials.ts'
import { preferredLocale } from '../../http/request/locale.ts'
import { findIssue } from '../../issues/queries.ts'
import { draftPictureUrl } from '../../mail/draft-picture-url.ts'
import { findUnsubscribeKey } from '../../mail/unsubscribe-token.ts'
import { type Draft, findDraft } from '../../reporting/drafts/draft-queries.ts'
import type { ReportResult } from '../../reporting/report-issue.ts'
import type { Services } from '../../services.ts'
import { DRAFT_PATH, draftReader, forgetDraft, rememberDraft } from './drafts/draft-cookie.ts'
import { endedLinkPage } from './drafts/draft-mail-form.ts'
import { draftSummary } from './draft-summary.ts'
import { findReportedType } from './find-reported-type.ts'
import { publishDraft } from './publish-draft.ts'
import { readProgress } from './report-input.ts'

const OPEN_PATH = `${DRAFT_PATH}/open`
const PUBLISH_PATH = `${OPEN_PATH}/publish`
const DONE_PATH = `${DRAFT_PATH}/published`
const ID_MAX = 2_147_483_647

const donePath = ({ id }: ReportResult) => `${DONE_PATH}?issue=${id}`

type MailedDraft = Draft & { readonly mailedTo: string }

/**
 * The pages behind the link of a mail to a draft. GET changes nothing, neither here nor in the browser: scanners of mails open links, and a link of another
 * site must not replace the draft of a visitor. One button publishes the draft as a report of the address, which the link proves; no session begins.
 */
export const openDraftPages: FastifyPluginAsyncTypebox<Services> = async (app, services) => {
  const { db, urls, clock } = services
  const links = createLinks(urls)
  app.addHook('onSend', preventUrlLeaksExceptOrigin)

  app.get(OPEN_PATH, async (request, reply) => {
    const token = readText(toFormValues(request.query), 'token')
    const draft = await findMailed(request, token)
    return draft ? sendOpen(request, reply, { draft, token }) : sendEnded(request, reply)
  })

  /** The token of the link becomes the secret of the browser, which then changes the draft. */
  app.post(OPEN_PATH, async (request, reply) => {
    const token = readText(toFormValues(request.body), 'token')
    if (!(await findMailed(request, token))) return sendEnded(request, reply)
    rememberDraft(reply, urls, token)
    return seeOther(reply, urls, DRAFT_PATH)
  })

  app.post(PUBLISH_PATH, async (request, reply) => {
    const values = toFormValues(request.body)
    const [token, version] = [readText(values, 'token'), readText(values, 'version')]
    const stored = storedResult<ReportResult>(request)
    if (stored) return seeOther(reply, urls, donePath(stored))
    const draft = await findMailed(request, token)
    if (!draft) return sendEnded(request, reply)
    const sendAgain = async (status: number, notice: 'openDraft.changed' | 'draft.errors') => {
      await releaseIdempotencyKey(request, db)
      return sendOpen(request, reply.code(status), { draft, token, notice })
    }
    // Another browser may have changed the draft since its reader looked at it.
    if (version !== versionOf(draft)) return sendAgain(409, 'openDraft.changed')
    const locale = preferredLocale(request) ?? 'en'
    const account = { name: inLanguage(text('resident'), pageLanguage(request)), locale }
    const id = await findOrCreateMailedAccount(db, draft.mailedTo, account)
    try {
      const result = await publishDraft(request, services, draft, { id })
      if (token === '') forgetDraft(reply, urls)
      return seeOther(reply, urls, donePath(result))
    } catch (error) {
      validationErrorsFrom(error)
      return sendAgain(422, 'draft.errors')
    }
  })

  /** Everyone may open it: it shows whether an issue is public. */
  const options = { schema: { querystring: Type.Object({ issue: Type.Integer({ minimum: 1, maximum: ID_MAX }) }) } } as const
  app.get(DONE_PATH, options, async (request, reply) => {
    const { issue: id } = request.query
    const isPublic = (await findIssue({ query: db.read }, id, null)) !== undefined
    return sendPrivatePage(request, reply, urls, donePage({ id, isPublic }, links, pageLanguage(request)))
  })

  /** Without a token it is the draft of the browser, which may have been opened by a link before. */
  async function findMailed(request: FastifyRequest, token: string): Promise<MailedDraft | undefined> {
    const secretHash = token === '' ? draftReader(request, urls).secretHash : hashToken(token)
    const draft = await findDraft(db, { secretHash, userId: undefined }, clock())
    return draft && draft.mailedTo !== null ? { ...draft, mailedTo: draft.mailedTo } : undefined
  }

  const sendEnded = (request: FastifyRequest, reply: FastifyReply) =>
    sendPrivatePage(request, reply.code(422), urls, endedLinkPage(links, pageLanguage(request)))

  async function sendOpen(request: FastifyRequest, reply: FastifyReply, { draft, token, notice }: OpenDraft) {
    const language = pageLanguage(request)
    const progress = readProgress(draft.formValues)
    const type = await findReportedType({ query: db.read }, progress, language)
    const key = await findUnsubscribeKey(db)
    const pictureUrl = (number: number) => draftPictureUrl(urls, key, draft.id, number)
    const summary = draftSummary({ draft, progress, type, language, pictureUrl }, links)
    return sendPrivatePage(request, reply, urls, openDraftPage({ draft, token, notice, summary, language }, links))
  }
}

/** A text that differs for each content of a draft. */
const versionOf = ({ formValues, images }: Draft): string => hashToken(JSON.stringify([formValues, images.map(({ id }) => id)]))

interface OpenDraft {
  readonly draft: MailedDraft
  readonly token: string
  readonly notice?: 'openDraft.changed' | 'draft.errors' | undefined
}

/** @param token the token of the link; '' for a draft that the browser has opened */
export const publishMailedForm = (
  { draft, token, language }: { readonly draft: Draft; readonly token: string; readonly language: Language },
  { to }: Pick<Links, 'to'>,
): SafeHtml => html`<form method="post" action="${to(PUBLISH_PATH)}">
        ${hiddenField('token', token)}${hiddenField('version', versionOf(draft))}${hiddenField('form_key', newSecret())}
        <p><button>${textsIn(language)('draft.publish')}</button></p>
      </form>`

function openDraftPage(
  { draft, token, notice, summary, language }: OpenDraft & { readonly summary: SafeHtml; readonly language: Language },
  { to }: Links,
): HtmlPage {
  const texts = textsIn(language)
  return {
    title: texts('openDraft.title'),
    description: texts('openDraft.description'),
    language,
    body: html`<div class="narrow">
      <h1>${texts('openDraft.title')}</h1>
      ${notice ? html`<p class="error-summary" role="alert">${texts(notice)}</p>` : ''}
      <p>${texts('openDraft.hint')}</p>
      ${summary}
      ${publishMailedForm({ draft, token, language }, { to })}
      <form method="post" action="${to(OPEN_PATH)}">
        ${hiddenField('token', token)}
        <p><button class="second">${texts('openDraft.open')}</button></p>
        <p class="quiet">${texts('openDraft.replaces')}</p>
      </form>
      <p class="quiet">${texts('openDraft.notYours')}</p>
    </div>`,
  }
}

function donePage(
  { id, isPublic }: { readonly id: number; readonly isPublic: boolean },
  { to }: Links,
  language: Language,
): HtmlPage {
  const texts = textsIn(language)
  const issueLink = html`<p><a class="button primary" href="${to(`/issues/${id}`)}">${texts('openDraft.seeReport', { id })}</a></p>`
  return {
    title: texts('openDraft.doneTitle'),
    description: texts('openDraft.description'),
    language,
    body: html`<div class="narrow">
      <h1>${texts('openDraft.doneTitle')}</h1>
      <p class="done" role="status">${isPublic ? texts('draftNotice.published') : texts('draftNotice.pendingReview')}</p>
      ${isPublic ? issueLink : ''}
      <p>${texts('openDraft.news')}</p>
      <section aria-labelledby="password">
        <h2 id="password">${texts('openDraft.passwordTitle')}</h2>
        <p>${texts('openDraft.passwordHint')}</p>
        <p class="buttons"><a class="button" href="${to('/password/forgot')}">${texts('openDraft.choosePassword')}</a>
          <a class="button" href="${to('/login', { return_to: '/account/reports' })}">${texts('openDraft.logIn')}</a></p>
      </section>
    </div>`,
  }
}
