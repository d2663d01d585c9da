import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'

import { FAR_AWAY, GREEN } from '../helpers/factories.ts'
import { createLoggedInBrowser } from '../helpers/logged-in-browser.ts'
import { useApp } from '../helpers/use-app.ts'

const requests: string[] = []
let status = 200
let results: readonly object[] = []
const server = createServer((request, response) => {
  requests.push(request.url ?? '')
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(results))
})
await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
afterAll(() => void server.close())
const GEOCODER_URL = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

describe('the search for a place on the map', () => {
  const app = useApp()
  const find = (query: string) => app.as.anonymous.send('GET', `/?${query}`)
  const linksIn = (text: string) =>
    [...(/<ul class="found">(.*?)<\/ul>/s.exec(text)?.[1] ?? '').matchAll(/href="([^"]*)">([^<]*)/g)].map(([, href, name]) => [
      href,
      name,
    ])

  it('suggests the names of places without a script, and keeps area and filters', async () => {
    await app.create.place({ name: 'New Haven', url_name: 'new-haven' })

    const { text } = await find('status=open&place_url=new-haven')

    const form = /<form class="place-search".*?<\/form>/s.exec(text)?.[0] ?? ''
    expect(form).toContain('action="/"')
    expect(form).toContain('<option value="New Haven">')
    expect(form).toContain('<input type="hidden" name="status" value="open">')
    expect(form).toContain('<input type="hidden" name="place_url" value="new-haven">')
  })

  it('opens the map of a place by its name, with the filters, without regard to case', async () => {
    await app.create.place({ name: 'New Haven', url_name: 'new-haven' })
    await app.create.place({ name: 'New Haven County', url_name: 'new-haven-county', place_type: 'County' })

    const { status: code, headers } = await find('find=+new+HAVEN&status=open&min_lat=1&min_lng=1&max_lat=2&max_lng=2')

    expect([code, headers['location']]).toEqual([303, '/?place_url=new-haven&status=open'])
  })

  it('tells places of one name apart, in the results and on the map', async () => {
    await app.create.place({ name: 'New Haven', url_name: 'new-haven' })
    await app.create.place({ name: 'New Haven', url_name: 'new-haven-mo' })
    await app.db.prisma.place.update({ where: { url_name: 'new-haven-mo' }, data: { state: 'MO' } })

    const { status: code, text } = await find('find=new+haven')

    expect(code).toBe(200)
    expect(linksIn(text)).toEqual(
      expect.arrayContaining([
        ['/?place_url=new-haven', 'New Haven, Some County, CT'],
        ['/?place_url=new-haven-mo', 'New Haven, Some County, MO'],
      ]),
    )
    expect(text).toContain('<a href="/?place_url=new-haven-mo">New Haven, Some County, MO</a>')
  })

  it.each([
    ['/report', '<a href="/places/new-haven-mo/report">New Haven, Some County, MO</a>'],
    ['/watch', '>New Haven, Some County, MO</a>'],
    ['/account', '<option value="new-haven-mo">New Haven, Some County, MO</option>'],
  ])('tells places of one name apart on %s', async (path, shown) => {
    await app.create.place({ name: 'New Haven', url_name: 'new-haven' })
    await app.create.place({ name: 'New Haven', url_name: 'new-haven-mo' })
    await app.db.prisma.place.update({ where: { url_name: 'new-haven-mo' }, data: { state: 'MO' } })
    const browser = await createLoggedInBrowser(app, await app.create.user())

    expect((await browser.get(path)).text).toContain(shown)
  })

  it('lists the places whose names contain the words', async () => {
    await app.create.place({ name: 'New Haven', url_name: 'new-haven', around: GREEN })
    await app.create.place({ name: 'East Haven', url_name: 'east-haven', around: FAR_AWAY })

    const several = await find('find=haven')
    const one = await find('find=east')

    expect(linksIn(several.text).map(([href]) => href)).toEqual(['/?place_url=east-haven', '/?place_url=new-haven'])
    expect(several.text).toContain('name="robots" content="noindex"')
    expect([one.status, one.headers['location']]).toEqual([303, '/?place_url=east-haven'])
  })

  it('says that nothing was found, and asks no geocoder that is not configured', async () => {
    const { status: code, text } = await find('find=%3Cb%3Enowhere')

    expect([code, linksIn(text)]).toEqual([200, []])
    expect(text).toContain('Nothing was found for “&lt;b&gt;nowhere”.')
    expect(text).toContain('placeholder="Find a city"')
  })

  it('finds addresses of public issues without a geocoder, those near the view first, whatever form the street has', async () => {
    await app.create.issue({ at: FAR_AWAY, address: '12 Larimer St, Denver, CO' })
    await app.create.issue({ at: GREEN, address: '1437 Larimer St, Denver, CO' })
    await app.create.issue({ at: GREEN, address: '9 Oak Ave', summary: 'Pothole near Larimer St' })

    const box = `min_lat=${GREEN.lat - 1}&min_lng=${GREEN.lng - 1}&max_lat=${GREEN.lat + 1}&max_lng=${GREEN.lng + 1}`
    const street = await find(`find=larimer+street&${box}`)
    const house = await find('find=1437+Larimer')

    expect(linksIn(street.text).map(([, name]) => name)).toEqual(['1437 Larimer St, Denver, CO', '12 Larimer St, Denver, CO'])
    expect(linksIn(house.text)).toEqual([[`/?lat=${GREEN.lat}&amp;lng=${GREEN.lng}&amp;zoom=17`, '1437 Larimer St, Denver, CO']])
    expect(house.text).toContain('placeholder="Place or address"')
  })

  it.each(['elm+st+%26+main+st', 'elm+street+and+main', 'elm+y+main'])('finds a crossing by find=%s', async (words) => {
    for (const address of ['Elm St & Main St, Denver', 'Elm St and Main St, Golden', '4 Elm St, Denver'])
      await app.create.issue({ at: GREEN, address })

    const { text } = await find(`find=${words}`)

    expect(new Set(linksIn(text).map(([, name]) => name))).toEqual(
      new Set(['Elm St &amp; Main St, Denver', 'Elm St and Main St, Golden']),
    )
  })

  it('finds the streets of the demo, also for a number without an issue', async () => {
    const { id } = await app.create.place({ name: 'Denver', url_name: 'denver' })
    await app.db.prisma.place.update({ where: { id }, data: { import_key: 'demo:denver' } })

    const main = await find('find=1 East Colfax Avenue, Denver')
    await app.create.issue({ address: '12 N Sherman St, Denver, CO' })
    const side = await find('find=n+sherman+street')
    const house = await find('find=12+n+sherman')

    expect(linksIn(main.text)).toEqual([[expect.stringMatching(/lat=39\.7\d+&amp;lng=-104\.9\d+/), 'E Colfax Ave, Denver, CO']])
    expect(
      linksIn(side.text)
        .map(([, name]) => name)
        .slice(0, 2),
    ).toEqual(['N Sherman St, Denver, CO', '12 N Sherman St, Denver, CO'])
    expect(linksIn(house.text)[0]?.[1]).toBe('12 N Sherman St, Denver, CO')
  })

  it('answers 422 for a text that is too long', async () => {
    const { status: code, text } = await find(`find=${'x'.repeat(201)}`)

    expect([code, text]).toEqual([422, expect.stringContaining('200')])
  })
})

describe('the search for an address on the map', () => {
  const app = useApp({ env: { GEOCODER_URL, RATE_LIMIT: '2' } })
  beforeEach(() => {
    requests.length = 0
    status = 200
    results = []
  })
  let client = 0
  const createClient = () => {
    const remoteAddress = `192.0.2.${(client += 1)}`
    return (url: string) => app.fastify.inject({ method: 'GET', url, remoteAddress, headers: { 'user-agent': 'Mozilla/5.0' } })
  }

  it('lists places and addresses near the area, as links to the map', async () => {
    await app.create.place({ name: 'Church Hill', url_name: 'church-hill' })
    results = [{ lat: '41.3', lon: '-72.9', display_name: '165, Church Street' }]

    const { body } = await createClient()('/?find=church&status=open&min_lat=41&min_lng=-73&max_lat=42&max_lng=-72')

    expect(body).toContain('<a href="/?status=open&amp;place_url=church-hill">Church Hill')
    expect(body).toContain('<a href="/?status=open&amp;lat=41.3&amp;lng=-72.9&amp;zoom=17">165, Church Street</a>')
    expect(requests).toEqual([expect.stringMatching(/^\/search\?q=church&.*viewbox=-73%2C42%2C-72%2C41/)])
  })

  it('asks for nothing before the form is sent', async () => {
    const { body } = await createClient()('/')

    expect(body).toContain('placeholder="Place or address"')
    expect(requests).toEqual([])
  })

  it('keeps the page if the geocoder fails, and limits the searches of a client', async () => {
    const get = createClient()
    status = 500

    const failed = await get('/?find=main+st+1')
    await get('/?find=main+st+2')
    const limited = await get('/?find=main+st+3')

    expect([failed.statusCode, failed.body]).toEqual([503, expect.stringContaining('The address search does not answer now.')])
    expect([limited.statusCode, limited.body]).toEqual([429, expect.stringContaining('You have searched often')])
  })
})
