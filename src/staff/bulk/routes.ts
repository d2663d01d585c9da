import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Static } from 'typebox'

import { problems } from '../../errors/problems.ts'
import { dropOverriddenParameters } from '../../geo/area-query.ts'
import { toFormValues } from '../../html/form.ts'
import { requireLogin, requireViewer } from '../../http/auth/authentication.ts'
import { negotiateLanguage } from '../../http/formats/content-types.ts'
import { organizationIdsWith } from '../../http/identity/capabilities.ts'
import type { Viewer } from '../../http/identity/viewer-queries.ts'
import { idempotent, storedResult } from '../../http/idempotency/idempotency.ts'
import { tagRoutes } from '../../http/openapi/describe-operations.ts'
import { failsWith } from '../../http/schema/fields.ts'
import { type ObjectSchema, withInputTransform } from '../../http/validation/input-transforms.ts'
import { convertTextValues } from '../../http/validation/text-values.ts'
import { text } from '../../locales/texts.ts'
import { requireOrganizationCapability } from '../../organizations/queries.ts'
import type { Services } from '../../services.ts'
import { checkChange, requireKnownIssues, previewRun, selectIds } from './change.ts'
import { readRun, createRun, startRun, startUndo } from './run.ts'
import { BulkParams, BulkQuery, BulkRun, BulkStart, NewBulkRun } from './schema.ts'

/** The filters may be written as in the query of a URL. */
const convertQuery = (body: unknown) => {
  const { query, ...others } = toFormValues(body)
  const convert = () => convertTextValues(BulkQuery as ObjectSchema, dropOverriddenParameters(toFormValues(query)))
  return query === undefined ? body : { ...others, query: convert() }
}

export const bulkRoutes: FastifyPluginAsyncTypebox<Services> = async (app, { db, areas, clock }) => {
  tagRoutes(app, 'Staff')
  app.addHook('onRequest', requireLogin)
  app.post(
    '/bulk',
    {
      validatorCompiler: withInputTransform(app, 'body', convertQuery),
      schema: {
        operationId: 'previewBulkRun',
        summary: 'Preview a change of many issues',
        description:
          'Changes nothing: it says which issues a run changes, which it refuses and why, and how many mails it sends. The issues are those of `ids`, or all of `query`. Needs `work_on_issues` for each issue: an issue that the caller may read and not change is refused in the preview, an id that no issue has, or that they may not read, is 422.',
        body: NewBulkRun,
        response: { 201: BulkRun, ...failsWith(400, 413, 415, 422) },
      },
    },
    async (request, reply) => {
      const by = requireViewer(request)
      const { ids: chosen, query, change } = request.body
      if (!by.isAdmin && organizationIdsWith(by, 'work_on_issues').length === 0)
        throw problems.notPermitted(text('organization_capability_missing', { capability: 'work_on_issues' }))
      if ((chosen === undefined) === (query === undefined)) throw problems.invalid({ ids: text('ids_or_query') })
      await checkChange(db, change, by, clock())
      if (chosen) await requireKnownIssues(db, chosen, by)
      let stored = storedResult<{ id: number }>(request)
      if (!stored) {
        const now = clock()
        const ids = chosen ?? (query ? await selectByQuery(by, query, now) : [])
        const input = { ids, change, by, now, request_id: request.id, language: negotiateLanguage(request) }
        const preview = await previewRun(db, input)
        stored = await idempotent(request, db, async (tx) => ({ id: await createRun(tx, { by, change, preview, now }) }))
      }
      return reply.code(201).send(await readRun(db, stored.id, by))
    },
  )

  async function selectByQuery(viewer: Viewer, { organization_id, ...query }: Static<typeof BulkQuery>, now: Date) {
    await requireOrganizationCapability(db, organization_id, viewer, 'work_on_issues')
    return selectIds({ reader: db, areas, viewer, organizationId: organization_id, now }, query)
  }

  app.get(
    '/bulk/:id',
    {
      schema: {
        operationId: 'getBulkRun',
        summary: 'Get a change of many issues and its progress',
        description: 'Only for who made it.',
        params: BulkParams,
        response: { 200: BulkRun, ...failsWith(404) },
      },
    },
    (request) => readRun(db, request.params.id, requireViewer(request)),
  )

  app.post(
    '/bulk/:id/run',
    {
      schema: {
        operationId: 'startBulkRun',
        summary: 'Run a previewed change of many issues',
        description:
          'A job changes the issues; `GET /bulk/:id` says how far it is. Returns 409 if an issue has changed since the preview. Mails are sent after `undo_until`.',
        params: BulkParams,
        body: BulkStart,
        response: { 202: BulkRun, ...failsWith(400, 404, 409, 413, 415, 422) },
      },
    },
    (request, reply) => start(request, reply, (tx, id, input) => startRun(tx, id, { ...input, hash: request.body.hash })),
  )

  app.post(
    '/bulk/:id/undo',
    {
      schema: {
        operationId: 'undoBulkRun',
        summary: 'Undo a change of many issues',
        description:
          'Within ten minutes. Issues that have changed since are left and named. Mails about issues that are changed back are not sent.',
        params: BulkParams,
        response: { 202: BulkRun, ...failsWith(400, 404, 409, 413, 415) },
      },
    },
    (request, reply) => start(request, reply, startUndo),
  )

  async function start(request: FastifyRequest, reply: FastifyReply, work: typeof startUndo) {
    const by = requireViewer(request)
    const { id } = request.params as { readonly id: number }
    await idempotent(request, db, async (tx) => {
      await work(tx, id, { by, now: clock() })
      return { id }
    })
    return reply.code(202).send(await readRun(db, id, by))
  }
}
