import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import Type from 'typebox'

import { inLanguage, text, type Texts } from '../../locales/texts.ts'
import { findOrCreateMailedAccount } from '../../accounts/mailed-account.ts'
import { LinkToken } from '../../accounts/emails/schema.ts'
import { setFirstPassword } from '../../accounts/passwords/queries.ts'
import { StrongPassword } from '../../accounts/passwords/schema.ts'
import { Problem } from '../../errors/problems.ts'
import { hiddenField, PASSWORD_SCRIPT } from '../../html/fields.ts'
import { formErrors, readText, toFormValues, translateErrors, validationErrorsFrom } from '../../html/form.ts'
import { type Links, seeOther } from '../../html/links.ts'
import { narrowPage, sendPrivatePage, preventUrlLeaksExceptOrigin, pageTitles } from '../../html/page.ts'
import { richText } from '../../html/rich-text.ts'
import { html, type SafeHtml } from '../../html/template.ts'
import { ipAddressKey } from '../../http/auth/login.ts'
import { pageLanguage, pageTexts, preferredLocale } from '../../http/errors/text-language.ts'
import { hashToken, newSecret } from '../../http/identity/credentials.ts'
import { type DraftPicture, draftPictureUrl } from '../../mail/draft-picture-url.ts'
import { findUnsubscribeKey } from '../../mail/unsubscribe-token.ts'
import {
  addBrowserSecret,
  type Draft,
  findDraft,
  findPublishedIssue,
  type PublishedIssue,
} from '../../reporting/drafts/draft-queries.ts'
import type { Services } from '../../services.ts'
import { findNameOfAddress } from '../../users/queries.ts'
import { DRAFT_PATH, draftReader, hasAddress, rememberDraft } from './drafts/draft-cookie.ts'
import { endedLinkPage } from './drafts/draft-notice.ts'
import { checkClaim, findClaimQuestion } from './claim-question.ts'
import { type DonePage, donePage, draftSummary } from './draft-summary.ts'
import { findReportedType } from './find-reported-type.ts'
import { publishDraft } from './keep-draft.ts'
import { readProgress } from './report-input.ts'

const OPEN_PATH = `${DRAFT_PATH}/open`
const PUBLISH_PATH = `${OPEN_PATH}/publish`
const PASSWORD_PATH = `${OPEN_PATH}/password`
const PasswordForm = Type.Object({ token: LinkToken, password: StrongPassword })

/** A draft that the browser has opened before has no token in its form, and none in the URL of the next page. */
const donePath = (token: string) => (token === '' ? DRAFT_PATH : `${OPEN_PATH}?token=${token}`)
/** The routes take tokens, which must not be stored with a response. A draft is published once without a key, too. */
const config = { idempotency: false } as const

type MailedDraft = Draft & { readonly mailedTo: string }

/**
 * The pages behind the link of a mail to a draft. GET changes nothing, neither here nor in the browser: scanners of mails open links, and a link of another
 * site must not replace the draft of a visitor. One button publishes the draft as a report of the address, which the link proves; no session begins.
 */
export const openDraftPages: FastifyPluginAsyncTypebox<Services> = async (app, services) => {
  const { db, links, urls, clock, trustedDevices } = services
  app.addHook('onSend', preventUrlLeaksExceptOrigin)

  app.get(OPEN_PATH, async (request, reply) => {
    const token = readText(toFormValues(request.query), 'token')
    const draft = await findMailed(request, token)
    if (draft) return sendOpen(request, reply, { draft, token })
    const issue = await findPublished(request, token)
    return issue ? sendDone(request, reply, { issue, token }) : sendEnded(request, reply)
  })

  /** The browser gets a secret of its own, with which it changes and publishes the draft. */
  app.post(OPEN_PATH, { config }, async (request, reply) => {
    const token = readText(toFormValues(request.body), 'token')
    const draft = await findMailed(request, token)
    if (!draft) return sendPublished(request, reply, token)
    const secret = newSecret()
    await addBrowserSecret(db, draft, hashToken(secret))
    rememberDraft(reply, urls, secret)
    return seeOther(reply, urls, DRAFT_PATH)
  })

  app.post(PUBLISH_PATH, { config }, async (request, reply) => {
    const values = toFormValues(request.body)
    const [token, version] = [readText(values, 'token'), readText(values, 'version')]
    const draft = await findMailed(request, token)
    if (!draft) return sendPublished(request, reply, token)
    // Another browser may have changed the draft since its reader looked at it.
    if (version !== versionOf(draft)) return sendOpen(request, reply.code(409), { draft, token, notice: 'openDraft.changed' })
    const { verified, isRefused } = await checkClaim(reply, db, { email: draft.mailedTo, values })
    if (isRefused)
      return sendOpen(request, reply.code(422), {
        draft,
        token,
        notice: readText(values, 'password') === '' ? 'openDraft.answerFirst' : 'openDraft.wrongPassword',
      })
    const locale = preferredLocale(request) ?? 'en'
    const account = { name: inLanguage(text('resident'), pageLanguage(request)), locale }
    const id = await findOrCreateMailedAccount(db, draft.mailedTo, account, verified)
    try {
      await publishDraft(request, services, draft, { id })
      return seeOther(reply, urls, donePath(token))
    } catch (error) {
      // Another click has published it.
      if (error instanceof Problem && error.status === 404) return sendPublished(request, reply, token)
      validationErrorsFrom(error)
      return sendOpen(request, reply.code(422), { draft, token, notice: 'draft.errors' })
    }
  })

  /** Without a login: the caller has just shown to read the mail of the account. */
  app.post(PASSWORD_PATH, { attachValidation: true, config, schema: { body: PasswordForm } }, async (request, reply) => {
    const values = toFormValues(request.body)
    const token = readText(values, 'token')
    const issue = await findPublished(request, token)
    if (issue?.withoutPassword === undefined) return issue ? sendDone(request, reply, { issue, token }) : sendEnded(request, reply)
    const errors = formErrors(request)
    if (Object.keys(errors).length > 0)
      return sendDone(request, reply.code(422), { issue, token, errors: translateErrors(request, errors) })
    const hasNewPassword = await setFirstPassword(db, issue.withoutPassword, readText(values, 'password'))
    if (hasNewPassword) await trustedDevices.trust(issue.withoutPassword, ipAddressKey(request))
    return sendDone(request, reply, { issue: { ...issue, withoutPassword: undefined }, token, hasNewPassword })
  })

  async function findPublished(request: FastifyRequest, token: string): Promise<PublishedIssue | undefined> {
    const secretHash = toSecretHash(request, token)
    return secretHash === undefined ? undefined : findPublishedIssue(db, secretHash, clock())
  }

  async function sendPublished(request: FastifyRequest, reply: FastifyReply, token: string) {
    return (await findPublished(request, token)) ? seeOther(reply, urls, donePath(token)) : sendEnded(request, reply)
  }

  /** Without a token it is the secret of the browser. */
  const toSecretHash = (request: FastifyRequest, token: string) =>
    token === '' ? draftReader(request, urls).secretHash : hashToken(token)

  const sendDone = (request: FastifyRequest, reply: FastifyReply, done: DonePage) =>
    sendPrivatePage(request, reply, urls, donePage(done, links, pageTexts(request)))

  /** Without a token it is the draft of the browser, which may have been opened by a link before. */
  async function findMailed(request: FastifyRequest, token: string): Promise<MailedDraft | undefined> {
    const draft = await findDraft(db, { secretHash: toSecretHash(request, token), userId: undefined }, clock())
    return draft && draft.mailedTo !== null ? { ...draft, mailedTo: draft.mailedTo } : undefined
  }

  /** Returns true if the caller is logged in to an account without the address of the mail. */
  const isOtherAccount = async ({ viewer }: FastifyRequest, { mailedTo }: MailedDraft): Promise<boolean> =>
    viewer !== null && !(await hasAddress(db, viewer.id, mailedTo))

  const sendEnded = (request: FastifyRequest, reply: FastifyReply) =>
    sendPrivatePage(request, reply.code(422), urls, endedLinkPage(links, pageTexts(request)))

  async function sendOpen(request: FastifyRequest, reply: FastifyReply, { draft, token, notice }: OpenDraft) {
    const texts = pageTexts(request)
    const progress = readProgress(draft.formValues)
    const type = await findReportedType(db.reader, progress, texts.language)
    const key = await findUnsubscribeKey(db)
    const pictureUrl = (picture: DraftPicture) => draftPictureUrl(urls, key, { id: draft.id, email: draft.mailedTo }, picture)
    const loggedInAs = (await isOtherAccount(request, draft)) ? request.viewer?.name : undefined
    const question = await findClaimQuestion(db, draft.mailedTo, texts)
    const author =
      (await findNameOfAddress(db, draft.mailedTo, texts.language)) ??
      (question ? texts('draft.nameOfAddress') : inLanguage(text('resident'), texts.language))
    const page = narrowPage({
      ...pageTitles(texts, 'openDraft.title', 'openDraft.description'),
      ...(question ? { script: PASSWORD_SCRIPT } : {}),
      body: html`${notice ? html`<p class="error-summary" role="alert">${texts(notice)}</p>` : ''}
      <p>${richText(texts, 'openDraft.hint', { email: html`<b>${draft.mailedTo}</b>` })}</p>
      ${loggedInAs === undefined ? '' : html`<p class="note">${richText(texts, 'openDraft.otherAccount', { name: loggedInAs, email: draft.mailedTo })}</p>`}
      ${publishMailedForm({ draft, token, question, texts }, links)}
      ${draftSummary({ draft, progress, type, author, texts, pictureUrl }, links)}
      <form method="post" action="${links.to(OPEN_PATH)}">
        ${hiddenField('token', token)}
        <p><button class="second">${texts('openDraft.open')}</button></p>
        <p class="quiet">${texts('openDraft.replaces')}</p>
      </form>
      <p class="quiet">${texts('openDraft.notYours')}</p>`,
    })
    return sendPrivatePage(request, reply, urls, page)
  }
}

/** A text that differs for each content of a draft. */
const versionOf = ({ formValues, images }: Draft): string => hashToken(JSON.stringify([formValues, images.map(({ id }) => id)]))

interface OpenDraft {
  readonly draft: MailedDraft
  readonly token: string
  readonly notice?: 'openDraft.changed' | 'openDraft.answerFirst' | 'openDraft.wrongPassword' | 'draft.errors' | undefined
}

export interface PublishForm {
  readonly draft: Draft
  /** The token of the link; '' for a draft that the browser has opened. */
  readonly token: string
  readonly question: SafeHtml | ''
  readonly texts: Texts
}

export const publishMailedForm = (
  { draft, token, question, texts }: PublishForm,
  { to }: Pick<Links, 'to'>,
): SafeHtml => html`<form method="post" action="${to(PUBLISH_PATH)}">
        ${hiddenField('token', token)}${hiddenField('version', versionOf(draft))}
        ${question}
        <p><button>${texts('draft.publish')}</button></p>
      </form>`
