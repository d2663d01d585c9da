import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'

import { requireLogin, requireViewer } from '../http/auth/authentication.ts'
import { preferredLocale } from '../http/request/locale.ts'
import { storedResult, idempotent } from '../http/idempotency/idempotent.ts'
import { toMetadata, toPage, queryParameters } from '../http/lists/pagination.ts'
import { problems } from '../errors/problems.ts'
import { failsWith } from '../http/schema/fields.ts'
import type { Services } from '../services.ts'
import { hasAreaInput, readWatchedArea } from './area-input.ts'
import { countOwnAreas, findOwnArea, listOwnAreas } from './own-queries.ts'
import { toWatchArea } from './present.ts'
import { ListWatchAreasQuery, NewWatchArea, WatchArea, WatchAreaChange, WatchAreaList, WatchAreaParams } from './schema.ts'
import { createWatchArea, deleteWatchArea, renewWatcherToken, updateWatchArea } from './manage-watch-area.ts'
import { AREAS_MAX } from './write-queries.ts'

const tags = ['Watch areas']

export const watcherRoutes: FastifyPluginAsyncTypebox<Services> = async (app, { db, areas, urls, clock }) => {
  app.post(
    '/watchers',
    {
      onRequest: requireLogin,
      schema: {
        operationId: 'createWatchArea',
        summary: 'Watch an area',
        description: `Give exactly one area: \`area\` (GeoJSON, also as text in a form), or \`lat\`, \`lng\` and \`radius\`, or \`place_url\`, or the four corners of a box. Its \`watcher_token\` is an area of every list and feed. At most ${AREAS_MAX} of each user.`,
        tags,
        body: NewWatchArea,
        response: { 201: WatchArea, ...failsWith(400, 413, 415, 422) },
      },
    },
    async (request, reply) => {
      const { id } = storedResult<{ id: number }>(request) ?? (await create(request, request.body))
      const created = await show(request, id)
      return reply.code(201).header('location', created.url).send(created)
    },
  )

  app.get(
    '/watchers',
    {
      onRequest: requireLogin,
      schema: {
        operationId: 'listWatchAreas',
        summary: 'List your watch areas',
        description: 'Oldest first. Areas with very many corners are given coarser than by `GET /watchers/:id`.',
        tags,
        querystring: ListWatchAreasQuery,
        response: { 200: WatchAreaList, ...failsWith(422) },
      },
    },
    async (request) => {
      const { id: user_id } = requireViewer(request)
      const page = toPage(request.query)
      const entries = await countOwnAreas(db, user_id)
      const rows = await listOwnAreas(db, user_id, page)
      const metadata = toMetadata(urls, '/watchers', queryParameters(request), page, entries)
      return { metadata, watchers: rows.map((row) => toWatchArea(row, urls)), errors: {} }
    },
  )

  app.get(
    '/watchers/:id',
    {
      onRequest: requireLogin,
      schema: {
        operationId: 'getWatchArea',
        summary: 'Get a watch area of yours',
        description: 'With its token and the addresses of its list and feeds. Another’s is unknown.',
        tags,
        params: WatchAreaParams,
        response: { 200: WatchArea, ...failsWith(404) },
      },
    },
    async (request) => show(request, request.params.id),
  )

  app.put(
    '/watchers/:id',
    {
      onRequest: requireLogin,
      schema: {
        operationId: 'updateWatchArea',
        summary: 'Change a watch area of yours',
        description:
          'Only what is given; an area is given whole. The token stays. Who wants no daily or weekly mails any more gets none of what was gathered for the next one.',
        tags,
        params: WatchAreaParams,
        body: WatchAreaChange,
        response: { 200: WatchArea, ...failsWith(400, 404, 413, 415, 422) },
      },
    },
    async (request) => {
      const { id } = await show(request, request.params.id)
      const { name, frequency, about, locale } = request.body
      const watched = hasAreaInput(request.body) ? await readWatchedArea(request.body, areas) : undefined
      const own = { id, user_id: requireViewer(request).id }
      await db.transaction((tx) => updateWatchArea(tx, own, { name, frequency, about, locale, watched }, clock()))
      return show(request, id)
    },
  )

  app.post(
    '/watchers/:id/token',
    {
      onRequest: requireLogin,
      schema: {
        operationId: 'renewWatcherToken',
        summary: 'Make another token for a watch area of yours',
        description: 'Without a body. The former token is unknown from then on, in every list and feed.',
        tags,
        params: WatchAreaParams,
        response: { 201: WatchArea, ...failsWith(400, 404, 413, 415, 422) },
      },
    },
    async (request, reply) => {
      const own = { id: request.params.id, user_id: requireViewer(request).id }
      const { id } = await idempotent(request, db, async (tx) => {
        await renewWatcherToken(tx, own, clock())
        return { id: own.id }
      })
      return reply.code(201).send(await show(request, id))
    },
  )

  app.delete(
    '/watchers/:id',
    {
      onRequest: requireLogin,
      schema: {
        operationId: 'deleteWatchArea',
        summary: 'Watch an area no longer',
        description: 'Its token is unknown from then on, and no mail of it is sent any more.',
        tags,
        params: WatchAreaParams,
        response: { 204: { type: 'null', description: 'The watch area is gone.' }, ...failsWith(404) },
      },
    },
    async (request, reply) => {
      const own = { id: request.params.id, user_id: requireViewer(request).id }
      await db.transaction((tx) => deleteWatchArea(tx, own))
      return reply.code(204).send(null)
    },
  )

  async function create(request: FastifyRequest, body: NewWatchArea): Promise<{ id: number }> {
    const { id: user_id } = requireViewer(request)
    const { name, frequency, about, locale } = body
    const watched = await readWatchedArea(body, areas)
    const settings = { name, frequency, about, locale }
    return idempotent(request, db, async (tx) => ({
      id: await createWatchArea(tx, { user_id, watched, settings, language: preferredLocale(request), at: clock() }),
    }))
  }

  /** @throws Problem 404 if the caller has no such area */
  async function show(request: FastifyRequest, id: number): Promise<WatchArea> {
    const found = await findOwnArea(db, { id, user_id: requireViewer(request).id })
    if (!found) throw problems.notFound('the_watch_area')
    return toWatchArea(found, urls)
  }
}
