import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'

import { text } from '../../locales/texts.ts'
import { requireLogin, requireViewer } from '../../http/auth/authentication.ts'
import { failsWith } from '../../http/schema/fields.ts'
import { toMailbox } from '../../http/schema/mailbox.ts'
import { idempotent } from '../../http/idempotency/idempotency.ts'
import { problems, orNotFound } from '../../errors/problems.ts'
import { MAILS_PER_HOUR } from '../../mail/limit-queries.ts'
import type { Services } from '../../services.ts'
import { confirmEmail } from './confirmation.ts'
import { listRefusedEmails, requestConfirmation, addUnconfirmedEmail, findEmail, listEmails, removeEmail } from './queries.ts'
import { CONFIRM_PASSWORD_WRONG } from './rules.ts'
import { Confirmation, Email, EmailList, EmailParams, NewEmail } from './schema.ts'
import { tagRoutes } from '../../http/openapi/describe-operations.ts'

export const emailRoutes: FastifyPluginAsyncTypebox<Services> = async (app, { db }) => {
  tagRoutes(app, 'E-mails')
  app.get(
    '/emails',
    {
      onRequest: requireLogin,
      schema: {
        operationId: 'listEmails',
        summary: 'List your e-mail addresses',
        description:
          'In alphabetical order, at most ten. You can log in with all of them, with an unconfirmed one until another account confirms it. Only confirmed ones get mails.',
        response: { 200: EmailList, ...failsWith() },
      },
    },
    async (request) => ({ emails: await listEmails(db, requireViewer(request).id), errors: {}, metadata: {} }),
  )

  app.post(
    '/emails',
    {
      onRequest: requireLogin,
      schema: {
        operationId: 'createEmail',
        summary: 'Add an e-mail address',
        description:
          'The address is unconfirmed until you open the link in the mail that it gets, within three days. The confirmed addresses get a mail with a link that undoes the addition within seven days.',
        body: NewEmail,
        response: { 201: Email, ...failsWith(400, 413, 415, 422) },
      },
    },
    async (request, reply) => {
      const { id } = requireViewer(request)
      const email = toMailbox(request.body.email)
      const added = await idempotent(request, db, async (tx) => {
        const added = await addUnconfirmedEmail(tx, id, email)
        if ('refused' in added) throw problems.invalid({ email: added.refused })
        return { id: added.id }
      })
      return reply.code(201).send({ id: added.id, confirmed: false, email })
    },
  )

  app.delete(
    '/emails/:id',
    {
      onRequest: requireLogin,
      schema: {
        operationId: 'deleteEmail',
        summary: 'Delete one of your e-mail addresses',
        description:
          'The only address of an account and its last confirmed address cannot be deleted. The deleted address and the other confirmed ones get a mail; older addresses can undo the deletion with its link within seven days. With `Prefer: return=representation`, the answer is 200 with the address.',
        params: EmailParams,
        response: { 200: Email, 204: { type: 'null', description: 'The address is deleted.' }, ...failsWith(404, 422) },
      },
    },
    async (request, reply) => {
      const removal = orNotFound(await removeEmail(db, requireViewer(request).id, request.params.id), 'the_email_address')
      if ('refused' in removal) throw problems.invalid({ base: removal.refused })
      if (!wantsRepresentation(request.headers['prefer'])) return reply.code(204).send(null)
      return reply.header('preference-applied', 'return=representation').code(200).send(removal.removed)
    },
  )

  app.post(
    '/emails/:id/confirmation',
    {
      onRequest: requireLogin,
      schema: {
        operationId: 'requestEmailConfirmation',
        summary: 'Send the confirmation mail again',
        description: `Sends it to one of your addresses that is not confirmed, or whose mail server refused two mails, at most ${MAILS_PER_HOUR['confirmation claim']} times an hour. Links of earlier mails stay valid.`,
        params: EmailParams,
        response: { 202: Email, ...failsWith(400, 404, 413, 415, 422) },
      },
    },
    async (request, reply) => {
      const { id: userId } = requireViewer(request)
      const email = orNotFound(await findEmail(db, userId, request.params.id), 'the_email_address')
      if (email.confirmed && !(await listRefusedEmails(db, userId)).includes(email.id))
        throw problems.invalid({ base: text('email_already_confirmed') })
      const isWithinLimit = await db.transaction((tx) =>
        requestConfirmation(tx, 'email.confirmation_requested', { ...email, userId }),
      )
      if (!isWithinLimit)
        throw problems.invalid({
          base: text('too_many_mails_requested'),
        })
      return reply.code(202).send(email)
    },
  )

  app.post(
    '/emails/confirm',
    {
      config: { idempotency: false },
      schema: {
        operationId: 'confirmEmail',
        summary: 'Confirm an e-mail address',
        description:
          'Requires the token of the link in the mail, which is valid for three days and works once, and the password of the account that added the address. If several accounts have added the address, the first one that confirms it gets it, and the others lose it. If the address is already confirmed, the answer is the same.',
        body: Confirmation,
        response: { 200: Email, ...failsWith(400, 413, 415, 422) },
      },
    },
    async (request, reply) => {
      const { token, password } = request.body
      const found = await confirmEmail(db, token, (userId) => reply.checkOwnPassword(userId, password))
      if (found.state === 'wrong password') throw problems.invalid({ password: CONFIRM_PASSWORD_WRONG })
      if (found.state === 'invalid')
        throw problems.invalid({
          token: text('confirmation_token_expired'),
        })
      request.writerId = found.owner.id
      return found.email
    },
  )
}

/** RFC 7240: preferences are a list with case-insensitive names. */
function wantsRepresentation(prefer: string | string[] | undefined): boolean {
  const preferences = [prefer ?? []].flat().join(',').split(/[,;]/)
  return preferences.some((preference) => /^\s*return\s*=\s*"?representation"?\s*$/i.test(preference))
}
