import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { createHmac, timingSafeEqual } from 'node:crypto'
import Type, { type Static } from 'typebox'

import { problems } from '../errors/problems.ts'
import { decodeUtf8, readBody } from '../http/request/slow-body-timeout.ts'
import { stringEnum } from '../http/schema/fields.ts'
import { EmailAddress } from '../http/schema/mailbox.ts'
import { parseJson } from '../http/validation/bodies.ts'
import { text } from '../locales/texts.ts'
import type { Services } from '../services.ts'
import { countReport, refuseAddresses } from './lease-queries.ts'
import { type MailReport, parseMailReport } from './parse-mail-report.ts'

const SIGNATURE = 'x-fixpoint-signature'
/** The time of sending, in seconds since 1970. It is signed, so that a recorded request cannot be sent again later. */
const TIMESTAMP = 'x-fixpoint-timestamp'
const WINDOW_S = 300

const Reports = Type.Object({
  reports: Type.Array(Type.Object({ kind: stringEnum(['bounce', 'complaint']), email: EmailAddress }), {
    minItems: 1,
    maxItems: 1_000,
  }),
})

/**
 * Takes reports about mails that were refused after they had been accepted (RFC 3464), and about complaints (RFC 5965): lists of a provider, and
 * messages from the mailbox of the sender. Others can write to this mailbox, so that a message counts only if it returns the id of a mail.
 */
export const mailHookRoutes: FastifyPluginAsyncTypebox<Services> = async (app, { db, clock, config: { mailHookSecret } }) => {
  if (mailHookSecret === undefined) return
  const requireSignature = ({ headers }: FastifyRequest, body: Buffer) => {
    const sentAt = String(headers[TIMESTAMP] ?? '')
    const expected = Buffer.from(`sha256=${createHmac('sha256', mailHookSecret).update(`${sentAt}.`).update(body).digest('hex')}`)
    const given = Buffer.from(String(headers[SIGNATURE] ?? ''))
    const isSigned = given.length === expected.length && timingSafeEqual(given, expected)
    const isRecent = /^\d{1,15}$/.test(sentAt) && Math.abs(clock().getTime() / 1000 - Number(sentAt)) <= WINDOW_S
    if (!isSigned || !isRecent) throw problems.wrongCredentials()
    return body
  }
  // A body of another type would not be signed.
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', async (request: FastifyRequest) =>
    parseJson(request, decodeUtf8(requireSignature(request, await readBody(request)))),
  )
  app.addContentTypeParser('message/rfc822', async (request: FastifyRequest) => ({
    message: await parseMailReport(requireSignature(request, await readBody(request))),
  }))
  app.addContentTypeParser('*', async () => {
    throw problems.unsupportedMediaType(text('mail_report_type_unsupported'))
  })
  app.addHook('preValidation', async (request) => {
    if (request.body !== undefined) return
    requireSignature(request, Buffer.alloc(0))
    throw problems.unreadableBody(text('body_unreadable'))
  })
  const body = { content: { 'application/json': { schema: Reports } } }
  app.post('/hooks/mail', { config: { ignoresCookies: true }, schema: { hide: true, body } }, async (request, reply) => {
    const received = request.body as Static<typeof Reports> | { readonly message: MailReport | undefined }
    if ('reports' in received) {
      const emails = new Set(received.reports.map(({ email }) => email.trim().toLowerCase()))
      request.log.info(
        { reports: received.reports.length, refused: await refuseAddresses(db, [...emails]) },
        'mail reports received',
      )
    } else {
      const { message } = received
      request.log.info({ mail: message, refused: message ? await countReport(db, message) : 0 }, 'mail report received')
    }
    return reply.code(204).send()
  })
}
