import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'

import type { OwedEffect } from '../events/queries.ts'
import { needsLogin, requireViewer } from '../http/access.ts'
import { once } from '../http/once.ts'
import { failsWith } from '../http/schema.ts'
import type { Services } from '../services.ts'
import { flag } from './flag.ts'
import type { Subject } from './queries.ts'
import { FlagAnswer, flagParamsOf, NewFlag } from './schema.ts'

const description =
  'Tells the moderators that it should not stand here. A flag hides nothing: three different accounts, each older than a day when it flags, put it before a moderator. A second flag of yours changes nothing, and your own cannot be flagged.'
const response = { 201: FlagAnswer, ...failsWith(400, 404, 413, 415, 422) }

/** The pages behind the same addresses are in src/web/flag-pages.ts. */
export const flagRoutes: FastifyPluginAsyncTypebox<Services> = async (app, { db, clock, wakeEffects }) => {
  app.post(
    '/issues/:id/flag',
    {
      onRequest: needsLogin,
      schema: {
        ...{ operationId: 'flagIssue', summary: 'Flag an issue', description, tags: ['Issues'] },
        ...{ params: flagParamsOf('issue'), body: NewFlag, response },
      },
    },
    async (request, reply) => {
      await flagOnce(request, { type: 'issue', id: request.params.id }, request.body.message)
      return reply.code(201).send({ flagged: 1 })
    },
  )

  app.post(
    '/comments/:id/flag',
    {
      onRequest: needsLogin,
      schema: {
        ...{ operationId: 'flagComment', summary: 'Flag a comment', description, tags: ['Comments'] },
        ...{ params: flagParamsOf('comment'), body: NewFlag, response },
      },
    },
    async (request, reply) => {
      await flagOnce(request, { type: 'comment', id: request.params.id }, request.body.message)
      return reply.code(201).send({ flagged: 1 })
    },
  )

  async function flagOnce(request: FastifyRequest, subject: Subject, message: string): Promise<void> {
    const flagging = { subject, message, by: requireViewer(request), clock, request_id: request.id }
    let owed: readonly OwedEffect[] = []
    await once(request, db, async (tx) => {
      owed = await flag(tx, flagging)
      return { flagged: 1 }
    })
    wakeEffects(owed)
  }
}
