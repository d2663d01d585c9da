import { describe, expect, it } from 'vitest'

import { sql } from '../../../src/database/database.ts'
import { createBrowser, formKeyIn } from '../../helpers/browser.ts'
import { FAR_AWAY, GREEN, type TestUser } from '../../helpers/factories.ts'
import { createLoggedInBrowser } from '../../helpers/logged-in-browser.ts'
import { useApp } from '../../helpers/use-app.ts'
import { queryRows } from '../../helpers/query-rows.ts'

const app = useApp()

const around = `lat=${GREEN.lat}&lng=${GREEN.lng}`
const logIn = (person: TestUser) => createLoggedInBrowser(app, person)
const areas = () =>
  queryRows<{
    id: number
    name: string | null
    kind: string
    frequency: string
    about: string
    radius_m: number | null
    token: string
  }>(
    app.db,
    sql`
    SELECT w.id, w.name, w.kind, w.frequency, w.about, w.radius_m, w.watcher_token AS token FROM watch_areas w ORDER BY w.id`,
  )

describe('GET and POST /watch', () => {
  it('explains how to choose an area if there is none', async () => {
    const { status, visibleText, text } = await createBrowser(app.fastify).get('/watch')

    expect(status).toBe(200)
    expect(visibleText).toContain('Enter the area as numbers or a copied shape.')
    expect(text).toContain('href="/places"')
    expect(text).toContain('<option value="daily" selected>')
  })

  it('shows the expected number of mails and a login link that returns to the page', async () => {
    await app.create.place({ name: 'New Haven', url_name: 'new-haven' })

    const { status, visibleText, text } = await createBrowser(app.fastify).get('/watch?place_url=new-haven&frequency=weekly')

    expect(status).toBe(200)
    expect(visibleText).toContain('Watch New Haven')
    expect(visibleText).toContain('About 0 reports and 0 updates a week were made here.')
    expect(visibleText).toMatch(/About 0 mails a week, 0 in most weeks, based on the last 90 days\./)
    expect(text).toContain('<path class="outline"')
    expect(text).toContain('href="/login?return_to=%2Fwatch%3Fplace_url%3Dnew-haven%26frequency%3Dweekly"')
    expect(text).not.toContain('formmethod')
  })

  it.each([
    ['a place', 'place_url=new-haven', 'Issues in New Haven'],
    ['a circle', `${around}&radius=1000`, `Issues within 0.6 miles of ${GREEN.lat}, ${GREEN.lng}`],
  ])('links to the feeds of exactly %s', async (_, area, title) => {
    await app.create.place({ name: 'New Haven', url_name: 'new-haven' })
    await app.create.issue({ summary: 'Here', at: GREEN })
    await app.create.issue({ summary: 'Elsewhere', at: FAR_AWAY })
    const parameters = Object.fromEntries(new URLSearchParams(area))

    for (const browser of [createBrowser(app.fastify), await logIn(await app.create.user())]) {
      const { text, visibleText } = await browser.get(`/watch?${area}`)

      const found = /<link rel="alternate" type="application\/atom\+xml" title="([^"]*)" href="([^"]*)">/.exec(text)?.slice(1)
      const links = [...text.matchAll(/href="([^"]*)">(?:feed|open data)</g)].map(([, href = '']) => href)
      const [atom = '', data = ''] = links.map((href) => href.replaceAll('&amp;', '&'))
      expect(visibleText).toContain('Follow it without an account: feed · open data')
      expect(found).toEqual([title, links[0]])
      const { pathname, searchParams } = new URL(atom, 'http://relative.invalid')
      expect([pathname, Object.fromEntries(searchParams)]).toEqual(['/feeds/issues.atom', parameters])
      const answer = await app.as.anonymous.send('GET', atom)
      expect([answer.status, answer.text.includes('Here'), answer.text.includes('Elsewhere')]).toEqual([200, true, false])
      // The page of data has the place, or the box around a circle or a shape.
      expect(data).toMatch(/^\/data\?(?:place_url=new-haven|min_lng=[-\d.]+&min_lat=[-\d.]+&max_lng=[-\d.]+&max_lat=[-\d.]+)$/)
      expect((await browser.get(data)).visibleText).toContain('1 issue')
    }
  })

  it('draws the newest issues, and says so if there are more', async () => {
    await app.db.execute(sql`
      INSERT INTO issues (summary, lng, lat) SELECT 'Hole ' || n, ${GREEN.lng}, ${GREEN.lat} FROM generate_series(1, 1001) n`)

    const { text } = await createBrowser(app.fastify).get(`/watch?${around}&radius=1000`)

    expect(text).toMatch(/aria-label="Map of [^"]* with the newest 1,000 issues as coloured dots"/)
  })

  it('shows no feeds without a valid area', async () => {
    for (const path of ['/watch', '/watch?place_url=atlantis'])
      expect((await createBrowser(app.fastify).get(path)).text).not.toContain('/feeds/')
  })

  it('creates one watch area for a circle, even if the form is sent twice', async () => {
    const browser = await logIn(await app.create.user())
    const form_key = formKeyIn(await browser.get(`/watch?${around}&radius=1000&frequency=daily`))
    const fields = {
      lat: String(GREEN.lat),
      lng: String(GREEN.lng),
      radius: '1000',
      frequency: 'daily',
      about: 'new',
      name: 'Home',
      form_key,
    }

    const [first, second] = [await browser.post('/watch', fields), await browser.post('/watch', fields)]

    const to = '/account/watch-areas?done=watched'
    expect([first, second].map(({ status, headers }) => [status, headers['location']])).toEqual([
      [303, to],
      [303, to],
    ])
    expect(await areas()).toMatchObject([{ name: 'Home', kind: 'circle', frequency: 'daily', about: 'new', radius_m: 1_000 }])
    expect((await browser.get(to)).visibleText).toContain('You now watch this area.')
  })

  it.each([
    ['a place that does not exist', '/watch?place_url=atlantis', 'The area of this link is not known here: choose another one.'],
    ['half a point', '/watch?lat=1', 'Longitude of the centre Is needed, too.'],
    ['a word for a number', '/watch?lat=north&lng=1', 'Must be a number from -90 to 90.'],
  ])('names what is wrong with %s', async (_, path, error) => {
    const { status, visibleText } = await createBrowser(app.fastify).get(path)

    expect(status).toBe(200)
    expect(visibleText).toContain(error)
    expect(visibleText).toContain('Enter the area as numbers or a copied shape.')
  })

  it('returns 422 with the validation errors and the input', async () => {
    const browser = await logIn(await app.create.user())
    const input = { lat: String(GREEN.lat), lng: String(GREEN.lng), radius: '500', frequency: 'daily', about: 'new' }

    const long = await browser.post('/watch', { ...input, name: 'x'.repeat(101) })

    expect(long.status).toBe(422)
    expect(long.text).toContain('Must be a text of at most 100 characters.')
    expect(long.text).toContain('<option value="daily" selected>')
    expect(await areas()).toEqual([])
  })

  it('is linked from the pages of places and issues, and redirects to the login on POST', async () => {
    await app.create.place({ url_name: 'new-haven' })
    const issue = await app.create.issue({ at: GREEN })
    const browser = createBrowser(app.fastify)

    expect((await browser.get('/places/new-haven')).text).toContain('href="/watch?place_url=new-haven"')
    expect((await browser.get(`/issues/${issue}`)).text).toContain(`href="/watch?${around.replace('&', '&amp;')}"`)
    const { status, headers } = await browser.post('/watch', { place_url: 'new-haven' })
    expect([status, headers['location']]).toEqual([303, '/login?return_to=%2Fwatch'])
  })
})

describe('/account/watch-areas', () => {
  it('explains what to do if there are no watch areas', async () => {
    const { visibleText, text } = await (await logIn(await app.create.user())).get('/account/watch-areas')

    expect(visibleText).toContain('You do not watch any area yet.')
    expect(text).toContain('href="/places"')
  })

  it('shows only the watch areas of the user, each with a map and links', async () => {
    const ada = await app.create.user()
    const token = await app.create.watchArea({ of: ada, token: 'token-of-ada-park' })
    await app.create.watchArea({ of: await app.create.user(), token: 'token-of-another-user' })

    const { text } = await (await logIn(ada)).get('/account/watch-areas')

    expect(text.match(/<svg class="map"/g)).toHaveLength(1)
    expect(text.match(/<img class="map" src="\/map\/drawing\.svg\?watch_area=\d+" alt="[^"]+"/g)).toHaveLength(1)
    expect(text).toMatch(
      /<a href="#area-(\d+)" aria-label="A drawn shape"><title>A drawn shape<\/title><path class="area"[^]* id="area-\1"/,
    )
    expect(text).toMatch(/href="\/\?watch_area=\d+"/)
    expect(text).not.toContain(token)
    expect(text).not.toContain('token-of-another-user')
    expect(text.match(/ id="[^"]*"/g)).toHaveLength(new Set(text.match(/ id="[^"]*"/g)).size)
  })

  it('saves changes, renews the token, deletes, and redirects to the list', async () => {
    const ada = await app.create.user()
    const token = await app.create.watchArea({ of: ada, token: 'token-of-ada-park' })
    const browser = await logIn(ada)
    const [before] = await areas()
    const path = `/account/watch-areas/${before?.id}`
    const leads = ({ status, headers }: { status: number; headers: Record<string, unknown> }) => [status, headers['location']]

    const saved = await browser.post(path, { name: 'Home', frequency: 'weekly', about: 'updates' })
    expect(leads(saved)).toEqual([303, '/account/watch-areas?done=saved'])
    expect(await areas()).toMatchObject([{ name: 'Home', frequency: 'weekly', about: 'updates', token }])

    expect(leads(await browser.post(`${path}/token`))).toEqual([303, '/account/watch-areas?done=renewed'])
    expect((await areas())[0]?.token).toMatch(/^[\w-]{43}$/)

    expect(leads(await browser.post(`${path}/delete`))).toEqual([303, '/account/watch-areas?done=removed'])
    expect(await areas()).toEqual([])
  })

  it('shows validation errors next to the fields of the form', async () => {
    const ada = await app.create.user()
    await app.create.watchArea({ of: ada })
    const [area] = await areas()

    const answer = await (await logIn(ada)).post(`/account/watch-areas/${area?.id}`, { name: 'x'.repeat(101), frequency: 'daily' })

    expect(answer.status).toBe(422)
    expect(answer.text).toContain(`<p class="field-error" id="field-name-error">Must be a text of at most 100 characters.</p>`)
    expect(answer.text.match(/aria-invalid/g)).toHaveLength(1)
  })

  it.each(['', '/forecast', '/addresses', '/token', '/delete'])(
    'returns 404 for the watch area of another user: POST …%s',
    async (action) => {
      await app.create.watchArea({ of: await app.create.user(), token: 'token-of-another-user' })
      const [theirs] = await areas()
      const browser = await logIn(await app.create.user())

      const { status } = await browser.post(`/account/watch-areas/${theirs?.id}${action}`, {
        name: 'Mine',
        frequency: 'never',
        about: 'all',
      })

      expect(status).toBe(404)
      expect(await areas()).toEqual([theirs])
    },
  )

  it('redirects to the login without a session', async () => {
    const { status, headers } = await createBrowser(app.fastify).get('/account/watch-areas')

    expect([status, headers['location']]).toEqual([303, '/login?return_to=%2Faccount%2Fwatch-areas'])
  })
})
