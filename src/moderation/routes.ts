import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'

import type { Transaction } from '../database/database.ts'
import { requireLogin, requireViewer } from '../http/auth/authentication.ts'
import { idempotent } from '../http/idempotency/idempotency.ts'
import { negotiateLanguage } from '../http/formats/content-types.ts'
import { toMetadata, toPage, queryParameters } from '../http/lists/pagination.ts'
import { problems } from '../errors/problems.ts'
import { failsWith } from '../http/schema/fields.ts'
import type { Services } from '../services.ts'
import { approveItem, type Decision, rejectItem } from './decide.ts'
import { findItem, listItems } from './item-queries.ts'
import { moderatorOnly, requireModerator, parseEdits, parseReason } from './parse-decision.ts'
import { toModerationItem } from './present.ts'
import { Approval, ListModerationQuery, ModerationItem, ModerationList, ModerationParams, Rejection } from './schema.ts'
import { readSubjects } from './subjects.ts'
import { tagRoutes } from '../http/openapi/describe-operations.ts'

const decisions = [
  {
    step: 'approve',
    operationId: 'approveModerationItem',
    summary: 'Approve a moderation item',
    description:
      'Publishes the text at once, dated now, with its notifications; texts in the body replace those of the author. A flagged text stays public. 422 names the earlier decision if there is one; 403 for your own texts.',
    body: Approval,
    work: (tx: Transaction, decision: Decision, body: Approval) => approveItem(tx, { ...decision, edits: parseEdits(body) }),
  },
  {
    step: 'reject',
    operationId: 'rejectModerationItem',
    summary: 'Reject a moderation item',
    description:
      'Only the author and moderators still see the text, and the author is notified. A user gets a neutral name and no avatar. 422 names the earlier decision if there is one; 403 for your own texts.',
    body: Rejection,
    work: (tx: Transaction, decision: Decision, body: Rejection) => rejectItem(tx, { ...decision, reason: parseReason(body) }),
  },
] as const

export const moderationRoutes: FastifyPluginAsyncTypebox<Services> = async (app, services) => {
  tagRoutes(app, 'Moderation')
  app.addHook('onRequest', requireLogin)
  const { db, urls, clock } = services

  app.get(
    '/moderation',
    {
      preValidation: moderatorOnly,
      schema: {
        operationId: 'listModerationItems',
        summary: 'List moderation items',
        description:
          'Reports, comments, questions, answers and users that are held or flagged, oldest first. For moderators, those of issues that their organisation may act for and of questions about its cities, and all for Admins.',
        querystring: ListModerationQuery,
        response: { 200: ModerationList, ...failsWith(422) },
      },
    },
    async (request) => {
      const viewer = requireModerator(request)
      const { query } = request
      const page = toPage(query)
      const { entries, items } = await listItems(
        db,
        { viewer, state: query.state ?? 'held', subjectType: query.subject_type },
        page,
      )
      const subjects = await readSubjects(db, items, { viewer, urls, language: negotiateLanguage(request) })
      const metadata = toMetadata(urls, '/moderation', queryParameters(request), page, entries)
      return { metadata, items: items.map((item) => toModerationItem(item, subjects, viewer, urls)), errors: {} }
    },
  )

  app.get(
    '/moderation/:id',
    {
      schema: {
        operationId: 'getModerationItem',
        summary: 'Get a moderation item',
        description:
          'For moderators who decide on it and Admins. Authors get the items of their own texts, with the texts as they wrote them; others get 403.',
        params: ModerationParams,
        response: { 200: ModerationItem, ...failsWith(404) },
      },
    },
    (request) => answer(request, request.params.id),
  )

  for (const { step, body, work, ...texts } of decisions)
    app.post(
      `/moderation/:id/${step}`,
      {
        preValidation: moderatorOnly,
        schema: {
          ...texts,
          params: ModerationParams,
          body,
          response: { 200: ModerationItem, ...failsWith(400, 404, 413, 415, 422) },
        },
      },
      async (request) => {
        const { id: item_id } = request.params
        const decision = { item_id, by: requireModerator(request), now: clock(), request_id: request.id }
        await idempotent(request, db, async (tx) => {
          await work(tx, decision, request.body)
          return { id: item_id }
        })
        return answer(request, item_id)
      },
    )

  async function answer(request: FastifyRequest, id: number): Promise<ModerationItem> {
    const viewer = requireViewer(request)
    const item = await findItem(db, id, viewer)
    // Other callers get the same error for foreign and missing items.
    if (!item) requireModerator(request)
    if (!item) throw problems.notFound('the_moderation_item')
    return toModerationItem(
      item,
      await readSubjects(db, [item], { viewer, urls, language: negotiateLanguage(request) }),
      viewer,
      urls,
    )
  }
}
