import { beforeEach, describe, expect, it } from 'vitest'

import { createBrowser } from '../../helpers/browser.ts'
import { FAR_AWAY, GREEN, square } from '../../helpers/factories.ts'
import { useApp } from '../../helpers/use-app.ts'

const app = useApp()
const decode = (text: string) => text.replaceAll('&amp;', '&')
const read = async (url: string) => decode((await createBrowser(app.fastify).get(url)).text)
const reportLinks = (text: string) => [...text.matchAll(/data-report href="(\/[^"]+)"/g)].map(([, href]) => href)
const AT = `${GREEN.lat}%2F${GREEN.lng}`

beforeEach(async () => {
  await app.create.place({ name: 'New Haven', url_name: 'new-haven', boundary: square(GREEN, 0.05) })
})

describe('the links to a report', () => {
  it('carry the view of the map, its place, or the spot of the issue', async () => {
    const issue = await app.create.issue({ at: GREEN })
    const box = `min_lat=${GREEN.lat - 0.01}&max_lat=${GREEN.lat + 0.01}&min_lng=${GREEN.lng - 0.01}&max_lng=${GREEN.lng + 0.01}`
    const paths = ['/', `/?${box}`, '/?place_url=new-haven', '/places/new-haven', `/issues/${issue}`]

    const links = (await Promise.all(paths.map(read))).map(reportLinks)

    const place = expect.stringMatching(/^\/report\?view=1[01](\.\d)?%2F41\.308\d+%2F-72\.9279$/) as string
    const view = expect.stringMatching(/^\/report\?view=13(\.\d)?%2F41\.308\d+%2F-72\.9279$/) as string
    expect(links).toEqual([
      ['/report', '/report'],
      [view, view],
      [place, '/places/new-haven/report'],
      [place, '/places/new-haven/report'],
      [`/report?view=17%2F${AT}`],
    ])
  })

  it('lead to the map of the home page without scripts', async () => {
    expect((await read('/')).match(/<noscript><a[^>]* data-report href="#map">/g)).toHaveLength(2)
  })

  it('open the map at this view, with and without scripts', async () => {
    const text = await read(`/report?view=15/${GREEN.lat}/${GREEN.lng}`)

    expect(text).toContain(`"start":{"point":{"lng":${GREEN.lng},"lat":${GREEN.lat}},"zoom":15}`.replaceAll('"', '&quot;'))
    expect(text).toContain(`name="view" value="15/${GREEN.lat}/${GREEN.lng}"`)
  })
})

describe('the view inside of a place without scripts', () => {
  it('stays in the drawn map, the filters, the search for places and the pages of the list', async () => {
    const point = { lat: GREEN.lat + 0.02, lng: GREEN.lng }
    await Promise.all(Array.from({ length: 21 }, () => app.create.issue({ at: GREEN })))
    const view = `15/${point.lat}/${point.lng}`

    const page = await read(`/?place_url=new-haven&view=${view}`)

    const encoded = `view=${view.replaceAll('/', '%2F')}`
    const drawing = /src="(\/map\/drawing\.svg[^"]*)"/.exec(page)?.[1] ?? ''
    expect(drawing).toContain(encoded)
    expect(await read(drawing)).not.toBe(await read(drawing.replace(encoded, '')))
    expect(page.match(new RegExp(`<input type="hidden" name="view" value="${view}">`, 'g'))).toHaveLength(2)
    expect(page).toMatch(new RegExp(`class="pager"[^]*href="[^"]*${encoded}`))
    expect(page).not.toMatch(/href="\/(feeds|data)[^"]*view=/)
  })
})

describe('a report without scripts', () => {
  it('takes six pages from the map of a city to the sent form', async () => {
    const browser = createBrowser(app.fastify)
    let loads = 0
    const load = async (path = '') => {
      loads++
      return decode((await browser.get(path)).text)
    }
    const hrefIn = (text: string, pattern: RegExp) => pattern.exec(text)?.[1]

    const home = await load('/?place_url=new-haven')
    const point = await load(reportLinks(home)[1])
    const click = (text: string) =>
      load(`/places/new-haven/report?view=${hrefIn(text, /name="view" value="([^"]+)"/)}&at360.x=100&at360.y=100`)
    // The first click shows the streets.
    const types = await click(await click(point))
    const form = await load(hrefIn(types, /<a href="([^"]+)"><img[^>]*> Other</))
    const [lat = '', lng = ''] = ['lat', 'lng'].map((name) => hrefIn(form, new RegExp(`name="${name}" value="([^"]+)"`)))
    loads++
    const sent = await browser.post('/places/new-haven/report', {
      ...{ lat, lng, request_type_id: 'other', 'answers[summary]': 'Broken bench', address: '1 Elm Street' },
    })

    expect(sent.headers['location']).toBe('/report/draft')
    expect(loads).toBe(6)
  })

  it('takes six pages from the map of a country, too: a click on it takes the place of the first page', async () => {
    await app.create.place({ name: 'Hobart', url_name: 'hobart', boundary: square(FAR_AWAY, 0.05) })
    const pages = [await read('/')]
    const viewOf = (text: string) => /name="view" value="([^"]+)"/.exec(text)?.[1] ?? ''

    for (let clicks = 0; clicks < 3; clicks++)
      pages.push(await read(`/report?view=${viewOf(pages.at(-1) ?? '')}&at360.x=100&at360.y=100`))

    expect(pages[0]).toContain('<form class="drawn-point" method="get" action="/report#map"')
    expect(Number(viewOf(pages[0] ?? '').split('/')[0])).toBeLessThan(4)
    // The form and the page after it follow.
    expect(pages.map((text) => text.includes('type=other'))).toEqual([false, false, false, true])
  })

  it('carries its words and its type to the choice of another spot and back', async () => {
    const at = `lat=${GREEN.lat}&lng=${GREEN.lng}`
    const types = await read(`/report?${at}&words=Broken+bench`)
    const form = await read(`/report?${at}&words=Broken+bench&type=other`)
    const change = /<a href="([^"]+)">Choose another spot/.exec(form)?.[1] ?? ''
    const point = await read(change)

    expect(types).toContain('value="Broken bench"')
    expect(point).toContain('“Broken bench”')
    expect(form).toContain('value="Broken bench"')
    expect(change).toContain(`&words=Broken+bench&type=other&from=${AT}`)
    for (const [name, value] of [
      ['words', 'Broken bench'],
      ['type', 'other'],
    ] as const)
      expect(point.split(`name="${name}" value="${value}"`)).toHaveLength(3)
    expect(point).toContain(`&words=Broken+bench&type=other&from=${AT}">This is the place</a>`)
  })

  it('chooses the type again if another spot does not have it', async () => {
    const organization = await app.create.organization({ name: 'Denver Roads', around: { lat: 39.7, lng: -104.9 } })
    const type = await app.create.requestType({ title: 'Pothole', organization })

    expect(await read(`/report?lat=${GREEN.lat}&lng=${GREEN.lng}&type=${type}`)).toContain(
      'This type is no longer available: choose another one.',
    )
  })
})
