import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Readable } from 'node:stream'
import Type from 'typebox'

import type { Queryable } from '../../database/database.ts'
import { Problem, problems } from '../../errors/problems.ts'
import { dropOverriddenParameters } from '../../geo/area-query.ts'
import { tilesOfCells } from '../../geo/pyramid/cell-tiles.ts'
import { negotiateLanguage } from '../../http/errors/text-language.ts'
import { LINES_TYPE, serializeJson, JSON_TYPE } from '../../http/formats/content-types.ts'
import { queryParameters, withParameters } from '../../http/lists/pagination.ts'
import { acquireSlot, limitConcurrency, limitConcurrencyByKey } from '../../http/request/request-limit.ts'
import { clientKey, networkKey } from '../../http/request/client-address.ts'
import { whenSent } from '../../http/request/hooks.ts'
import { apiPrefix } from '../../http/request/urls.ts'
import { failsWith } from '../../http/schema/fields.ts'
import { withInputTransform } from '../../http/validation/compilers.ts'
import type { Language } from '../../locales/texts.ts'
import type { Services } from '../../services.ts'
import type { IssueFilter } from '../list/filter.ts'
import { parseFields, pickFields } from '../list/query.ts'
import { parseListQuery } from '../list/read-list.ts'
import { toIssue } from '../present.ts'
import { toRecords } from '../records/from-rows.ts'
import { toFeature } from '../records/present.ts'
import {
  CHANGES_CURSOR,
  type ChangesPosition,
  encodePosition,
  findChangesPosition,
  parsePosition,
} from '../../issue-lifecycle/changes-cursor.ts'
import { pageOfPoll } from './poll.ts'
import { type Change, type ChangesPage, type ChangesRequest, readChanges } from './queries.ts'
import { ChangesList, CHANGES_MAX, ChangesQuery, StreamQuery, ChangeItem, FeatureLine } from './schema.ts'
import { type AreaWatch, createChangeWatch, type News } from './watch.ts'

const STREAM_TYPE = 'text/event-stream; charset=utf-8'
const KEEP_ALIVE_MS = 20_000
/** A client with credentials connects again after this time, so that they are checked again. */
const CREDENTIALS_MAX_S = 300
/** A client that takes nothing for this time is cut off; it goes on from its last cursor. */
const STALLED_MS = 60_000
/** Clients of one address that wait, of one /48 network of IPv6, and of all. A waiting client holds no connection of the database. */
const WAITING = { ofClient: 60, ofNetwork: 600, ofAll: 10_000 }
/** Statements at a time for clients that wait, so that a change in a city with many of them leaves connections to others. */
const READS = { concurrency: 4, queueMax: WAITING.ofAll, waitMaxMs: 60_000 }

const description =
  'The area and the filters are those of `GET /issues`. A cursor is good for 30 days; then, after a restore of the database and after a change of the boundary, the response is 410 with `reset: true`. Names and points of people are no changes of an issue.'

interface ChangesSource {
  readonly filter: IssueFilter
  readonly since: ChangesPosition | undefined
}

export const changesRoutes: FastifyPluginAsyncTypebox<Services> = async (app, { areas, config, db, urls }) => {
  const watch = createChangeWatch(db, app.log)
  app.addHook('preClose', async () => watch.close())
  const refusal = () => problems.rateLimited(60)
  const slotOfClient = limitConcurrencyByKey({ concurrency: WAITING.ofClient, queueMax: 0, waitMaxMs: 0, refusal })
  const slot = limitConcurrency({ concurrency: WAITING.ofAll, queueMax: 0, waitMaxMs: 0 })
  const turn = limitConcurrency(READS)
  const turnOfClient = limitConcurrencyByKey({ ...READS, concurrency: 1 })
  const slotOfNetwork = limitConcurrencyByKey({ concurrency: WAITING.ofNetwork, queueMax: 0, waitMaxMs: 0, refusal })
  const inputs = { validatorCompiler: withInputTransform(app, 'querystring', dropOverriddenParameters) }

  app.get(
    '/changes',
    {
      ...inputs,
      config: { waits: true },
      schema: {
        operationId: 'listChanges',
        summary: 'List the changes of issues since a cursor',
        description: `${description} Without \`since\` the response has the present cursor and no changes.`,
        tags: ['Issues'],
        querystring: ChangesQuery,
        response: {
          200: {
            description: 'The changes.',
            content: { 'application/json': { schema: ChangesList }, 'application/x-ndjson': { schema: FeatureLine } },
          },
          ...failsWith(410, 422),
        },
      },
    },
    async (request, reply) => {
      const { query, viewer } = request
      const fields = parseFields(query)
      const { filter, since } = await parseSource(request, query)
      const limit = Math.min(Math.max(query.per_page ?? 100, 1), CHANGES_MAX)
      const page = since
        ? await readWaiting(request, reply, { filter, viewer, since, limit }, (query.wait ?? 0) * 1_000)
        : { changes: [], next: await findChangesPosition(db.reader, filter.area), hasMore: false }
      const next_since = encodePosition(page.next)
      void reply.header(CHANGES_CURSOR, next_since)
      if (query.format === 'geojsonl') return sendLines(request, reply, page)
      const language = negotiateLanguage(request)
      const present = presenter(language, fields, query.tiles)
      const body = { changes: page.changes.map(present), next_since, has_more: page.hasMore }
      return (
        reply
          .headers({ 'content-type': JSON_TYPE, 'content-language': language })
          // Sparse issues lack required fields of the schema, so its serializer cannot write them.
          .send((fields ? JSON.stringify(body) : serializeJson(reply, body)) as never)
      )
    },
  )

  app.get(
    '/changes/stream',
    {
      ...inputs,
      compress: false,
      config: { waits: true },
      schema: {
        operationId: 'streamChanges',
        summary: 'Stream the changes of issues',
        description: `Server-sent events: \`start\` comes first, \`change\` has an item of \`GET /changes\`, and the last one of several changes has their cursor as its \`id\`. \`reset\` says that changes may be missing, so that the list must be read again; the stream ends with it. ${description} Without \`since\` and \`Last-Event-ID\` the stream begins now. It ends after some time, with credentials after five minutes at most; a client such as \`EventSource\` connects again with \`Last-Event-ID\`, and gets what it has missed.`,
        tags: ['Issues'],
        querystring: StreamQuery,
        response: {
          200: { description: 'The events.', content: { 'text/event-stream': { schema: Type.Unsafe<Readable>(ChangeItem) } } },
          ...failsWith(422),
        },
      },
    },
    async (request, reply) => {
      const { headers, query, viewer } = request
      const fields = parseFields(query)
      const lastId = headers['last-event-id']
      const since = typeof lastId === 'string' && lastId !== '' ? lastId : query.since
      const source = await parseSource(request, since === undefined ? query : { ...query, since })
      void reply.headers({
        'content-type': STREAM_TYPE,
        'cache-control': viewer ? 'private, no-store' : 'no-store',
        'x-accel-buffering': 'no',
      })
      if (request.method === 'HEAD') return reply.send(Readable.from([]))
      const sent = whenSent(reply)
      await occupySlots(request, sent)
      const events = streamEvents(request, sent, source, presenter(negotiateLanguage(request), fields, query.tiles))
      reply.raw.setTimeout(STALLED_MS, () => reply.raw.destroy())
      return reply.send(Readable.from(events))
    },
  )

  async function parseSource(request: FastifyRequest, query: StreamQuery): Promise<ChangesSource> {
    const { filter } = await parseListQuery({ reader: db.reader, areas }, query, { page: 1, perPage: 1 }, request.viewer)
    return { filter, since: query.since === undefined ? undefined : parsePosition(query.since) }
  }

  /** A client that has many streams, or old cursors, waits for its own turns. */
  const read = (request: FastifyRequest, sent: Promise<void>, changes: ChangesRequest, reader: Queryable) => {
    const whenLeft = () => sent
    return turnOfClient(clientKey(request))(() => turn(() => readChanges(reader, changes), whenLeft), whenLeft)
  }

  /** Reads of anonymous clients that wait, by filter and position: several may wait for the same. */
  const reads = new Map<string, Promise<ChangesPage>>()
  async function readNews(
    request: FastifyRequest,
    sent: Promise<void>,
    changes: ChangesRequest,
    { news, cells }: { readonly news: News; readonly cells: AreaWatch['cells'] },
  ): Promise<ChangesPage> {
    const page = news === 'unread' ? undefined : pageOfPoll(news, changes, cells)
    if (page) return page
    const next = { ...changes, until_xid: news === 'unread' ? watch.polled_xid() : news.poll.position.xid }
    if (changes.viewer) return read(request, sent, next, db)
    const key = JSON.stringify({ ...next, since: { ...next.since, at: 0 } })
    const reading = reads.get(key) ?? turn(() => readChanges(db, next)).finally(() => reads.delete(key))
    reads.set(key, reading)
    return reading
  }

  async function occupySlots(request: FastifyRequest, sent: Promise<void>): Promise<void> {
    const client = clientKey(request)
    const network = networkKey(client)
    await acquireSlot(slotOfClient(client), sent)
    if (network !== undefined) await acquireSlot(slotOfNetwork(network), sent)
    await acquireSlot(slot, sent)
  }

  /** Returns the changes after a position, or waits until there are some. */
  async function readWaiting(
    request: FastifyRequest,
    reply: FastifyReply,
    changes: ChangesRequest,
    wait_ms: number,
  ): Promise<ChangesPage> {
    const sent = whenSent(reply)
    let page = await read(request, sent, changes, db.reader)
    if (wait_ms === 0 || page.changes.length > 0 || page.hasMore) return page
    await occupySlots(request, sent)
    const until = performance.now() + wait_ms
    const area = await watch.watch(changes.filter.area)
    void sent.then(() => area.end())
    try {
      while (page.changes.length === 0 && !page.hasMore) {
        const news = await area.next(until - performance.now())
        if (!news) break
        page = await readNews(request, sent, { ...changes, since: page.next }, { news, cells: area.cells })
      }
    } finally {
      area.end()
    }
    return page
  }

  /** Reads the next changes when the client has taken the last ones, so that a slow one needs no memory. */
  async function* streamEvents(
    request: FastifyRequest,
    sent: Promise<void>,
    { filter, since }: ChangesSource,
    present: (change: Change) => object,
  ): AsyncGenerator<string, void, undefined> {
    const { viewer } = request
    const { streamSecondsMax } = config
    const until = performance.now() + 1_000 * (viewer ? Math.min(streamSecondsMax, CREDENTIALS_MAX_S) : streamSecondsMax)
    const area = await watch.watch(filter.area)
    void sent.then(() => area.end())
    let position = since ?? (await findChangesPosition(db, filter.area))
    // Clients that were cut off together do not connect again together.
    yield `retry: ${1_000 + Math.floor(Math.random() * 4_000)}\nevent: start\ndata: {}\n${toId(position)}\n`
    for (let hasMore = false; !area.hasEnded() && performance.now() < until;) {
      const news: News | undefined = hasMore ? 'unread' : await area.next(Math.min(KEEP_ALIVE_MS, until - performance.now()))
      if (!news) {
        yield `: keep-alive\n\n`
        continue
      }
      const changes = { filter, viewer, since: position, limit: CHANGES_MAX }
      const page: ChangesPage | null = await readNews(request, sent, changes, { news, cells: area.cells }).catch(whenGone)
      if (!page) {
        // The client connects again, with the cells of a boundary that has changed.
        position = await findChangesPosition(db, filter.area)
        return yield `event: reset\ndata: {"reset":true}\n${toId(position)}\n`
      }
      position = page.next
      hasMore = page.hasMore
      const events = page.changes.map((change) => `event: change\ndata: ${JSON.stringify(present(change))}\n`)
      yield `${events.join('\n')}${toId(position)}\n`
    }
  }

  const presenter = (language: Language, fields: ReturnType<typeof parseFields>, zoom: number | undefined) => {
    return ({ issue, cells, ...change }: Change) => {
      const shown = issue && toIssue(issue, urls, language)
      const tiles = zoom === undefined ? {} : { tiles: tilesOfCells(cells, zoom) }
      return { ...change, ...tiles, issue: shown && fields ? pickFields([shown], fields)[0] : shown }
    }
  }

  async function sendLines(request: FastifyRequest, reply: FastifyReply, { changes, hasMore, next }: ChangesPage) {
    const records = await toRecords(
      db,
      changes.flatMap(({ issue }) => (issue ? [issue] : [])),
    )
    const features = new Map(records.map((record) => [record.id, toFeature(record, urls)]))
    const lines = changes.map(({ id, kind, at }) => {
      const feature = features.get(id) ?? { type: 'Feature', id, geometry: null, properties: { id } }
      return `${JSON.stringify({ ...feature, properties: { ...feature.properties, change: kind, changed_at: at } })}\n`
    })
    const parameters = queryParameters(request)
    parameters.set('since', encodePosition(next))
    if (hasMore) void reply.header('link', `<${urls.at(withParameters(`${apiPrefix}/changes`, parameters))}>; rel="next"`)
    return reply.type(LINES_TYPE).send(lines.join(''))
  }
}

const toId = (position: ChangesPosition) => `id: ${encodePosition(position)}\n`

/** Returns null for a cursor that is no longer good. */
function whenGone(error: unknown): null {
  if (error instanceof Problem && error.status === 410) return null
  throw error
}
