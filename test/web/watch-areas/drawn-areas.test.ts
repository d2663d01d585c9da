import { describe, expect, it } from 'vitest'

import { sql } from '../../../src/database/database.ts'
import { createBrowser } from '../../helpers/browser.ts'
import { FAR_AWAY, GREEN, square, type TestUser } from '../../helpers/factories.ts'
import { createLoggedInBrowser } from '../../helpers/logged-in-browser.ts'
import { queryRows } from '../../helpers/query-rows.ts'
import { useApp } from '../../helpers/use-app.ts'

const app = useApp()
const logIn = (person: TestUser) => createLoggedInBrowser(app, person)
const drawn = JSON.stringify(square(GREEN, 0.01))
const smaller = JSON.stringify(square(GREEN, 0.005))
const settings = { frequency: 'daily', about: 'all', name: '' }

const areas = () =>
  queryRows<{ id: number; kind: string; frequency: string; name: string | null; positions: number; updated_at: string }>(
    app.db,
    sql`SELECT w.id, w.kind, w.frequency, w.name, ST_NPoints(w.area) AS positions, w.updated_at FROM watch_areas w ORDER BY w.id`,
  )
const storedShape = () => queryRows<{ shape: string }>(app.db, sql`SELECT ST_AsText(w.area) AS shape FROM watch_areas w`)

/** A ring of four sides whose edges cross. */
const bowTie = JSON.stringify({ type: 'Polygon', coordinates: [[[0, 0], [1, 1], [1, 0], [0, 1], [0, 0]]] }) // prettier-ignore
const longRing = Array.from({ length: 10_001 }, (_, n) => [Math.cos(n / 1_600), Math.sin(n / 1_600)])

describe('POST /watch/forecast', () => {
  it('shows what happened in a drawn area and what a daily mail would have held, without an account', async () => {
    for (const day of [1, 2, 3, 4, 5, 6, 7, 8]) {
      const created_at = new Date(Date.now() - day * 86_400_000).toISOString()
      for (const at of [GREEN, GREEN, FAR_AWAY]) await app.create.issue({ at, created_at })
    }

    const { status, visibleText, text, headers } = await createBrowser(app.fastify).post('/watch/forecast', {
      area: drawn,
      ...settings,
    })

    expect([status, headers['cache-control']]).toEqual([200, 'private, no-store'])
    expect(visibleText).toContain('About 1 report and 0 updates a week were made here.')
    expect(visibleText).toMatch(/About [\d.]+ mails? a week/)
    expect(text).toContain('href="/login?return_to=%2Fwatch%3Farea%3D')
    expect(await areas()).toEqual([])
  })

  it.each([
    ['edges that cross', bowTie, /Crosses itself/],
    ['more than 10,000 positions', JSON.stringify({ type: 'Polygon', coordinates: [longRing] }), /10,?000/],
    ['no GeoJSON', 'around my house', /must be a shape with an outline/i],
  ])('names the field of an area with %s, by the rule of the API', async (_, area, message) => {
    const { text } = await createBrowser(app.fastify).post('/watch/forecast', { area, ...settings })
    const browser = await logIn(await app.create.user())
    const saved = await browser.post('/watch', { area, ...settings })
    const api = await app.as.anonymous.send('POST', '/api/v2/watchers/forecast', { body: { area } })

    expect(saved.status).toBe(422)
    expect(api.status).toBe(422)
    for (const page of [text, saved.text]) expect(/id="field-area-error">([^<]*)/.exec(page)?.[1]).toMatch(message)
    expect(await areas()).toEqual([])
  })

  it('asks for an area if there is none', async () => {
    const { visibleText } = await createBrowser(app.fastify).post('/watch/forecast', { ...settings, area: '', radius: '' })

    expect(visibleText).toContain('The form has errors.')
  })
})

describe('POST /watch with a drawn area', () => {
  it('stores the polygon, with a mail a day unless another frequency is chosen', async () => {
    const browser = await logIn(await app.create.user())

    const { status } = await browser.post('/watch', { area: drawn, lat: '', lng: '', radius: '', place_url: '', name: 'Green' })

    expect(status).toBe(303)
    expect(await areas()).toMatchObject([{ kind: 'polygon', frequency: 'daily', name: 'Green', positions: 5 }])
  })
})

describe('/account/watch-areas/:id', () => {
  it('shows the stored area in the form, and replaces it', async () => {
    const ada = await app.create.user()
    await app.create.watchArea({ of: ada, area: square(GREEN, 0.01) })
    const [area] = await areas()
    const browser = await logIn(ada)
    const path = `/account/watch-areas/${area?.id}`

    const { text } = await browser.get(path)
    const stored =
      /<textarea[^>]*name="area"[^>]*>([^<]*)</
        .exec(text)?.[1]
        ?.replaceAll(/&#34;|&quot;/g, '"')
        .trim() ?? ''
    expect(JSON.parse(stored)).toMatchObject({ type: 'Polygon', coordinates: [expect.any(Array)] })

    const before = await storedShape()
    expect((await browser.post(path, { ...settings, name: 'Same', area: stored })).status).toBe(303)
    expect(await storedShape()).toEqual(before)
    expect((await browser.post(path, { ...settings, area: smaller })).status).toBe(303)
    expect(await storedShape()).not.toEqual(before)
    expect(await areas()).toMatchObject([{ id: area?.id, name: null, frequency: 'daily', kind: 'polygon' }])
  })

  it('keeps the area if only the settings are sent, and can become a circle', async () => {
    const ada = await app.create.user()
    await app.create.watchArea({ of: ada })
    const [area] = await areas()
    const browser = await logIn(ada)
    const path = `/account/watch-areas/${area?.id}`

    await browser.post(path, { name: 'Home', frequency: 'weekly', about: 'new' })
    expect(await areas()).toMatchObject([{ kind: 'polygon', name: 'Home', frequency: 'weekly' }])
    await browser.post(path, { ...settings, lat: String(GREEN.lat), lng: String(GREEN.lng), radius: '750' })
    expect(await areas()).toMatchObject([{ kind: 'circle' }])
  })

  it('returns 422 with the input for an area that is not valid', async () => {
    const ada = await app.create.user()
    await app.create.watchArea({ of: ada })
    const [area] = await areas()

    const { status, text } = await (await logIn(ada)).post(`/account/watch-areas/${area?.id}`, { ...settings, area: bowTie })

    expect(status).toBe(422)
    expect(text).toContain('id="field-area-error"')
    expect(await areas()).toMatchObject([{ positions: 5 }])
  })

  it.each(['/account/watch-areas/x', '/account/watch-areas/99999999999'])('refuses an id that cannot exist: %s', async (path) => {
    const browser = await logIn(await app.create.user())

    for (const answer of [await browser.get(path), await browser.post(path, settings)]) expect(answer.status).toBeOneOf([404, 422])
  })
})

describe('GET /?watch_area', () => {
  it('shows the issues of the area to its owner, with the area as polygon and its feed without a token', async () => {
    const ada = await app.create.user()
    const token = await app.create.watchArea({ of: ada, area: square(GREEN, 0.01) })
    await app.create.issue({ summary: 'Here', at: GREEN })
    await app.create.issue({ summary: 'Elsewhere', at: FAR_AWAY })
    const [area] = await areas()
    const browser = await logIn(ada)

    const { status, text, visibleText, headers } = await browser.get(`/?watch_area=${area?.id}`)

    expect([status, headers['cache-control']]).toEqual([200, 'private, no-store'])
    expect(visibleText).toContain('1 issue')
    expect([text.includes('Here'), text.includes('Elsewhere'), text.includes(token)]).toEqual([true, false, false])
    expect(text).toContain('MultiPolygon')
    const { bounds } = JSON.parse((/data-map="([^"]*)"/.exec(text)?.[1] ?? '').replaceAll('&quot;', '"')) as { bounds: number[] }
    const { lng, lat } = GREEN
    for (const [n, edge] of [lng - 0.01, lat - 0.01, lng + 0.01, lat + 0.01].entries()) expect(bounds[n]).toBeCloseTo(edge, 5)
    const feed = /href="(\/feeds\/issues\.atom\?area=[^"]*)"/.exec(text)?.[1]?.replaceAll('&amp;', '&') ?? ''
    const answer = await app.as.anonymous.send('GET', feed)
    expect([answer.status, answer.text.includes('Here'), answer.text.includes('Elsewhere')]).toEqual([200, true, false])
    const drawing = await browser.get(`/map/drawing.svg?watch_area=${area?.id}`)
    expect(drawing.text).toContain('<path class="area"')
  })

  it.each(['x', '0', '-1', '1.5'])('is refused with what is allowed for the id %s', async (id) => {
    const { status, text } = await createBrowser(app.fastify).get(`/?watch_area=${id}`)

    expect(status).toBe(422)
    expect(text).toContain('Watch area: must be a whole number above 0')
  })

  it('is 404 for others, and asks anonymous visitors to log in', async () => {
    await app.create.watchArea({ of: await app.create.user() })
    const [area] = await areas()
    const path = `/?watch_area=${area?.id}`

    expect((await (await logIn(await app.create.user())).get(path)).status).toBe(404)
    const { status, headers } = await createBrowser(app.fastify).get(path)
    expect([status, headers['location']]).toEqual([303, `/login?return_to=%2F%3Fwatch_area%3D${area?.id}`])
    expect((await createBrowser(app.fastify).get(`/map/drawing.svg?watch_area=${area?.id}`)).status).toBe(404)
  })
})

describe('the token of a watch area', () => {
  /** Values of attributes that lead somewhere or style something, and the path of a redirection. */
  const placesIn = ({ text, headers }: { text: string; headers: Record<string, unknown> }) => [
    ...[...text.matchAll(/ (?:href|src|action|formaction|style|data-[\w-]+|content)="([^"]*)"/g)].map(([, value = '']) => value),
    ...[headers['location'], headers['link'], headers['refresh']].map(String),
  ]

  it('stands in no address, link or style of the pages of its owner', async () => {
    const ada = await app.create.user()
    await app.create.place({ url_name: 'new-haven' })
    const token = await app.create.watchArea({ of: ada })
    const browser = await logIn(ada)
    await browser.post('/watch', { place_url: 'new-haven', ...settings })
    const tokens = (await queryRows<{ token: string }>(app.db, sql`SELECT w.watcher_token AS token FROM watch_areas w`)).map(
      (row) => row.token,
    )
    const seen = new Set<string>()
    const waiting = ['/account/watch-areas', '/account', '/watch', '/']

    for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) {
      if (seen.has(path)) continue
      seen.add(path)
      const page = await browser.get(path)
      expect([path, placesIn(page).filter((place) => tokens.some((one) => place.includes(one)))]).toEqual([path, []])
      expect([path, tokens.some((one) => page.text.includes(one))]).toEqual([path, false])
      const links = [...page.text.matchAll(/<a [^>]*href="(\/[^"#]*)/g)].map(([, href = '']) => href.replaceAll('&amp;', '&'))
      waiting.push(...links.filter((href) => /^\/(?:$|\?|account|watch|places|users)/.test(href)))
    }

    expect(tokens).toContain(token)
    expect([...seen].some((path) => path.startsWith('/?watch_area='))).toBe(true)
    expect([...seen].some((path) => /^\/account\/watch-areas\/\d+$/.test(path))).toBe(true)
  })

  it('is shown to its owner as a text to copy, on a page that is not stored and sends no referrer', async () => {
    const ada = await app.create.user()
    const token = await app.create.watchArea({ of: ada })
    const [area] = await areas()
    const browser = await logIn(ada)

    const page = await browser.post(`/account/watch-areas/${area?.id}/addresses`)

    expect(page.status).toBe(200)
    expect(page.headers).toMatchObject({ 'cache-control': 'private, no-store', 'referrer-policy': 'no-referrer' })
    const values = [...page.text.matchAll(/<input id="address-\w+" readonly value="([^"]*)"/g)].map(([, value = '']) => value)
    expect(values).toHaveLength(3)
    expect(values.every((value) => value.endsWith(`?watcher_token=${token}`))).toBe(true)
    expect(placesIn(page).filter((place) => place.includes(token))).toEqual([])
  })
})
