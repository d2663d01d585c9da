import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { hash } from 'node:crypto'
import type { OutgoingHttpHeaders } from 'node:http'
import { Readable } from 'node:stream'
import Type from 'typebox'

import type { Queryable } from '../../database/database.ts'
import { Problem, problems } from '../../errors/problems.ts'
import { dropOverriddenParameters } from '../../geo/area-query.ts'
import { appendVary } from '../../http/caching/conditional.ts'
import { JSON_TYPE, LINES_TYPE, negotiateLanguage, serializeJson } from '../../http/formats/content-types.ts'
import { queryParameters, withParameters } from '../../http/lists/pagination.ts'
import { limitConcurrency, limitConcurrencyByClient, limitConcurrencyByKey } from '../../http/request/request-limit.ts'
import { clientKey } from '../../http/request/client-address.ts'
import { whenSent } from '../../http/request/hooks.ts'
import { apiPrefix } from '../../http/request/urls.ts'
import { failsWith } from '../../http/schema/fields.ts'
import { withInputTransform } from '../../http/validation/input-transforms.ts'
import { text } from '../../locales/texts.ts'
import type { Services } from '../../services.ts'
import type { IssueFilter } from '../list/filter.ts'
import { parseListQuery } from '../list/read-list.ts'
import {
  CHANGES_CURSOR,
  type ChangesPosition,
  encodeChangesCursor,
  findChangesPosition,
  parseChangesCursor,
} from '../../issue-lifecycle/changes-cursor.ts'
import { pageOfPoll, positionIn } from './poll.ts'
import { eventsOf, type Form, linesOf, toForm, toId } from './present.ts'
import { type ChangesPage, type ChangesRequest, readChanges } from './queries.ts'
import { ChangesList, CHANGES_MAX, ChangesQuery, StreamQuery, ChangeItem, FeatureLine } from './schema.ts'
import { type AreaWatch, createChangeWatch, type News } from './watch.ts'

const KEEP_ALIVE_MS = 20_000
/** A client that takes nothing keeps so many changes in the memory until it is cut off. */
const STREAM_PAGE = 100
/** A client with credentials connects again after this time, so that they are checked again. */
const CREDENTIALS_MAX_S = 300
/** A client that takes nothing for this time, or twice as long, is cut off; it goes on from its last cursor. */
const STALLED_MS = 30_000
/** Clients of one address that wait, of one /48 network of IPv6, and of all. A waiting client holds no connection of the database. */
const WAITING = { ofClient: { concurrency: 60, networkConcurrency: 600 }, ofAll: 10_000 }
/** Statements at a time for clients that wait, so that a change in a city with many of them leaves connections to others. */
const READS = { concurrency: 4, queueMax: WAITING.ofAll, waitMaxMs: 60_000 }

const description =
  'The area and the filters are those of `GET /issues`. A cursor is good for 30 days; then, after a restore of the database and after a change of the boundary, the response is 410 with `reset: true`. Names and points of people are no changes of an issue.'

interface Stream {
  readonly filter: IssueFilter
  readonly area: AreaWatch
  readonly sent: Promise<void>
  readonly write: (events: string | Buffer) => Promise<void>
  readonly form: Form
  /** The time of `performance.now()` at which it ends. */
  readonly until: number
}

export const changesRoutes: FastifyPluginAsyncTypebox<Services> = async (app, { areas, config, db, urls }) => {
  const watch = createChangeWatch(db, app.log)
  app.addHook('preClose', async () => watch.close())
  const slotOfClient = limitConcurrencyByClient({
    ...WAITING.ofClient,
    queueMax: 0,
    waitMaxMs: 0,
    refusal: () => problems.rateLimited(60),
  })
  const slot = limitConcurrency({ concurrency: WAITING.ofAll, queueMax: 0, waitMaxMs: 0 })
  const turn = limitConcurrency(READS)
  const turnOfClient = limitConcurrencyByKey({ ...READS, concurrency: 1 })
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
      const form = toForm(request, query, urls)
      for (const name of ['fields[issue]', 'tiles'] as const) {
        if (query.format === 'geojsonl' && query[name] !== undefined)
          throw problems.invalid({ [name]: text('excluded_by', { name: 'format=geojsonl' }) })
      }
      const { filter, since } = await parseSource(request, query)
      const limit = Math.min(Math.max(query.per_page ?? 100, 1), CHANGES_MAX)
      const page = since
        ? await readWaiting(request, reply, { filter, viewer, since, limit }, (query.wait ?? 0) * 1_000)
        : { changes: [], next: await findChangesPosition(db.reader, filter.area), hasMore: false }
      const next_since = encodeChangesCursor(page.next)
      void reply.header(CHANGES_CURSOR, next_since)
      if (query.format === 'geojsonl') return sendLines(request, reply, page)
      const body = { changes: page.changes.map(form.present), next_since, has_more: page.hasMore }
      void reply.headers({ 'content-type': JSON_TYPE, 'content-language': negotiateLanguage(request) })
      // Sparse issues lack required fields of the schema, so its serializer cannot write them.
      return reply.send((query['fields[issue]'] ? JSON.stringify(body) : serializeJson(reply, body)) as never)
    },
  )

  app.get(
    '/changes/stream',
    {
      ...inputs,
      compress: false,
      helmet: false,
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
      const { headers, query } = request
      const form = toForm(request, query, urls)
      const lastId = headers['last-event-id']
      const cursor = typeof lastId === 'string' && lastId !== '' ? lastId : query.since
      const { filter, since } = await parseSource(request, cursor === undefined ? query : { ...query, since: cursor })
      void reply.headers({
        'content-type': 'text/event-stream; charset=utf-8',
        'cache-control': request.viewer ? 'private, no-store' : 'no-store',
        'x-accel-buffering': 'no',
        'x-content-type-options': 'nosniff',
      })
      if (request.method === 'HEAD') return reply.send(Readable.from([]))
      const sent = whenSent(reply)
      await occupySlots(request, sent)
      const area = await watch.watch(filter.area, since === undefined)
      void sent.then(() => area.end())
      // A boundary that has changed since its cells were read makes the position another log's.
      const position = since ?? { ...(await findChangesPosition(db, filter.area)), log: area.log }
      appendVary(request, reply)
      const { streamSecondsMax } = config
      const until = performance.now() + 1_000 * (request.viewer ? Math.min(streamSecondsMax, CREDENTIALS_MAX_S) : streamSecondsMax)
      const stream = { filter, area, sent, form, until, write: beginEvents(reply) }
      // The handler ends before the stream, so that its values take no memory.
      sendEvents(request, position, stream)
        .catch((error: unknown) => request.log.warn({ err: error }, 'a stream of changes has ended'))
        .finally(() => reply.raw.end())
    },
  )

  async function parseSource(request: FastifyRequest, query: StreamQuery) {
    const { filter } = await parseListQuery({ reader: db.reader, areas }, query, { page: 1, perPage: 1 }, request.viewer)
    return { filter, since: query.since === undefined ? undefined : parseChangesCursor(query.since) }
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
    { area, sent }: Pick<Stream, 'area' | 'sent'>,
    changes: ChangesRequest,
    news: News,
  ): Promise<ChangesPage> {
    const page = news === 'unread' ? undefined : pageOfPoll(news, changes, area.cells)
    if (page) return page
    const until = news === 'unread' ? watch.polled() : news.poll.position
    if (changes.viewer) return read(request, sent, { ...changes, until }, db)
    const since = news === 'unread' ? changes.since : positionIn(news, changes.since)
    // The key has all of the cursor, so that a forged one shares no answer with a good one.
    const key = `${nameOf(changes.filter)} ${changes.limit} ${encodeChangesCursor(since)} ${until?.xid}`
    const reading = reads.get(key) ?? turn(() => readChanges(db, { ...changes, since, until })).finally(() => reads.delete(key))
    reads.set(key, reading)
    return reading
  }

  async function occupySlots(request: FastifyRequest, sent: Promise<void>): Promise<void> {
    await slotOfClient(request, sent)
    await slot.acquire(sent)
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
    while (page.changes.length === 0 && !page.hasMore) {
      if (!(await area.hasNews(until - performance.now()))) break
      page = await readNews(request, { area, sent }, { ...changes, since: page.next }, area.take())
    }
    return page
  }

  async function sendEvents(request: FastifyRequest, since: ChangesPosition, stream: Stream): Promise<void> {
    const { area, until, write } = stream
    // Clients that were cut off together do not connect again together.
    await write(`retry: ${1_000 + Math.floor(Math.random() * 4_000)}\nevent: start\ndata: {}\n${toId(since)}\n`)
    let position: ChangesPosition | undefined = since
    while (position && isOpen(stream)) {
      if (await area.hasNews(Math.min(KEEP_ALIVE_MS, until - performance.now())))
        position = await sendNews(request, position, stream)
      else await write(`: keep-alive\n\n`)
    }
  }

  /**
   * Returns the position after the news, or undefined at the end of the stream. It reads the next changes when the client has taken the last ones, so that a slow
   * one needs little memory. It is a function of its own because one that waits keeps its last values: each stream would keep a whole poll.
   */
  async function sendNews(request: FastifyRequest, since: ChangesPosition, stream: Stream) {
    const { viewer } = request
    const { filter, area, sent, form, write } = stream
    let [position, news] = [since, area.take()]
    for (let hasMore = true; hasMore && isOpen(stream); news = 'unread') {
      const changes = { filter, viewer, since: position, limit: STREAM_PAGE }
      const page = await readNews(request, { area, sent }, changes, news).catch(whenGone)
      if (!page) {
        // The client connects again, with the cells of a boundary that has changed.
        await write(`event: reset\ndata: {"reset":true}\n${toId(await findChangesPosition(db, filter.area))}\n`)
        return undefined
      }
      ;({ next: position, hasMore } = page)
      await write(eventsOf(page, form))
    }
    return position
  }

  async function sendLines(request: FastifyRequest, reply: FastifyReply, page: ChangesPage) {
    const lines = await linesOf(db, page.changes, urls)
    const parameters = queryParameters(request)
    parameters.set('since', encodeChangesCursor(page.next))
    if (page.hasMore) void reply.header('link', `<${urls.at(withParameters(`${apiPrefix}/changes`, parameters))}>; rel="next"`)
    return reply.type(LINES_TYPE).send(lines)
  }
}

/** Begins a response of server-sent events. What it returns sends the next ones, and resolves when the client has taken them. */
function beginEvents(reply: FastifyReply): Stream['write'] {
  // A stream and its pipe would take as much memory as all else that a waiting client needs.
  const { raw } = reply.hijack()
  // The body ends with the connection: chunks would take a third more time for each client.
  raw.removeHeader('transfer-encoding')
  raw.writeHead(200, { ...(reply.getHeaders() as OutgoingHttpHeaders), connection: 'close' })
  raw.setTimeout(STALLED_MS, () => raw.destroy())
  return (events) => new Promise((resolve) => raw.write(events, () => resolve()))
}

const isOpen = ({ area, until }: Stream) => !area.hasEnded() && performance.now() < until

const names = new WeakMap<IssueFilter, string>()

/** Equal filters have one name. It is short, because thousands of streams ask for it with each poll. */
function nameOf(filter: IssueFilter): string {
  const name = names.get(filter) ?? hash('sha256', JSON.stringify(filter))
  names.set(filter, name)
  return name
}

/** Returns null for a cursor that is no longer good. */
function whenGone(error: unknown): null {
  if (error instanceof Problem && error.status === 410) return null
  throw error
}
