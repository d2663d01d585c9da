import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'

import { requireLogin, requireViewer } from '../http/auth/authentication.ts'
import { addDeletion } from '../http/auth/deletion-route.ts'
import { preferredLocale } from '../http/errors/text-language.ts'
import { storedResult, idempotent } from '../http/idempotency/idempotency.ts'
import { toMetadata, toPage, queryParameters } from '../http/lists/pagination.ts'
import { orNotFound } from '../errors/problems.ts'
import { failsWith } from '../http/schema/fields.ts'
import type { Services } from '../services.ts'
import { hasAreaInput, readWatchedArea } from './area-input.ts'
import { countOwnAreas, findOwnArea, listOwnAreas } from './queries.ts'
import { toWatchArea } from './present.ts'
import { ListWatchAreasQuery, NewWatchArea, WatchArea, WatchAreaChange, WatchAreaList, WatchAreaParams } from './schema.ts'
import { AREAS_MAX, createWatchArea, deleteWatchArea, renewWatcherToken, updateWatchArea } from './write-queries.ts'
import { tagRoutes } from '../http/openapi/describe-operations.ts'

export const watcherRoutes: FastifyPluginAsyncTypebox<Services> = async (app, { db, areas, urls, clock }) => {
  tagRoutes(app, 'Watch areas')
  app.addHook('onRequest', requireLogin)
  app.post(
    '/watchers',
    {
      schema: {
        operationId: 'createWatchArea',
        summary: 'Watch an area',
        description: `Requires exactly one area: \`area\` (GeoJSON, as text in a form), or \`lat\`, \`lng\` and \`radius\`, or \`place_url\`, or the four corners of a box. Lists and feeds accept its \`watcher_token\` as an area. At most ${AREAS_MAX} per user.`,
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
      schema: {
        operationId: 'listWatchAreas',
        summary: 'List your watch areas',
        description: 'Oldest first. Areas with many corners are simplified more than by `GET /watchers/:id`.',
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
      schema: {
        operationId: 'getWatchArea',
        summary: 'Get one of your watch areas',
        description: 'With its token and the URLs of its list and feeds. The area of another user is 404.',
        params: WatchAreaParams,
        response: { 200: WatchArea, ...failsWith(404) },
      },
    },
    async (request) => show(request, request.params.id),
  )

  app.put(
    '/watchers/:id',
    {
      schema: {
        operationId: 'updateWatchArea',
        summary: 'Change one of your watch areas',
        description:
          'Changes only the fields that are present; an area must be complete. The token stays the same. If daily or weekly mails are turned off, events that wait for the next mail are dropped.',
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
      schema: {
        operationId: 'renewWatcherToken',
        summary: 'Replace the token of one of your watch areas',
        description: 'Takes no body. Lists and feeds no longer accept the previous token.',
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

  addDeletion(app, {
    path: '/watchers/:id',
    operationId: 'deleteWatchArea',
    summary: 'Delete one of your watch areas',
    description: 'Its token is invalid and its mails end immediately.',
    params: WatchAreaParams,
    done: 'The watch area is deleted.',
    fails: [404],
    act: ({ id: user_id }, { id }) => db.transaction((tx) => deleteWatchArea(tx, { id, user_id })),
  })

  async function create(request: FastifyRequest, body: NewWatchArea): Promise<{ id: number }> {
    const { id: user_id } = requireViewer(request)
    const { name, frequency, about, locale } = body
    const watched = await readWatchedArea(body, areas)
    const settings = { name, frequency, about, locale }
    return idempotent(request, db, async (tx) => ({
      id: await createWatchArea(tx, { user_id, watched, settings, language: preferredLocale(request), at: clock() }),
    }))
  }

  async function show(request: FastifyRequest, id: number): Promise<WatchArea> {
    const found = orNotFound(await findOwnArea(db, { id, user_id: requireViewer(request).id }), 'the_watch_area')
    return toWatchArea(found, urls)
  }
}
