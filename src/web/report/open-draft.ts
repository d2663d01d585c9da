import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import Type from 'typebox'

import { text, inLanguage, type Language, textsIn } from '../../locales/texts.ts'
import { findOrCreateMailedAccount } from '../../accounts/mailed-account.ts'
import { LinkToken } from '../../accounts/emails/schema.ts'
import { setFirstPassword } from '../../accounts/passwords/queries.ts'
import { StrongPassword } from '../../accounts/passwords/schema.ts'
import { Problem } from '../../errors/problems.ts'
import { hiddenField } from '../../html/fields.ts'
import { formErrors, readText, toFormValues, translateErrors, validationErrorsFrom } from '../../html/form-input.ts'
import { createLinks, type Links } from '../../html/links.ts'
import { type HtmlPage, sendPrivatePage } from '../../html/page.ts'
import { seeOther } from '../../html/redirects.ts'
import { richText } from '../../html/rich-text.ts'
import { html, type SafeHtml } from '../../html/template.ts'
import { preventUrlLeaksExceptOrigin } from '../../html/token-page.ts'
import { ipAddressKey } from '../../http/auth/login.ts'
import { pageLanguage } from '../../http/errors/text-language.ts'
import { releaseIdempotencyKey } from '../../http/idempotency/idempotency.ts'
import { storedResult } from '../../http/idempotency/idempotent.ts'
import { hashToken, newSecret } from '../../http/identity/credentials.ts'
import { preferredLocale } from '../../http/request/locale.ts'
import { idMax } from '../../http/schema/fields.ts'
import { findIssue } from '../../issues/queries.ts'
import { type DraftPicture, draftPictureUrl } from '../../mail/draft-picture-url.ts'
import { findUnsubscribeKey } from '../../mail/unsubscribe-token.ts'
import {
  type Draft,
  findDraft,
  findPublishedIssue,
  keepPublishedLink,
  type PublishedIssue,
} from '../../reporting/drafts/draft-queries.ts'
import type { ReportResult } from '../../reporting/report-issue.ts'
import type { Services } from '../../services.ts'
import { DRAFT_PATH, draftReader, forgetDraft, rememberDraft } from './drafts/draft-cookie.ts'
import { endedLinkPage } from './drafts/draft-mail-form.ts'
import { type DonePage, donePage } from './done-page.ts'
import { draftSummary } from './draft-summary.ts'
import { findReportedType } from './find-reported-type.ts'
import { publishDraft } from './publish-draft.ts'
import { readProgress } from './report-input.ts'

const OPEN_PATH = `${DRAFT_PATH}/open`
const PUBLISH_PATH = `${OPEN_PATH}/publish`
const PASSWORD_PATH = `${OPEN_PATH}/password`
/** A draft that the browser has opened before has no token in its form, and none in the URL of the next page. */
const DONE_PATH = `${DRAFT_PATH}/published`
const PasswordForm = Type.Object({ token: LinkToken, password: StrongPassword })

const openPath = (token: string) => `${OPEN_PATH}?token=${token}`
const donePath = (token: string, { id }: ReportResult) => (token === '' ? `${DONE_PATH}?issue=${id}` : openPath(token))

type MailedDraft = Draft & { readonly mailedTo: string }

/**
 * The pages behind the link of a mail to a draft. GET changes nothing, neither here nor in the browser: scanners of mails open links, and a link of another
 * site must not replace the draft of a visitor. One button publishes the draft as a report of the address, which the link proves; no session begins.
 */
export const openDraftPages: FastifyPluginAsyncTypebox<Services> = async (app, services) => {
  const { db, urls, clock, trustedDevices } = services
  const links = createLinks(urls)
  app.addHook('onSend', preventUrlLeaksExceptOrigin)

  app.get(OPEN_PATH, async (request, reply) => {
    const token = readText(toFormValues(request.query), 'token')
    const draft = await findMailed(request, token)
    if (draft) return sendOpen(request, reply, { draft, token })
    const issue = await findPublished(token)
    return issue ? sendDone(request, reply, { issue, token }) : sendEnded(request, reply)
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
    if (stored) return seeOther(reply, urls, donePath(token, stored))
    const draft = await findMailed(request, token)
    if (!draft) return sendPublished(request, reply, token)
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
      const result = await publishDraft(request, services, draft, { id }, async (tx, issue) => {
        if (token !== '') await keepPublishedLink(tx, hashToken(token), { issue_id: issue.id, now: clock() })
      })
      if (token === '') forgetDraft(reply, urls)
      return seeOther(reply, urls, donePath(token, result))
    } catch (error) {
      // Another click has published it.
      if (error instanceof Problem && error.status === 404) return sendPublished(request, reply, token)
      validationErrorsFrom(error)
      return sendAgain(422, 'draft.errors')
    }
  })

  /** Everyone may open it: it shows whether an issue is public. */
  const options = { schema: { querystring: Type.Object({ issue: Type.Integer({ minimum: 1, maximum: idMax }) }) } } as const
  app.get(DONE_PATH, options, async (request, reply) => {
    const { issue: id } = request.query
    const isPublic = (await findIssue({ query: db.read }, id, null)) !== undefined
    return sendDone(request, reply, { issue: { id, isPublic, withoutPassword: undefined }, token: '' })
  })

  /** Without a login: the caller has just shown to read the mail of the account. */
  app.post(PASSWORD_PATH, { attachValidation: true, schema: { body: PasswordForm } }, async (request, reply) => {
    const values = toFormValues(request.body)
    const token = readText(values, 'token')
    const issue = await findPublished(token)
    if (issue?.withoutPassword === undefined) return issue ? sendDone(request, reply, { issue, token }) : sendEnded(request, reply)
    const errors = formErrors(request)
    if (Object.keys(errors).length > 0)
      return sendDone(request, reply.code(422), { issue, token, errors: translateErrors(request, errors) })
    const hasNewPassword = await setFirstPassword(db, issue.withoutPassword, readText(values, 'password'))
    if (hasNewPassword) await trustedDevices.trust(issue.withoutPassword, ipAddressKey(request))
    return sendDone(request, reply, { issue: { ...issue, withoutPassword: undefined }, token, hasNewPassword })
  })

  const findPublished = async (token: string): Promise<PublishedIssue | undefined> =>
    token === '' ? undefined : findPublishedIssue(db, hashToken(token), clock())

  async function sendPublished(request: FastifyRequest, reply: FastifyReply, token: string) {
    return (await findPublished(token)) ? seeOther(reply, urls, openPath(token)) : sendEnded(request, reply)
  }

  const sendDone = (request: FastifyRequest, reply: FastifyReply, done: DonePage) =>
    sendPrivatePage(request, reply, urls, donePage(done, links, pageLanguage(request)))

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
    const pictureUrl = (picture: DraftPicture) => draftPictureUrl(urls, key, draft.id, picture)
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

/**
 * A link publishes once by itself. An idempotency key would store its token with the response.
 * @param token the token of the link; '' for a draft that the browser has opened
 */
export const publishMailedForm = (
  { draft, token, language }: { readonly draft: Draft; readonly token: string; readonly language: Language },
  { to }: Pick<Links, 'to'>,
): SafeHtml => html`<form method="post" action="${to(PUBLISH_PATH)}">
        ${hiddenField('token', token)}${hiddenField('version', versionOf(draft))}${token === '' ? hiddenField('form_key', newSecret()) : ''}
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
      <p>${richText(texts, 'openDraft.hint', { email: html`<b>${draft.mailedTo}</b>` })}</p>
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
