import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'

import { requireLogin, requireViewer } from '../http/auth/authentication.ts'
import { idempotent } from '../http/idempotency/idempotency.ts'
import { failsWith } from '../http/schema/fields.ts'
import type { Services } from '../services.ts'
import { flagSubject, flaggedTypes, type Subject } from './queries.ts'
import { FlagResponse, flagParams, NewFlag } from './schema.ts'

const description =
  'Reports to the moderators that this text or picture should be removed. A flag hides nothing: after flags from three different accounts, each older than a day, a moderator reviews it. A second flag of the same user changes nothing. You cannot flag your own texts.'
const operations = {
  issue: { operationId: 'flagIssue', summary: 'Flag an issue', tags: ['Issues'] },
  comment: { operationId: 'flagComment', summary: 'Flag a comment', tags: ['Comments'] },
  question: { operationId: 'flagQuestion', summary: 'Flag a question', tags: ['Questions'] },
  answer: { operationId: 'flagAnswer', summary: 'Flag an answer', tags: ['Answers'] },
  user: { operationId: 'flagUser', summary: 'Flag the name and avatar of a user', tags: ['Users'] },
} as const
const response = { 201: FlagResponse, ...failsWith(400, 404, 413, 415, 422) }

export const flagRoutes: FastifyPluginAsyncTypebox<Services> = async (app, { db, clock }) => {
  for (const type of flaggedTypes) {
    app.post(
      `/${type}s/:id/flag`,
      {
        onRequest: requireLogin,
        schema: { ...operations[type], description, params: flagParams(type), body: NewFlag, response },
      },
      async (request, reply) => {
        await addFlag(request, { type, id: request.params.id }, request.body.message)
        return reply.code(201).send({ flagged: 1 })
      },
    )
  }

  async function addFlag(request: FastifyRequest, subject: Subject, message: string): Promise<void> {
    const input = { subject, message, by: requireViewer(request), clock, request_id: request.id }
    await idempotent(request, db, async (tx) => {
      await flagSubject(tx, input)
      return { flagged: 1 }
    })
  }
}
