import { describe, expect, it } from 'vitest'

import { sql } from '../../src/database/database.ts'
import type { WatchArea } from '../../src/watch-areas/schema.ts'
import { FAR_AWAY, GREEN, square } from '../helpers/factories.ts'
import { useApp } from '../helpers/use-app.ts'
import { createWriteClient } from './write-client.ts'
import { queryRows } from '../helpers/query-rows.ts'

const app = useApp()

const UNKNOWN = { watcher_token: 'is not the token of a watch area' }

async function someone() {
  const person = await app.create.user()
  return { person, client: createWriteClient(app.as.user(person)) }
}

async function watching(settings: object = {}) {
  const { person, client } = await someone()
  const { body } = await client.post('/watchers', { ...GREEN, radius: 500, ...settings })
  return { person, client, created: body as WatchArea }
}

const listOf = async (token: string) => {
  const { status, body } = await app.as.anonymous.get(`/issues?watcher_token=${token}`)
  return status === 200 ? (body as { issues: { summary: string }[] }).issues.map(({ summary }) => summary) : body
}

const stored = async (id: number) => {
  const [row] = await queryRows<{ next_digest_at: string | null; matches: number }>(
    app.db,
    sql`
    SELECT w.next_digest_at, (SELECT count(*)::integer FROM watch_matches m WHERE m.watch_area_id = w.id) AS matches
    FROM watch_areas w WHERE w.id = ${id}`,
  )
  return row
}

describe('your watch areas', () => {
  it('are listed oldest first, in pages, without those of other users', async () => {
    const { client, created } = await watching({ name: 'One' })
    await watching({ name: 'Of another user' })
    const second = (await client.post('/watchers', { area: square(FAR_AWAY), name: 'Two' })).body as WatchArea

    const { status, body } = await client.get('/watchers')
    const cut = (await client.get('/watchers?per_page=1&page=2')).body as { watchers: WatchArea[] }

    const pagination = { entries: 2, page: 1, per_page: 20, pages: 1 }
    const none = { next_page: null, next_page_url: null, previous_page: null, previous_page_url: null }
    expect([status, body]).toEqual([
      200,
      { metadata: { pagination: { ...pagination, ...none } }, watchers: [created, second], errors: {} },
    ])
    expect(cut.watchers).toEqual([second])
  })

  it('change only in the fields that are present', async () => {
    const { client, created } = await watching({ name: 'Before', frequency: 'instant', about: 'new', locale: 'es' })
    await app.create.issue({ summary: 'There', at: FAR_AWAY })
    const path = `/watchers/${created.id}`

    const named = (await client.put(path, { name: 'After' })).body as WatchArea
    expect(named).toEqual({ ...created, name: 'After', updated_at: named.updated_at })
    const moved = (await client.put(path, { area: square(FAR_AWAY), about: 'all' })).body as WatchArea
    expect(moved).toEqual({
      ...{ ...named, updated_at: moved.updated_at },
      ...{ kind: 'polygon', area: square(FAR_AWAY), circle: null, about: 'all' },
    })
    const unnamed = (await client.put(path, { name: null })).body as WatchArea
    expect([unnamed.name, unnamed.watcher_token]).toEqual([null, created.watcher_token])
    expect(await listOf(created.watcher_token)).toEqual(['There'])
  })

  it('refuse an incomplete form of an area', async () => {
    const { client, created } = await watching()

    const { status, body } = await client.put(`/watchers/${created.id}`, { radius: 900 })

    expect([status, body]).toEqual([422, { lat: 'is required together with radius', lng: 'is required together with radius' }])
  })

  it('get a new due time by solar time after a change of frequency or location', async () => {
    const { client, created } = await watching({ frequency: 'daily' })
    const path = `/watchers/${created.id}`
    const hour = async () => (await stored(created.id))?.next_digest_at?.slice(11, 16) ?? null

    // Seven o'clock there, 72.9279 degrees or 4 h 51 min 42.7 s west of Greenwich.
    expect(await hour()).toBe('11:51')
    await client.put(path, { name: 'The same hour' })
    expect(await hour()).toBe('11:51')
    await client.put(path, { min_lat: -1, max_lat: 1, min_lng: 179, max_lng: -179, frequency: 'weekly' })
    expect(await hour()).toBe('19:00')
    await client.put(path, { frequency: 'daily' })
    expect(await hour()).toBe('19:00')
    await client.put(path, { frequency: 'instant' })
    expect(await hour()).toBeNull()
  })

  it('drop stored matches when digests are turned off', async () => {
    const { client, person, created } = await watching({ frequency: 'daily' })
    await app.create.issue({ reporter: person })
    await app.db.execute(sql`
      WITH e AS (INSERT INTO events (type, subject_type, subject_id) SELECT 'issue.reported', 'issue', i.id FROM issues i RETURNING id)
      INSERT INTO watch_matches (watch_area_id, event_id) SELECT ${created.id}, e.id FROM e RETURNING event_id`)
    const path = `/watchers/${created.id}`

    await client.put(path, { frequency: 'weekly', name: 'Still' })
    expect((await stored(created.id))?.matches).toBe(1)
    await client.put(path, { frequency: 'never' })
    expect(await stored(created.id)).toEqual({ next_digest_at: null, matches: 0 })
  })

  it('move unsent immediate mails to their first digest', async () => {
    const { client, person, created } = await watching({ frequency: 'instant' })
    await app.create.issue({ reporter: person })
    await app.db.execute(sql`
      WITH e AS (INSERT INTO events (type, subject_type, subject_id) SELECT 'issue.reported', 'issue', i.id FROM issues i RETURNING id)
      INSERT INTO mails (kind, event_id, email_address_id, watch_area_id)
      SELECT 'watch', e.id, a.id, ${created.id} FROM e JOIN email_addresses a ON a.user_id = ${person.id} RETURNING event_id`)

    await client.put(`/watchers/${created.id}`, { frequency: 'weekly' })

    expect((await stored(created.id))?.matches).toBe(1)
    expect(await queryRows(app.db, sql`SELECT d.reply, d.failed_at IS NOT NULL AS is_given_up FROM mails d`)).toEqual([
      { reply: 'no longer wanted', is_given_up: true },
    ])
  })

  it('forget the unsubscribed frequency after a change of frequency', async () => {
    const { client, created } = await watching({ frequency: 'never' })
    await app.db.execute(sql`UPDATE watch_areas w SET frequency_before = 'weekly' WHERE w.id = ${created.id} RETURNING w.id`)
    const before = () => queryRows(app.db, sql`SELECT w.frequency_before FROM watch_areas w WHERE w.id = ${created.id}`)
    await client.put(`/watchers/${created.id}`, { name: 'Still' })
    const stored = await before()

    await client.put(`/watchers/${created.id}`, { frequency: 'daily' })

    expect([stored, await before()]).toEqual([[{ frequency_before: 'weekly' }], [{ frequency_before: null }]])
  })

  it('get a new token, and the previous one is unknown', async () => {
    const { client, created } = await watching()
    await app.create.issue({ summary: 'Here', at: GREEN })

    const { status, body } = await client.post(`/watchers/${created.id}/token`)

    const { watcher_token } = body as WatchArea
    expect(status).toBe(201)
    expect(watcher_token).not.toBe(created.watcher_token)
    expect(await listOf(watcher_token)).toEqual(['Here'])
    expect(await listOf(created.watcher_token)).toEqual(UNKNOWN)
    expect(await listOf('never-was')).toEqual(UNKNOWN)
  })

  it('are deleted with their token', async () => {
    const { client, created } = await watching()

    expect((await client.delete(`/watchers/${created.id}`)).status).toBe(204)

    expect(await listOf(created.watcher_token)).toEqual(UNKNOWN)
    expect((await client.get(`/watchers/${created.id}`)).status).toBe(404)
    expect((await client.delete(`/watchers/${created.id}`)).status).toBe(404)
  })

  it('return the same 404 to other users as areas that do not exist', async () => {
    const { created } = await watching()
    const { client } = await someone()
    const ask = async (id: number) =>
      Promise.all([
        client.get(`/watchers/${id}`),
        client.put(`/watchers/${id}`, { name: 'Mine' }),
        client.put(`/watchers/${id}`, { place_url: 'atlantis' }),
        client.post(`/watchers/${id}/token`),
        client.delete(`/watchers/${id}`),
      ])

    const answers = await ask(created.id)

    expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404])
    const messages = (list: typeof answers) => list.map(({ body }) => (body as { message: string }).message)
    expect(messages(answers)).toEqual(messages(await ask(2_000_000_000)))
    expect(await listOf(created.watcher_token)).toEqual([])
  })

  it('are created once per Idempotency-Key, with the same answer', async () => {
    const { client } = await someone()
    const make = () => client.post('/watchers', { ...GREEN, radius: 500 }, { 'idempotency-key': 'one' })

    const [first, again] = [await make(), await make()]

    expect([first.status, again.status]).toEqual([201, 201])
    expect(again.body).toEqual(first.body)
    expect(await queryRows(app.db, sql`SELECT w.id FROM watch_areas w`)).toHaveLength(1)
  })

  it('simplify a place with many corners more in the list than alone', async () => {
    const { client } = await someone()
    const corners = Array.from({ length: 1_500 }, (_, n) => {
      const angle = (2 * Math.PI * n) / 1_500
      return [GREEN.lng + 0.1 * Math.cos(angle), GREEN.lat + 0.1 * Math.sin(angle)]
    })
    const ring = [...corners, corners[0] as number[]]
    await app.create.place({ url_name: 'round', boundary: { type: 'Polygon', coordinates: [ring] } })
    const alone = (await client.post('/watchers', { place_url: 'round' })).body as WatchArea

    const [listed] = ((await client.get('/watchers')).body as { watchers: WatchArea[] }).watchers

    const lengths = [alone, listed].map((one) => (one!.area.coordinates[0] as unknown[]).length)
    expect([alone.area_simplified, listed?.area_simplified, lengths[0]]).toEqual([false, true, 1_501])
    expect(lengths[1]).toBeLessThan(200)
  })

  it('show a shape with many spikes as its hull in the list', async () => {
    const { client } = await someone()
    const corners = Array.from({ length: 1_200 }, (_, n) => {
      const [angle, radius] = [(2 * Math.PI * n) / 1_200, n % 2 === 0 ? 0.1 : 0.08]
      return [GREEN.lng + radius * Math.cos(angle), GREEN.lat + radius * Math.sin(angle)]
    })
    const star = { type: 'Polygon', coordinates: [[...corners, corners[0]]] }
    const alone = (await client.post('/watchers', { area: star })).body as WatchArea

    const [listed] = ((await client.get('/watchers')).body as { watchers: WatchArea[] }).watchers

    expect([alone.area_simplified, listed?.area_simplified]).toEqual([false, true])
    expect((alone.area.coordinates[0] as unknown[]).length).toBe(1_201)
    expect((listed!.area.coordinates[0] as unknown[]).length).toBeLessThanOrEqual(601)
  })

  it('have single-line names', async () => {
    const { created } = await watching({ name: ' My\u0001 street\r\n\u007f ' })

    expect(created.name).toBe('My street')
  })
})
