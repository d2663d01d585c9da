import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it, onTestFinished, vi } from 'vitest'

import { sql } from '../../../src/database/database.ts'
import { encodeChangesCursor, parseChangesCursor } from '../../../src/issue-lifecycle/changes-cursor.ts'
import { FAR_AWAY, GREEN } from '../../helpers/factories.ts'
import { useApp } from '../../helpers/use-app.ts'
import { waitForTransactions } from './committed.ts'

interface StreamEvent {
  readonly type: string
  readonly data: {
    readonly id: number
    readonly kind: string
    readonly tiles?: readonly string[]
    readonly issue: { readonly summary: string } | null
  }
  readonly lastId: string
}

const BOX = 'min_lat=41.2&min_lng=-73&max_lat=41.4&max_lng=-72.8'

describe('GET /changes/stream', () => {
  const app = useApp({ ownApp: true, env: { STREAM_SECONDS_MAX: '3600' } })

  /** Opens a stream, and returns its events as they arrive. */
  async function open(query = BOX, headers: Record<string, string> = {}) {
    if (!app.fastify.server.listening) await app.fastify.listen({ port: 0, host: '127.0.0.1' })
    const address = app.fastify.server.address() as { readonly port: number }
    const controller = new AbortController()
    onTestFinished(() => controller.abort())
    const response = await fetch(`http://127.0.0.1:${address.port}/api/v2/changes/stream?${query}`, {
      headers: { 'user-agent': 'fixpoint-tests', ...headers },
      signal: controller.signal,
    })
    if (response.status !== 200) throw new Error(await response.text())
    const events: StreamEvent[] = []
    const state = { lastId: '' }
    const reading = (async () => {
      let text = ''
      for await (const part of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
        text += part
        for (let end = text.indexOf('\n\n'); end !== -1; end = text.indexOf('\n\n')) {
          const fields = new Map(
            text
              .slice(0, end)
              .split('\n')
              .map((line) => line.split(/: (.*)/s) as [string, string]),
          )
          text = text.slice(end + 2)
          state.lastId = fields.get('id') ?? state.lastId
          const data = fields.get('data')
          if (data !== undefined && data !== '{}')
            events.push({ type: fields.get('event') ?? '', data: JSON.parse(data) as StreamEvent['data'], lastId: state.lastId })
        }
      }
    })().catch(() => undefined)
    await waitFor(() => expect(state.lastId).not.toBe(''))
    return { response, events, state, close: () => controller.abort(), reading }
  }
  // A long transaction of another test on the same server holds the log of changes back.
  const waitFor = (check: () => void) => vi.waitFor(check, { timeout: 300_000, interval: 20 })

  it('sends the changes of the area as they happen, and none of others', async () => {
    const { create, db } = app
    const reporter = await create.user()
    const { response, events } = await open()

    await create.issue({ at: FAR_AWAY, reporter })
    const id = await create.issue({ at: GREEN, reporter, summary: 'Deep hole' })
    await waitFor(() => expect(events).toHaveLength(1))
    await db.execute(sql`UPDATE issues SET moderation_state = 'rejected' WHERE id = ${id}`)
    await waitFor(() => expect(events).toHaveLength(2))

    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
    expect(events.map(({ type, data }) => [type, data.id, data.kind, data.issue?.summary])).toEqual([
      ['change', id, 'created', 'Deep hole'],
      ['change', id, 'gone', undefined],
    ])
  })

  it('names the tiles of a zoom that show a moved issue now and showed it before', async () => {
    const { create, db } = app
    const id = await create.issue({ at: GREEN, reporter: await create.user() })
    await waitForTransactions(db)
    const { events } = await open(`${BOX}&tiles=12`)

    await db.execute(sql`UPDATE issues SET lng = lng + 0.1 WHERE id = ${id}`)
    await waitFor(() => expect(events).toHaveLength(1))

    const column = (lng: number) => Math.floor(((lng + 180) / 360) * 4_096)
    const columns = events[0]?.data.tiles?.map((tile) => Number(tile.split('/')[1]))
    expect(columns).toEqual(expect.arrayContaining([column(GREEN.lng), column(GREEN.lng + 0.1)]))
    const { body } = await app.as.anonymous.get(`/changes/stream?tiles=15`)
    expect(body).toEqual({ tiles: expect.stringContaining('14') })
  })

  it('sends a moved issue as `created` to the area that it enters, `gone` to the one that it leaves, and nothing to others', async () => {
    const { create, db } = app
    const id = await create.issue({ at: FAR_AWAY, reporter: await create.user() })
    await waitForTransactions(db)
    const around = ({ lng, lat }: typeof GREEN) =>
      `min_lat=${lat - 0.01}&max_lat=${lat + 0.01}&min_lng=${lng - 0.01}&max_lng=${lng + 0.01}`
    const [entered, left, other] = [
      await open(around(GREEN)),
      await open(around(FAR_AWAY)),
      await open(around({ lng: GREEN.lng + 1, lat: GREEN.lat })),
    ]

    await db.execute(sql`UPDATE issues SET lng = ${GREEN.lng}, lat = ${GREEN.lat} WHERE id = ${id}`)
    await waitFor(() => expect([entered?.events.length, left?.events.length]).toEqual([1, 1]))

    expect([entered, left, other].map((stream) => stream?.events.map(({ data }) => data.kind))).toEqual([['created'], ['gone'], []])
  })

  it('ends with `reset` when the boundary of its place changes', async () => {
    const { create, db } = app
    await create.place({ url_name: 'moved', around: GREEN, size: 0.01 })
    await waitForTransactions(db)
    const { events, reading } = await open('place_url=moved')

    await db.execute(sql`UPDATE places SET boundary = ST_Translate(boundary, 1, 0) WHERE url_name = 'moved'`)
    await reading

    expect(events.map(({ type }) => type)).toEqual(['reset'])
  })

  it('goes on after Last-Event-ID without a gap or a repetition', async () => {
    const { create, db } = app
    const reporter = await create.user()
    const first = await open()
    const before = await create.issue({ at: GREEN, reporter })
    await waitFor(() => expect(first.events.map(({ data }) => data.id)).toEqual([before]))
    first.close()
    const missed = await create.issue({ at: GREEN, reporter })
    await waitForTransactions(db)

    const second = await open(BOX, { 'last-event-id': first.state.lastId })
    await waitFor(() => expect(second.events).toHaveLength(1))
    const later = await create.issue({ at: GREEN, reporter })
    await waitFor(() => expect(second.events).toHaveLength(2))

    expect(second.events.map(({ data }) => data.id)).toEqual([missed, later])
  })

  it('ends with `reset` for a cursor that is no longer good; the next stream goes on from there', async () => {
    const { create, db } = app
    const reporter = await create.user()
    const first = await open()
    first.close()
    await db.execute(sql`SELECT begin_change_log()`)
    await waitForTransactions(db)

    const second = await open(BOX, { 'last-event-id': first.state.lastId })
    await second.reading
    const third = await open(BOX, { 'last-event-id': second.state.lastId })
    const id = await create.issue({ at: GREEN, reporter })
    await waitFor(() => expect(third.events).toHaveLength(1))

    expect([...second.events, ...third.events].map(({ type, data }) => [type, data.id])).toEqual([
      ['reset', undefined],
      ['change', id],
    ])
  })

  it('sends all changes that a client has missed, page by page, then goes on', async () => {
    const { db } = app
    const first = await open()
    first.close()
    await db.execute(sql`
      INSERT INTO issues (summary, status, lng, lat) SELECT 'Issue ' || n, 'Open', ${GREEN.lng}, ${GREEN.lat} FROM generate_series(1, 2100) n`)
    await waitForTransactions(db)

    const { events } = await open(`${BOX}&fields[issue]=id`, { 'last-event-id': first.state.lastId })

    await waitFor(() => expect(events).toHaveLength(2_100))
    const id = await app.create.issue({ at: GREEN })
    await waitFor(() => expect(events.at(-1)?.data.id).toBe(id))
  })

  it('is not disturbed by old and forged cursors of others', async () => {
    const { create, db } = app
    await create.place({ url_name: 'shared', around: GREEN, size: 0.01 })
    await waitForTransactions(db)
    const query = 'place_url=shared'
    const first = await open(query)
    first.close()
    const position = parseChangesCursor(first.state.lastId)
    const at = (time: number) => open(query, { 'last-event-id': encodeChangesCursor({ ...position, at: time }) })

    const [future, old, ...others] = await Promise.all([
      at(position.at + 1e12),
      at(1),
      ...Array.from({ length: 8 }, () => open(query, { 'last-event-id': first.state.lastId })),
    ])
    await create.issue({ at: GREEN })

    await waitFor(() => expect(others.map(({ events }) => events.map(({ type }) => type))).toEqual(others.map(() => ['change'])))
    await waitFor(() => expect([future, old].map((stream) => stream?.events[0]?.type)).toEqual(['reset', 'reset']))
    for (const { state } of others) expect(parseChangesCursor(state.lastId).at).toBeLessThan(position.at + 3_600_000)
  })

  it('begins now: it tells nothing of what was committed before, while others follow the area', async () => {
    const { create, db } = app
    const id = await create.issue({ at: GREEN, reporter: await create.user() })
    await open()
    const streams: Awaited<ReturnType<typeof open>>[] = []
    for (let n = 0; n < 10; n++) {
      await db.execute(sql`UPDATE issues SET base_rating = base_rating + 1 WHERE id = ${id}`)
      await waitForTransactions(db)
      streams.push(await open())
    }
    const last = await create.issue({ at: GREEN })
    await waitFor(() => expect(streams.map(({ events }) => events.at(-1)?.data.id)).toEqual(streams.map(() => last)))

    // Each stream has the votes that came after it began.
    expect(streams.map(({ events }) => events.filter(({ data }) => data.id === id).length === 0)).toEqual(
      streams.map((_, index) => index === streams.length - 1),
    )
  })

  it('has at most `per_page` changes in a response that has waited', async () => {
    const { as, db } = app
    const { state, close } = await open()
    close()
    const waiting = as.anonymous.get(`/changes?${BOX}&fields[issue]=id&wait=30&per_page=2&since=${state.lastId}`)
    await pause(1_000)
    await db.execute(sql`
      INSERT INTO issues (summary, status, lng, lat) SELECT 'Issue', 'Open', ${GREEN.lng}, ${GREEN.lat} FROM generate_series(1, 5)`)

    expect((await waiting).body).toMatchObject({ changes: [{ kind: 'created' }, { kind: 'created' }], has_more: true })
  })

  it('answers HEAD without a body, and serves others meanwhile', async () => {
    const { response } = await open()
    const head = await fetch(response.url, { method: 'HEAD', headers: { 'user-agent': 'fixpoint-tests' } })

    expect([head.status, head.headers.get('content-type'), await head.text()]).toEqual([
      200,
      'text/event-stream; charset=utf-8',
      '',
    ])
    expect((await app.as.anonymous.get('/issues')).status).toBe(200)
  })

  it('refuses the sixty-first stream of a client with 429, and takes one again after another has ended', async () => {
    const streams = []
    for (let n = 0; n < 60; n++) streams.push(await open())

    const refused = await fetch(streams[0]?.response.url ?? '', { headers: { 'user-agent': 'fixpoint-tests' } })
    expect(refused.status).toBe(429)
    await refused.text()
    streams[0]?.close()

    await vi.waitFor(() => open(), 60_000)
  })

  it('ends when the process stops', async () => {
    const { reading } = await vi.waitFor(() => open(), 60_000)

    await app.fastify.close()

    await reading
  })
})
