import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { problems, type ValidationErrors } from '../../errors/problems.ts'
import { formIdempotencyKey } from '../../html/form-key.ts'
import { formErrors, readText, toFormValues, translateErrors, validationErrorsFrom } from '../../html/form-input.ts'
import { createLinks } from '../../html/links.ts'
import { sendPrivatePage } from '../../html/page.ts'
import { redirectToLogin, seeOther } from '../../html/redirects.ts'
import { countCaller } from '../../http/auth/login.ts'
import { pageLanguage } from '../../http/errors/text-language.ts'
import { newSecret } from '../../http/identity/credentials.ts'
import { addIdempotency, releaseIdempotencyKey } from '../../http/idempotency/idempotency.ts'
import { idempotent, storedResult } from '../../http/idempotency/idempotent.ts'
import { type Draft, expiryAfter, findDraft, findPublishedIssue, removeDraft } from '../../reporting/drafts/draft-queries.ts'
import type { ReportResult } from '../../reporting/report-issue.ts'
import type { Services } from '../../services.ts'
import { DRAFT_PATH, draftReader, forgetDraft } from './drafts/draft-cookie.ts'
import { type DraftMailForm, emptyMailForm } from './drafts/draft-mail-form.ts'
import { donePage } from './done-page.ts'
import { draftPage } from './draft-page.ts'
import { draftPictures } from './drafts/draft-picture.ts'
import { mailedDraftPictures } from './mailed-draft-pictures.ts'
import { openDraftPages } from './open-draft.ts'
import { findReportedType } from './find-reported-type.ts'
import { publishDraft, publishedPath } from './publish-draft.ts'
import { readProgress } from './report-input.ts'
import Type from 'typebox'
import { text } from '../../locales/texts.ts'
import { EmailAddress, toMailbox } from '../../http/schema/fields.ts'
import { requestDraftMail } from '../../reporting/report-mail-queries.ts'

/** A report that waits until its author has opened the link of a mail or logged in. */
export const draftPages: FastifyPluginAsyncTypebox<Services> = async (app, services) => {
  const { db, urls, clock } = services
  const reader = { query: db.read }
  const links = createLinks(urls)
  app.addHook('onRequest', async (request, reply) => {
    if (request.method === 'POST') await countCaller(reply)
  })
  addIdempotency(app, services, formIdempotencyKey)

  app.get(DRAFT_PATH, async (request, reply) => {
    const isRequested = toFormValues(request.query)['mail'] === 'requested'
    const reader = draftReader(request, urls)
    const draft = await findDraft(db, reader, clock())
    if (draft) return sendDraft(request, reply, draft, { mail: { ...emptyMailForm, isRequested } })
    const issue = reader.secretHash === undefined ? undefined : await findPublishedIssue(db, reader.secretHash, clock())
    if (!issue) throw problems.notFound('the_draft')
    return sendPrivatePage(request, reply, urls, donePage({ issue, token: '' }, links, pageLanguage(request)))
  })

  app.post(`${DRAFT_PATH}/publish`, async (request, reply) => {
    const { viewer } = request
    if (!viewer) return redirectToLogin(request, reply, urls, DRAFT_PATH)
    const stored = storedResult<ReportResult>(request)
    if (stored) return seeOther(reply, urls, publishedPath(stored))
    const draft = await requireDraft(request)
    try {
      const result = await publishDraft(request, services, draft, viewer)
      forgetDraft(reply, urls)
      return seeOther(reply, urls, publishedPath(result))
    } catch (error) {
      validationErrorsFrom(error)
      await releaseIdempotencyKey(request, db)
      return sendDraft(request, reply.code(422), draft, { hasErrors: true })
    }
  })

  app.post(`${DRAFT_PATH}/discard`, async (request, reply) => {
    const { id } = await requireDraft(request)
    await removeDraft(db, id)
    forgetDraft(reply, urls)
    return seeOther(reply, urls, '/')
  })

  async function requireDraft(request: FastifyRequest): Promise<Draft> {
    const draft = await findDraft(db, draftReader(request, urls), clock())
    if (!draft) throw problems.notFound('the_draft')
    return draft
  }

  await app.register(openDraftPages, services)
  await app.register(mailedDraftPictures, services)
  await app.register(draftPictures, { ...services, requireDraft })
  await app.register(draftMailPages, {
    ...services,
    requireDraft,
    sendDraft: (request, reply, draft, mail) => sendDraft(request, reply, draft, { mail }),
  })

  async function sendDraft(
    request: FastifyRequest,
    reply: FastifyReply,
    draft: Draft,
    { hasErrors = false, mail = emptyMailForm }: { readonly hasErrors?: boolean; readonly mail?: DraftMailForm },
  ) {
    const language = pageLanguage(request)
    const progress = readProgress(draft.formValues)
    const type = await findReportedType(reader, progress, language)
    const isLoggedIn = request.viewer !== null
    const page = { draft, progress, type, hasErrors, isLoggedIn, formKey: newSecret(), mail, language }
    return sendPrivatePage(request, reply, urls, draftPage(page, links))
  }
}

interface DraftMailOptions extends Services {
  readonly requireDraft: (request: FastifyRequest) => Promise<Draft>
  readonly sendDraft: (request: FastifyRequest, reply: FastifyReply, draft: Draft, mail: DraftMailForm) => unknown
}

const EMAIL_MAX = 500
const TOO_MANY = { email: text('draft_has_had_its_mails') }

/** A link by mail, with which a resident publishes a report without an account. */
const draftMailPages: FastifyPluginAsyncTypebox<DraftMailOptions> = async (app, options) => {
  const { db, urls, clock, draftMails, requireDraft, sendDraft } = options
  const schema = { body: Type.Object({ email: EmailAddress }) }

  app.post(`${DRAFT_PATH}/mail`, { attachValidation: true, schema }, async (request, reply) => {
    const draft = await requireDraft(request)
    if (storedResult(request)) return seeOther(reply, urls, `${DRAFT_PATH}?mail=requested`)
    const email = readText(toFormValues(request.body), 'email').trim()
    const sendErrors = async (errors: ValidationErrors) => {
      await releaseIdempotencyKey(request, db)
      const form = { ...emptyMailForm, email: email.slice(0, EMAIL_MAX), errors: translateErrors(request, errors) }
      return sendDraft(request, reply.code(422), draft, form)
    }
    const errors = formErrors(request)
    if (Object.keys(errors).length > 0) return sendErrors(errors)
    const { isLast } = await draftMails.count(request, () => requestMail(request, draft, toMailbox(email)))
    if (isLast) return sendErrors(TOO_MANY)
    return seeOther(reply, urls, `${DRAFT_PATH}?mail=requested`)
  })

  async function requestMail(request: FastifyRequest, draft: Draft, email: string) {
    const locale = pageLanguage(request)
    return idempotent(request, db, async (tx) => ({
      isLast: !(await requestDraftMail(tx, { draftId: draft.id, email, locale, expires_at: expiryAfter(clock()) })),
    }))
  }
}
