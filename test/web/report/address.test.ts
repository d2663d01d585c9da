import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest'

import { createBrowser } from '../../helpers/browser.ts'
import { GREEN } from '../../helpers/factories.ts'
import { createLoggedInBrowser } from '../../helpers/logged-in-browser.ts'
import { useApp } from '../../helpers/use-app.ts'

type Reply = (response: ServerResponse) => unknown
const json =
  (body: unknown): Reply =>
  (response) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))

const requests: string[] = []
let reply: Reply
const server = createServer((request, response) => {
  requests.push(request.url ?? '')
  // A kept connection may be closed while the next request is on its way.
  response.setHeader('connection', 'close')
  reply(response)
})
await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
afterAll(() => void server.close())
const GEOCODER_URL = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

const at = `lat=${GREEN.lat}&lng=${GREEN.lng}`
const church = { lat: '41.3', lon: '-72.9', display_name: '165, Church Street, New Haven' }

describe('the search for an address at the start of a report', () => {
  const app = useApp({ env: { GEOCODER_URL, GEOCODER_LIMIT: '1000', RATE_LIMIT: '3' } })
  let client = 0
  beforeEach(() => {
    requests.length = 0
    client += 1
    reply = json([])
  })
  const open = () => createBrowser(app.fastify, { address: `192.0.2.${client}` })

  it('lists results as links to the next step, without scripts', async () => {
    reply = json([church, { lat: 'x', lon: '1', display_name: 'Broken' }, { ...church, display_name: '<b>Church</b>' }])

    const { status, text } = await open().get('/report?address=Church+St')

    expect(status).toBe(200)
    expect(text).toContain(
      '<a href="/report?lat=41.3&amp;lng=-72.9" data-lat="41.3" data-lng="-72.9">165, Church Street, New Haven</a>',
    )
    expect(text).toContain('&lt;b&gt;Church&lt;/b&gt;')
    expect(text).not.toContain('Broken')
    expect(text).toContain('value="Church St"')
    expect(text).toContain('method="get" action="/report#addresses">')
    expect(text).toMatch(/id="addresses" role="status" tabindex="-1"><h2>/)
    expect(requests).toEqual([expect.stringMatching(/^\/search\?q=Church\+St&format=jsonv2&limit=6&accept-language=en/)])
  })

  it('asks in the language of the page, near the place, and once for the same words', async () => {
    await app.create.place({ url_name: 'new-haven', name: 'New Haven' })
    const browser = open()
    browser.jar.set('language', 'es')

    await browser.get('/places/new-haven/report?address=Calle+1')
    const { visibleText } = await browser.get('/places/new-haven/report?address=Calle+1')

    expect(requests).toHaveLength(1)
    expect(requests[0]).toMatch(/accept-language=es&viewbox=-?[\d.]+%2C/)
    expect(visibleText).toContain('No se encontró ninguna dirección.')
  })

  it('asks nothing before the form is sent', async () => {
    const { text } = await open().get('/report')

    expect(text).toContain('<label for="address">Address or name of the spot</label>')
    expect(requests).toEqual([])
  })

  it.each<[string, Reply]>([
    ['fails', (response) => response.writeHead(500).end()],
    ['redirects', (response) => response.writeHead(302, { location: 'http://127.0.0.1:1/' }).end()],
    ['returns no list', json({ error: 'no' })],
    ['returns too much', json([{ ...church, display_name: 'x'.repeat(70_000) }])],
  ])('leaves the map if the geocoder %s', async (kind, failing) => {
    reply = failing

    const { status, visibleText } = await open().get(`/report?address=${encodeURIComponent(kind)}`)

    expect(status).toBe(503)
    expect(visibleText).toContain('The address search does not answer now. Choose the spot on the map.')
  })

  it('is limited for each client', async () => {
    const browser = open()
    const search = (words: string) => browser.get(`/report?address=${words}`)

    const answers = [await search('a'), await search('b'), await search('c'), await search('d')]
    const other = await createBrowser(app.fastify, { address: '198.51.100.7' }).get('/report?address=a')

    expect([...answers, other].map(({ status }) => status)).toEqual([200, 200, 200, 429, 200])
    expect(answers[3]?.visibleText).toContain('You have searched often in a short time.')
    expect((await open().get('/report?address=' + 'x'.repeat(201))).status).toBe(422)
  })

  it('says the address of the spot before the type is chosen, but asks for none when the script only looks whether it is outside', async () => {
    reply = json({ address: { house_number: '165', road: 'Church Street', city: 'New Haven', country_code: 'us' } })

    const looked = await open().get(`/report?${at}`, { 'sec-fetch-dest': 'empty' })
    const asked = requests.length
    const { visibleText } = await open().get(`/report?${at}`)

    expect(looked.status).toBe(200)
    expect(asked).toBe(0)
    expect(visibleText).toContain('165 Church Street, New Haven Choose another spot')
  })

  it('fills in the address of the chosen spot, which the reporter can change', async () => {
    const browser = await createLoggedInBrowser(app, await app.create.user({ name: 'Ada Park' }))
    const address = { house_number: '165', road: 'Church Street', city: 'New Haven', country_code: 'us' }
    reply = json({ display_name: 'long', address })

    const american = await browser.get(`/report?${at}&type=other`)
    reply = json({ display_name: 'long', address: { ...address, country_code: 'es' } })
    const spanish = await browser.get('/report?lat=41&lng=2&type=other')
    reply = (response) => response.writeHead(500).end()
    const failed = await browser.get('/report?lat=42&lng=2&type=other')

    const field = (value: string) => `name="address" type="text" value="${value}"`
    expect(american.text).toContain(field('165 Church Street, New Haven'))
    expect(spanish.text).toContain(field('Church Street 165, New Haven'))
    expect(failed.text).toContain(field(''))
  })
})

describe('the start of a report without a geocoder', () => {
  const app = useApp()

  it('has no search for addresses', async () => {
    const { status, text } = await createBrowser(app.fastify).get('/report?address=Church+St')

    expect(status).toBe(200)
    expect(text).not.toContain('id="address"')
  })
})

/** Requests that arrive within half a second on a quiet machine may take longer: the clock that measures them stands still. */
function atOnce() {
  beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }))
  afterEach(() => void vi.useRealTimers())
}

describe('the limit of requests to the geocoder', () => {
  const app = useApp({ env: { GEOCODER_URL } })
  atOnce()

  it('is for all clients together, and the page says that the search does not answer', async () => {
    reply = json([church])
    requests.length = 0

    const pages = await Promise.all(
      [1, 2, 3, 4, 5].map((n) => createBrowser(app.fastify, { address: `198.51.100.${n}` }).get(`/report?address=Street+${n}`)),
    )

    expect(pages.map(({ status }) => status).toSorted()).toEqual([200, 200, 200, 503, 503])
    for (const { visibleText } of pages.filter(({ status }) => status === 503))
      expect(visibleText).toContain('The address search does not answer now. Choose the spot on the map.')
    expect(requests).toHaveLength(3)
  })
})

describe('the limit of requests to the geocoder by the API', () => {
  const app = useApp({ env: { GEOCODER_URL } })
  atOnce()

  it('returns 503 with Retry-After', async () => {
    reply = json([church])
    // The first response of an app is compared with its whole document, which takes longer than the geocoder may on a busy machine.
    await app.as.anonymous.get('/places?lat=1&lng=1')
    requests.length = 0

    const answers = await Promise.all([1, 2, 3, 4].map((n) => app.as.anonymous.get(`/places?address=Street+${n}`)))

    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 200, 200, 503])
    expect(answers.find(({ status }) => status === 503)).toMatchObject({
      headers: { 'retry-after': '30' },
      body: { message: 'The geocoder is not available: try again later, or send lat and lng.' },
    })
    expect(requests).toHaveLength(3)
  })
})
