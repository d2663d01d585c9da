import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest, FastifyInstance } from 'fastify'
import Type, { type Static } from 'typebox'

import { type Transaction, type Queryable, sql, Id } from '../../database/database.ts'
import { type ValidationErrors, problems } from '../../errors/problems.ts'
import { viewBox, type Point } from '../../geo/shapes.ts'
import {
  formIdempotencyKey,
  validationErrorsFrom,
  bodyErrors,
  translateErrors,
  type FormValues,
  toFormValues,
  normalizeLineEndings,
} from '../../html/form.ts'
import { createLinks, requirePageLogin, seeOther } from '../../html/links.ts'
import { sendPrivatePage } from '../../html/page.ts'
import { HELD_ITEMS_MAX } from '../../html/site-menu.ts'
import { pageLanguage, pageTexts } from '../../http/errors/text-language.ts'
import { addIdempotency, releaseIdempotencyKey } from '../../http/idempotency/idempotency.ts'
import { isModerator } from '../../http/identity/capabilities.ts'
import { newSecret } from '../../http/identity/credentials.ts'
import { type Page, queryParameters, toPage } from '../../http/lists/pagination.ts'
import { stringEnum } from '../../http/schema/fields.ts'
import { approveItem, type Decision, rejectItem } from '../../moderation/decide.ts'
import { findItem, listItems, countHeldItems } from '../../moderation/item-queries.ts'
import { parseEdits, requireModerator } from '../../moderation/parse-decision.ts'
import { toModerationItem } from '../../moderation/present.ts'
import { Approval, ListModerationQuery, type ModerationItem, ModerationParams, Rejection } from '../../moderation/schema.ts'
import { readSubjects } from '../../moderation/subjects.ts'
import type { Services } from '../../services.ts'
import { readMapLayers } from '../map/drawn/map-layers.ts'
import { decideSeveral, parseRequiredReason, parseSeveralDecision, readChoices, SEVERAL_MAX } from './decide-several.ts'
import { MAP_ZOOM, moderationItemPage } from './moderation-item-page.ts'
import { moderationListPage, type SeveralForm } from './moderation-list-page.ts'
import { authorId, issueSubject, fieldText } from './moderation-subject.ts'

const ListQuery = Type.Object({
  ...ListModerationQuery.properties,
  done: Type.Optional(stringEnum(['approved', 'rejected'])),
  count: Type.Optional(Type.Integer({ minimum: 1, maximum: SEVERAL_MAX })),
  selected: Type.Optional(stringEnum(['all'])),
})
type ListQuery = Static<typeof ListQuery>

export const moderationPages: FastifyPluginAsyncTypebox<Services> = async (app, services) => {
  const { db, urls, clock } = services

  app.addHook('onRequest', requirePageLogin(urls, '/moderation'))
  app.addHook('onRequest', async (request) => void requireModerator(request))
  addIdempotency(app, services, formIdempotencyKey)

  app.get('/moderation', { schema: { querystring: ListQuery } }, async (request, reply) => {
    const { selected } = request.query
    return sendList(request, reply, request.query, { selected: selected ?? [], values: {}, errors: {} })
  })

  app.post('/moderation', { schema: { querystring: ListQuery } }, async (request, reply) => {
    const values = toFormValues(request.body)
    try {
      const result = await decideSeveral(services, parseSeveralDecision(values), {
        by: requireModerator(request),
        request_id: request.id,
        readItem: (id) => readItem(request, id),
      })
      const { decision, decided, left } = result
      if (left.length === 0) {
        const parameters = queryParameters(request)
        parameters.set('done', decision)
        parameters.set('count', String(decided))
        return await seeOther(reply, urls, `/moderation?${parameters.toString()}`)
      }
      return await sendList(request, reply, request.query, { selected: [], values: {}, errors: {}, result })
    } catch (error) {
      const errors = translateErrors(request, validationErrorsFrom(error))
      await releaseIdempotencyKey(request, db)
      return sendList(request, reply.code(422), request.query, { selected: readChoices(values), values, errors })
    }
  })

  app.get('/moderation/:id', { schema: { params: ModerationParams } }, async (request, reply) =>
    sendItemPage(request, reply, request.params.id, {}, {}),
  )

  const approval = { attachValidation: true, schema: { params: ModerationParams, body: Approval } } as const
  app.post('/moderation/:id/approve', approval, async (request, reply) => {
    const changes = changedFields(request.body, await readItem(request, request.params.id)) as Approval
    return decide(request, reply, 'approved', changes, (tx, decision) =>
      approveItem(tx, { ...decision, edits: parseEdits(changes) }),
    )
  })

  const rejection = { attachValidation: true, schema: { params: ModerationParams, body: Rejection } } as const
  app.post('/moderation/:id/reject', rejection, async (request, reply) => {
    const { body } = request
    return decide(request, reply, 'rejected', body, (tx, decision) =>
      rejectItem(tx, { ...decision, reason: parseRequiredReason(toFormValues(body)) }),
    )
  })

  async function decide(
    request: FastifyRequest,
    reply: FastifyReply,
    done: 'approved' | 'rejected',
    body: Approval | Rejection,
    work: (tx: Transaction, decision: Decision) => Promise<void>,
  ) {
    const { id: item_id } = request.params as { readonly id: number }
    const decision = { item_id, by: requireModerator(request), now: clock(), request_id: request.id }
    const errors = bodyErrors(request, body)
    if (Object.keys(errors).length > 0) return sendItemPage(request, reply.code(422), item_id, toFormValues(body), errors)
    try {
      await db.transaction((tx) => work(tx, decision))
    } catch (error) {
      return sendItemPage(request, reply.code(422), item_id, toFormValues(body), validationErrorsFrom(error))
    }
    return seeOther(reply, urls, `/moderation?done=${done}`)
  }

  async function sendList(
    request: FastifyRequest,
    reply: FastifyReply,
    { page, state = 'held', subject_type, done, count: doneCount }: ListQuery,
    several: Omit<SeveralForm, 'formKey' | 'list'>,
  ) {
    const viewer = requireModerator(request)
    const readPage = (slice: Page) => listItems(db, { viewer, state, subjectType: subject_type }, slice)
    let slice = toPage({ ...(page === undefined ? {} : { page }), per_page: SEVERAL_MAX })
    let { entries, items: rows } = await readPage(slice)
    // Decisions can leave fewer pages than before.
    if (rows.length === 0 && (done || request.method === 'POST')) {
      slice = { ...slice, page: Math.max(1, Math.ceil(entries / SEVERAL_MAX)) }
      ;({ entries, items: rows } = await readPage(slice))
    }
    const subjects = await readSubjects(db, rows, { viewer, urls, language: pageLanguage(request) })
    const items = rows.map((item) => toModerationItem(item, subjects, viewer, urls))
    const points = await findItemPoints(
      db,
      rows.map(({ id }) => id),
    )
    const form = { ...several, formKey: newSecret(), list: { subject_type, page: slice.page > 1 ? slice.page : undefined } }
    const list = { state, items, points, entries, slice, done, doneCount, several: form }
    return sendPrivatePage(request, reply, urls, moderationListPage(createLinks(urls), list, pageTexts(request)))
  }

  async function sendItemPage(
    request: FastifyRequest,
    reply: FastifyReply,
    id: number,
    values: FormValues,
    errors: ValidationErrors,
  ) {
    const item = await readItem(request, id)
    const issue = issueSubject(item)
    const layers = issue && (await readMapLayers(services, viewBox(issue, MAP_ZOOM)))
    const isOwn = authorId(item) === requireModerator(request).id
    const point = (await findItemPoints(db, [id])).get(id)
    const page = { item, isOwn, layers, point, values, errors: translateErrors(request, errors) }
    return sendPrivatePage(request, reply, urls, moderationItemPage(createLinks(urls), page, pageTexts(request)))
  }

  async function readItem(request: FastifyRequest, id: number): Promise<ModerationItem> {
    const viewer = requireModerator(request)
    const row = await findItem(db, id, viewer)
    if (!row?.may_decide) throw problems.notFound('the_moderation_item')
    return toModerationItem(row, await readSubjects(db, [row], { viewer, urls, language: pageLanguage(request) }), viewer, urls)
  }
}

/** Keeps only the changed texts, because the form sends all of them. */
function changedFields(body: unknown, item: ModerationItem): unknown {
  const fields = Object.entries(normalizeLineEndings(body))
  if (fields.length === 0) return body
  return Object.fromEntries(fields.filter(([field, text]) => text !== fieldText(item, field).replaceAll('\r\n', '\n')))
}

const ItemPoint = Type.Object({ id: Id, lng: Type.Number(), lat: Type.Number() })

/** Returns by item the point of its issue, or the centre of the place of its question. Times are shown in their time zone. */
async function findItemPoints(db: Queryable, itemIds: readonly number[]): Promise<ReadonlyMap<number, Point>> {
  const rows = await db.query(sql.type(ItemPoint)`
    SELECT item.id, coalesce(issue.lng, place.center_lng) AS lng, coalesce(issue.lat, place.center_lat) AS lat
    FROM moderation_items item
    LEFT JOIN comments comment ON item.subject_type = 'comment' AND comment.id = item.subject_id
    LEFT JOIN issues issue ON issue.id = CASE item.subject_type WHEN 'issue' THEN item.subject_id WHEN 'comment' THEN comment.issue_id END
    LEFT JOIN answers answer ON item.subject_type = 'answer' AND answer.id = item.subject_id
    LEFT JOIN questions question
      ON question.id = CASE item.subject_type WHEN 'question' THEN item.subject_id WHEN 'answer' THEN answer.question_id END
    LEFT JOIN places place ON place.id = question.place_id
    WHERE item.id = ANY(${itemIds}::integer[]) AND coalesce(issue.id, place.id) IS NOT NULL`)
  return new Map(rows.map(({ id, lng, lat }) => [id, { lng, lat }]))
}

/** Adds the number of held items to the menu of moderators. Register it after `addPageViewer`. */
export function addHeldItems(app: FastifyInstance, { db }: Pick<Services, 'db'>): void {
  app.addHook('onRequest', async (request) => {
    const { viewer } = request
    if (viewer && isModerator(viewer)) request.heldItems = await countHeldItems(db.reader, viewer, HELD_ITEMS_MAX + 1)
  })
}
