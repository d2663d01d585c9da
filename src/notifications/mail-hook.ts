import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { createHmac, timingSafeEqual } from 'node:crypto'
import Type from 'typebox'

import { problems } from '../errors/problems.ts'
import { readBodyText } from '../http/request/slow-body-timeout.ts'
import { EmailAddress, stringEnum } from '../http/schema/fields.ts'
import { parseJson } from '../http/validation/bodies.ts'
import type { Services } from '../services.ts'
import { refuseAddresses } from './lease-queries.ts'

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

/** Takes reports about mails that were refused after they had been accepted (RFC 3464), and about complaints (RFC 5965). */
export const mailHookRoutes: FastifyPluginAsyncTypebox<Services> = async (app, { db, clock, config: { mailHookSecret } }) => {
  if (mailHookSecret === undefined) return
  // A body of another type would not be signed.
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', async (request: FastifyRequest) => {
    const body = await readBodyText(request)
    const sentAt = String(request.headers[TIMESTAMP] ?? '')
    const expected = Buffer.from(`sha256=${createHmac('sha256', mailHookSecret).update(`${sentAt}.${body}`).digest('hex')}`)
    const given = Buffer.from(String(request.headers[SIGNATURE] ?? ''))
    const isSigned = given.length === expected.length && timingSafeEqual(given, expected)
    const isRecent = /^\d{1,15}$/.test(sentAt) && Math.abs(clock().getTime() / 1000 - Number(sentAt)) <= WINDOW_S
    if (!isSigned || !isRecent) throw problems.wrongCredentials()
    return parseJson(request, body)
  })
  const options = { config: { ignoresCookies: true }, schema: { hide: true, body: Reports } } as const
  app.post('/hooks/mail', options, async (request, reply) => {
    const { reports } = request.body
    const refused = await refuseAddresses(db, [...new Set(reports.map(({ email }) => email.trim().toLowerCase()))])
    request.log.info({ reports: reports.length, refused }, 'mail reports received')
    return reply.code(204).send()
  })
}
