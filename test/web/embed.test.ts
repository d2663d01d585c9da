import { describe, expect, it } from 'vitest'

import { createBrowser } from '../helpers/browser.ts'
import { FAR_AWAY, GREEN, square } from '../helpers/factories.ts'
import { createLoggedInBrowser } from '../helpers/logged-in-browser.ts'
import { useApp } from '../helpers/use-app.ts'
import { appOn } from '../http/app-on.ts'

const app = useApp()

const ancestors = (headers: Record<string, unknown>) =>
  /frame-ancestors ([^;]*)/.exec(String(headers['content-security-policy']))?.[1]

describe('GET /embed', () => {
  it('shows the map and the newest issues of a place with its filters, drawn without scripts', async () => {
    await app.create.place({ name: 'New Haven', url_name: 'new-haven', boundary: square(GREEN, 0.02) })
    await app.create.issue({ at: GREEN, summary: 'Pothole' })
    await app.create.issue({ at: GREEN, summary: 'Dark lamp', status: 'Closed' })
    await app.create.issue({ at: FAR_AWAY, summary: 'Far away' })

    const { status, text, visibleText } = await createBrowser(app.fastify).get('/embed?place_url=new-haven&status=open')

    expect(status).toBe(200)
    expect(text).toContain('src="/map/drawing.svg?place_url=new-haven&amp;status=open"')
    expect(text).toContain('<base target="_blank">')
    expect(text).toMatch(/data-report href="\/places\/new-haven\/report\?view=\d+\.\d%2F41\.\d+%2F-72\.\d+"/)
    expect(visibleText).toContain('Pothole')
    expect(visibleText).not.toMatch(/Dark lamp|Far away/)
  })

  it('has the language of its address, else that of the browser', async () => {
    const browser = createBrowser(app.fastify)

    const pages = [
      await browser.get('/embed?min_lat=-1&max_lat=1&min_lng=-1&max_lng=1&language=es', { 'accept-language': 'fr' }),
      await browser.get('/embed', { 'accept-language': 'fr' }),
    ]

    expect(pages.map(({ text }) => /<html lang="(..)">/.exec(text)?.[1])).toEqual(['es', 'fr'])
  })

  it('knows no session, sets no cookie and has no form, so that a frame can make no one act', async () => {
    await app.create.place({ url_name: 'new-haven' })
    const ada = await app.create.user({ name: 'Ada Park' })
    const browser = await createLoggedInBrowser(app, ada)

    const own = await browser.get('/embed?place_url=new-haven', { 'sec-fetch-site': 'same-origin' })
    const anonymous = await createBrowser(app.fastify).get('/embed?place_url=new-haven')

    expect(own.text).toBe(anonymous.text)
    expect(own.text).not.toMatch(/<form|<button|Ada Park/)
    expect(own.headers['set-cookie']).toBeUndefined()
    expect(own.headers['x-frame-options']).toBeUndefined()
    expect(String(own.headers['content-security-policy'])).toContain("form-action 'none'")
  })

  it.each([
    ['', "'self' *"],
    ['none', "'self'"],
    ['https://www.example.org, https://city.example', "'self' https://www.example.org https://city.example"],
  ])('may be framed by the sites of EMBED_ORIGINS: %s', async (EMBED_ORIGINS, sources) => {
    const { fastify } = await appOn(app.db, { EMBED_ORIGINS })

    const { headers } = await createBrowser(fastify).get('/embed')

    expect(ancestors(headers)).toBe(sources)
  })

  it('is the only page that may be framed', async () => {
    await app.create.place({ url_name: 'new-haven' })
    const issue = await app.create.issue()
    const browser = await createLoggedInBrowser(app, await app.create.user())
    const paths = ['/', '/places/new-haven', '/report', `/issues/${issue}`, '/account', '/data', '/embed/x']

    const pages = []
    for (const path of paths) pages.push(await browser.get(path))

    expect(pages.map(({ headers }) => ancestors(headers))).toEqual(paths.map(() => "'none'"))
  })

  it.each([
    ['?place_url=atlantis&language=es', '<html lang="es">', '<code>place_url</code>'],
    ['?zoom=x', 'This address is not valid', '<code>zoom</code>'],
    ['?language=xx', 'This address is not valid', '<code>language</code>'],
  ])('says in the frame what is wrong with its address, with a link that opens the site: %s', async (query, ...words) => {
    const { status, text, headers } = await createBrowser(app.fastify).get(`/embed${query}`)

    expect(status).toBe(422)
    for (const word of words) expect(text).toContain(word)
    expect(text).toContain('<base target="_blank">')
    expect(text).toContain('<a href="/">')
    expect(text).not.toMatch(/<form|<script/)
    expect([ancestors(headers), headers['x-frame-options']]).toEqual(["'self' *", undefined])
  })

  it.each([
    ['status=opn', 'status must be a comma-separated list of open, acknowledged, closed, archived'],
    ['language=de', 'language must be one of en, es, fr'],
    ['min_lat=1&max_lat=2', 'min_lng'],
    ['place_url=atlantis', 'place_url'],
  ])('names the parameter and what is allowed for ?%s', async (query, words) => {
    const { status, text } = await app.as.anonymous.send('GET', `/embed?${query}`, { headers: { accept: 'text/html' } })

    expect(status).toBe(422)
    expect(text.replaceAll(/<[^>]+>/g, '')).toContain(words)
  })

  it('returns problems as JSON to programs', async () => {
    const { statusCode, headers } = await app.fastify.inject({ url: '/embed?place_url=atlantis' })

    expect([statusCode, headers['content-type']]).toEqual([422, 'application/json; charset=utf-8'])
  })
})

describe('the line of HTML for another site', () => {
  it('is on /data for its choice, to which the page of a place leads', async () => {
    await app.create.place({ name: 'New Haven', url_name: 'new-haven' })
    const browser = createBrowser(app.fastify)

    const data = await browser.get('/data?place_url=new-haven&status=open')
    const place = await browser.get('/places/new-haven')

    expect(data.visibleText.replaceAll('&quot;', '"').replaceAll('&amp;', '&')).toContain(
      'src="http://fixpoint.test/embed?place_url=new-haven&amp;status=open&amp;language=en" title="Issues in New Haven"',
    )
    expect(place.text).toContain('<a href="/data?place_url=new-haven#embed">Embed this map</a>')
  })

  it('is not offered if the operator allows no frames', async () => {
    const { fastify } = await appOn(app.db, { EMBED_ORIGINS: 'none' })

    const { text } = await createBrowser(fastify).get('/data')

    expect(text).not.toContain('iframe')
  })
})
