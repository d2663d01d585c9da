import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import Type from 'typebox'

import { text } from '../../locales/texts.ts'
import { EmailAddress } from '../../http/schema/fields.ts'
import type { ValidationErrors } from '../../errors/problems.ts'
import { formErrors, readText, toFormValues, translateErrors } from '../../html/form-input.ts'
import { seeOther } from '../../html/redirects.ts'
import { pageLanguage } from '../../http/errors/text-language.ts'
import { releaseIdempotencyKey } from '../../http/idempotency/idempotency.ts'
import { idempotent, storedResult } from '../../http/idempotency/idempotent.ts'
import { toMailbox } from '../../http/schema/fields.ts'
import { requestDraftMail } from '../../reporting/report-mail-queries.ts'
import { type Draft, expiryAfter } from '../../reporting/drafts/draft-queries.ts'
import type { Services } from '../../services.ts'
import { DRAFT_PATH } from './drafts/draft-cookie.ts'
import { type DraftMailForm, emptyMailForm } from './drafts/draft-mail-form.ts'

export interface DraftMailOptions extends Services {
  readonly requireDraft: (request: FastifyRequest) => Promise<Draft>
  readonly sendDraft: (request: FastifyRequest, reply: FastifyReply, draft: Draft, mail: DraftMailForm) => unknown
}

const EMAIL_MAX = 500
const TOO_MANY = { email: text('draft_has_had_its_mails') }

/** A link by mail, with which a resident publishes a report without an account. */
export const draftMailPages: FastifyPluginAsyncTypebox<DraftMailOptions> = async (app, options) => {
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
