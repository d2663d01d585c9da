import { describe, expect, it } from 'vitest'

import { sql } from '../../src/database/database.ts'
import type { WatchArea } from '../../src/watch-areas/schema.ts'
import { FAR_AWAY, GREEN, square } from '../helpers/factories.ts'
import { PUBLIC_URL, useApp } from '../helpers/use-app.ts'
import { createWriteClient } from './write-client.ts'

const app = useApp()

const ring = square(GREEN).coordinates[0] as number[][]

async function someone() {
  const person = await app.create.user()
  return { person, client: createWriteClient(app.as.user(person)) }
}

async function titles(token: string): Promise<string[] | number> {
  const { status, body } = await app.as.anonymous.get(`/issues?watcher_token=${token}`)
  return status === 200 ? (body as { issues: { summary: string }[] }).issues.map(({ summary }) => summary) : status
}

describe('POST /watchers', () => {
  it('stores a polygon with a hole unchanged, and its token is an area of lists', async () => {
    const { client } = await someone()
    await app.create.issue({ summary: 'In the hole', at: GREEN })
    await app.create.issue({ summary: 'Next to it', at: { lng: GREEN.lng + 0.05, lat: GREEN.lat } })
    const area = { type: 'Polygon', coordinates: [ring, square(GREEN, 0.01).coordinates[0]?.toReversed()] }

    const { status, headers, body } = await client.post('/watchers', { area, name: ' Around  the school ', frequency: 'daily' })

    const created = body as WatchArea
    const { id, watcher_token } = created
    expect(status).toBe(201)
    expect(headers['location']).toBe(`${PUBLIC_URL}/api/v2/watchers/${id}`)
    expect(created).toEqual({
      ...{ id, watcher_token, name: 'Around the school', kind: 'polygon', area, area_simplified: false },
      ...{ circle: null, box: null, place_url: null, frequency: 'daily', about: 'all', locale: 'en' },
      created_at: expect.stringMatching(/Z$/),
      updated_at: created.created_at,
      url: `${PUBLIC_URL}/api/v2/watchers/${id}`,
      issues_url: `${PUBLIC_URL}/api/v2/issues?watcher_token=${watcher_token}`,
      atom_url: `${PUBLIC_URL}/feeds/issues.atom?watcher_token=${watcher_token}`,
      geojson_url: `${PUBLIC_URL}/feeds/issues.geojson?watcher_token=${watcher_token}`,
    })
    expect(watcher_token).toMatch(/^[\w-]{43}$/)
    expect(await titles(watcher_token)).toEqual(['Next to it'])
    expect((await client.get(`/watchers/${id}`)).body).toEqual(created)
  })

  it('stores a circle, a box and a place, by JSON and by a form, and returns the requested form', async () => {
    const { client } = await someone()
    await app.create.place({ url_name: 'here' })
    await app.create.issue({ summary: 'Here', at: GREEN })
    await app.create.issue({ summary: 'There', at: FAR_AWAY })
    const corners = { min_lat: 41, min_lng: -73, max_lat: 42, max_lng: -72 }
    const made = [
      await client.post('/watchers', { ...GREEN, radius: 500 }),
      await client.post('/watchers', `lat=${GREEN.lat}&lng=${GREEN.lng}&radius=500&about=new`, FORM),
      await client.post('/watchers', corners),
      await client.post('/watchers', { place_url: 'here' }, { 'accept-language': 'fr' }),
      await client.post('/watchers', `area=${encodeURIComponent(JSON.stringify(square(GREEN)))}`, FORM),
    ].map(({ body }) => body as WatchArea)

    expect(
      made.map(({ kind, circle, box, place_url, about, locale }) => ({ kind, circle, box, place_url, about, locale })),
    ).toEqual([
      { kind: 'circle', circle: { ...GREEN, radius: 500 }, box: null, place_url: null, about: 'all', locale: 'en' },
      { kind: 'circle', circle: { ...GREEN, radius: 500 }, box: null, place_url: null, about: 'new', locale: 'en' },
      { kind: 'box', circle: null, box: corners, place_url: null, about: 'all', locale: 'en' },
      { kind: 'place', circle: null, box: null, place_url: 'here', about: 'all', locale: 'fr' },
      { kind: 'polygon', circle: null, box: null, place_url: null, about: 'all', locale: 'en' },
    ])
    expect(await Promise.all(made.map(({ watcher_token }) => titles(watcher_token)))).toEqual(made.map(() => ['Here']))
  })

  it('uses the current boundary of a place', async () => {
    const { client } = await someone()
    const { id } = await app.create.place({ url_name: 'here' })
    await app.create.issue({ summary: 'There', at: FAR_AWAY })
    const { watcher_token } = (await client.post('/watchers', { place_url: 'here' })).body as WatchArea
    expect(await titles(watcher_token)).toEqual([])

    const moved = JSON.stringify({ type: 'MultiPolygon', coordinates: [square(FAR_AWAY).coordinates] })
    await app.db.execute(
      sql`UPDATE places SET boundary = ST_SetSRID(ST_GeomFromGeoJSON(${moved}), 4326) WHERE id = ${id} RETURNING id`,
    )

    expect(await titles(watcher_token)).toEqual(['There'])
  })

  it('returns a box across the antimeridian in two parts', async () => {
    const { client } = await someone()
    await app.create.issue({ summary: 'East', at: { lng: -179.995, lat: 0 } })
    const box = { min_lat: -1, min_lng: 179, max_lat: 1, max_lng: -179 }

    const boxed = (await client.post('/watchers', box)).body as WatchArea
    const round = (await client.post('/watchers', { lat: 0, lng: 179.999, radius: 1_000 })).body as WatchArea

    expect([boxed.box, boxed.area.type, boxed.area.coordinates.length]).toEqual([box, 'MultiPolygon', 2])
    expect([round.area.type, round.area.coordinates.length]).toEqual(['MultiPolygon', 2])
    expect(await titles(boxed.watcher_token)).toEqual(['East'])
    expect(await titles(round.watcher_token)).toEqual(['East'])
  })

  it('accepts rings in both directions, returns them as in RFC 7946, and drops altitudes', async () => {
    const { client } = await someone()
    await app.create.issue({ summary: 'Here', at: GREEN })
    const hole = square({ lng: GREEN.lng + 0.05, lat: GREEN.lat }, 0.01).coordinates[0] as number[][]
    await app.create.issue({ summary: 'In the hole', at: { lng: GREEN.lng + 0.05, lat: GREEN.lat } })
    const clockwise = { type: 'Polygon', coordinates: [ring.toReversed().map((position) => [...position, 120]), hole] }

    const created = (await client.post('/watchers', { area: clockwise })).body as WatchArea
    const listed = (await client.get('/watchers')).body as { watchers: WatchArea[] }

    expect(created.area).toEqual({ type: 'Polygon', coordinates: [ring, hole.toReversed()] })
    expect(listed.watchers).toEqual([created])
    expect(await titles(created.watcher_token)).toEqual(['Here'])
  })

  it('allows at most fifty per user, also for concurrent requests', async () => {
    const { client, person } = await someone()
    const rows = Array.from({ length: 45 }, (_, n) => ({ user_id: person.id, watcher_token: `full-${n}` }))
    for (const { watcher_token } of rows) await app.create.watchArea({ of: person, token: watcher_token })

    const answers = await Promise.all(Array.from({ length: 12 }, () => client.post('/watchers', { ...GREEN, radius: 50 })))

    expect(answers.map(({ status }) => status).sort()).toEqual([...Array<number>(5).fill(201), ...Array<number>(7).fill(422)])
    expect(answers.find(({ status }) => status === 422)?.body).toEqual({
      base: 'you already watch the maximum of 50 areas: delete one that you no longer need',
    })
    const other = await someone()
    expect((await other.client.post('/watchers', { ...GREEN, radius: 50 })).status).toBe(201)
  })
})

const FORM = { 'content-type': 'application/x-www-form-urlencoded' }
