import { beforeEach, describe, expect, it } from 'vitest'

import { createBrowser } from '../../helpers/browser.ts'
import { FAR_AWAY, GREEN, square } from '../../helpers/factories.ts'
import { useApp } from '../../helpers/use-app.ts'

const app = useApp()
const read = (url: string) => createBrowser(app.fastify).get(url)
const decode = (text: string) => text.replaceAll('&amp;', '&')
const stateOf = (text: string) => ({
  view: /name="view" value="([^"]*)"/.exec(text)?.[1]?.split('/').map(Number) ?? [],
  pin: /name="pin" value="([^"]*)"/.exec(text)?.[1]?.split('/').map(Number),
})
const imageOf = (text: string) => decode(/<input type="image"[^>]* src="([^"]+)"/.exec(text)?.[1] ?? '')
const view = (zoom: number, { lat, lng }: { lat: number; lng: number } = GREEN) => `view=${zoom}/${lat}/${lng}`

beforeEach(async () => {
  await app.create.place({ name: 'New Haven', url_name: 'new-haven', boundary: square(GREEN, 0.02) })
})

describe('the choice of a point without scripts', () => {
  it('is a drawn map whose click sends its pixels, with the numbers in a closed section', async () => {
    const { text } = await read('/places/new-haven/report')

    const form = /<form class="drawn-point"[\s\S]*?<\/form>/.exec(text)?.[0] ?? ''
    expect(form).toContain('method="get" action="/places/new-haven/report#map"')
    expect(form.match(/<input type="image" [^>]*width="\d+" height="\d+">/g)).toHaveLength(4)
    expect([...form.matchAll(/name="go" value="(\w+)" aria-label="([^"]+)"/g)].map(([, ...button]) => button)).toEqual([
      ['in', 'Zoom in'],
      ['out', 'Zoom out'],
      ['west', 'Move west'],
      ['north', 'Move north'],
      ['south', 'Move south'],
      ['east', 'Move east'],
    ])
    expect(form).not.toContain('This is the place')
    expect(text).toMatch(/<details>\s*<summary>Enter coordinates<\/summary>/)
    const [zoom = 0, lat = 0, lng = 0] = stateOf(text).view
    expect(zoom).toBeGreaterThan(12)
    expect(Math.abs(lat - GREEN.lat) + Math.abs(lng - GREEN.lng)).toBeLessThan(0.001)
  })

  it('sets a pin where one clicks, in an image of any size, with the types of this spot below the map', async () => {
    const points = []
    for (const [name, x, y] of [
      ['at320', 240, 64],
      ['at360', 270, 72],
      ['at480', 360, 96],
      ['at720', 540, 144],
    ]) {
      const { text, visibleText } = await read(`/report?${view(16)}&${name}.x=${x}&${name}.y=${y}`)
      const { pin: [lat = 0, lng = 0] = [] } = stateOf(text)
      points.push([lat, lng])
      expect(text).toContain(`href="/report?lat=${lat}&amp;lng=${lng}&amp;type=other"><img`)
      expect(text).not.toContain('This is the place')
      expect(visibleText).toContain('Spot chosen. If the pin is right, continue; or click another spot. New Haven')
    }

    // A quarter of the width to the east, a quarter of the height to the north. The map of zoom 16 is 0.0077° wide.
    expect(points).toEqual(Array(4).fill(points[0]))
    const [[lat = 0, lng = 0] = []] = points
    expect(lng - GREEN.lng).toBeCloseTo((360 * 720) / (512 * 2 ** 16) / 4, 5)
    expect(lat - GREEN.lat).toBeCloseTo((((360 * 720) / (512 * 2 ** 16)) * 0.8 * Math.cos((GREEN.lat * Math.PI) / 180)) / 4, 5)
  })

  it('zooms in with a click until the map shows streets, and only then takes the pin', async () => {
    const clicks = []
    let query = view(5)
    for (let n = 0; n < 3; n++) {
      const { text } = await read(`/report?${query}&at360.x=180&at360.y=144`)
      clicks.push({ zoom: stateOf(text).view[0], hasTypes: text.includes('type=other') })
      query = view(stateOf(text).view[0] ?? 0)
    }

    expect(clicks).toEqual([
      { zoom: 11, hasTypes: false },
      { zoom: 16, hasTypes: false },
      { zoom: 16, hasTypes: true },
    ])
  })

  it('works by keyboard: buttons move the cross, and its place is taken', async () => {
    const east = await read(`/report?${view(15)}&go=east`)
    const closer = await read(`/report?${view(15)}&go=in`)
    const centre = await read(`/report?${view(15)}&go=centre`)
    const enter = await read(`/report?${view(16)}&at480.x=0&at480.y=0`)

    expect(stateOf(east.text)).toEqual({ view: [15, GREEN.lat, expect.closeTo(GREEN.lng + 0.00618, 4)], pin: undefined })
    expect(stateOf(closer.text).view[0]).toBe(16)
    for (const { text } of [centre, enter]) expect(stateOf(text).pin).toEqual([GREEN.lat, GREEN.lng])
  })

  it('keeps the pin while the map moves', async () => {
    const { text } = await read(`/report?${view(15)}&pin=${GREEN.lat}/${GREEN.lng}&go=north`)

    expect(stateOf(text).pin).toEqual([GREEN.lat, GREEN.lng])
    expect(imageOf(text)).toContain(`pin=${encodeURIComponent(`${GREEN.lat}/${GREEN.lng}`)}`)
  })

  it('says at once that the point is outside of the place', async () => {
    await app.create.place({ name: 'Elsewhere', url_name: 'elsewhere', boundary: square(FAR_AWAY, 0.02) })

    const { visibleText, text } = await read(`/places/new-haven/report?${view(16, FAR_AWAY)}&go=centre`)

    expect(visibleText).toContain('This spot is not in New Haven. It is in Elsewhere: report it in Elsewhere')
    expect(text).toContain(`href="/places/elsewhere/report?lat=${FAR_AWAY.lat}&amp;lng=${FAR_AWAY.lng}"`)
  })

  it('asks for the point if one continues without it', async () => {
    expect((await read('/report?lat=&lng=')).visibleText).toContain('Choose the spot on the map first.')
  })

  it.each([
    'view=x',
    'view=99/1/1',
    'view=16/91/0',
    'view=1e9/0/0',
    'pin=x',
    'pin=95/0',
    'go=x',
    'at360.x=-1&at360.y=x',
    'at360.x=5',
  ])('shows the first view for what no form sends: %s', async (query) => {
    const { status, text } = await read(`/places/new-haven/report?${query}`)

    expect(status).toBe(200)
    expect(stateOf(text)).toEqual(stateOf((await read('/places/new-haven/report')).text))
  })

  it.each([
    [1, { lat: 0, lng: 0 }],
    [1, { lat: 85, lng: 179.9 }],
    [16, { lat: -84.9, lng: -179.999 }],
    [16, { lat: 10, lng: 180 }],
  ])('stays on the map at its edges: zoom %i, %o', async (zoom, at) => {
    for (const go of ['north', 'south', 'west', 'east', 'in', 'out', 'centre']) {
      const { text } = await read(`/report?${view(zoom, at)}&go=${go}`)
      const [, lat = NaN, lng = NaN] = stateOf(text).view
      expect(Math.abs(lat)).toBeLessThanOrEqual(85.1)
      expect(Math.abs(lng)).toBeLessThanOrEqual(180)
      expect((await read(imageOf(text))).status).toBe(200)
    }
  })
})

describe('the next steps of a report', () => {
  it.each([
    ['the type', ''],
    ['the questions', '&type=other'],
  ])('say which spot was chosen, and link to the choice of another one: %s', async (_step, more) => {
    const at = `lat=${GREEN.lat}&lng=${GREEN.lng}`

    const { text, visibleText } = await read(`/places/new-haven/report?${at}${more}`)

    const section = /<section class="spot" aria-label="Chosen spot">[\s\S]*?<\/section>/.exec(text)?.[0] ?? ''
    const [src = '', href = ''] = [/src="([^"]+)"/, /href="([^"]+)"/].map((pattern) => decode(pattern.exec(section)?.[1] ?? ''))
    expect(visibleText).toContain('New Haven Choose another spot')
    expect((await read(src)).text).toContain('class="pin"')
    const point = await read(href)
    expect(stateOf(point.text).pin).toEqual([GREEN.lat, GREEN.lng])
    expect(point.text).toContain('This is the place')
  })
})

describe('GET /report/map.svg', () => {
  it('draws places with their names, issues near with their addresses, the pin and a cross', async () => {
    await app.create.issue({
      summary: 'Old hole',
      at: { lat: GREEN.lat + 0.001, lng: GREEN.lng + 0.001 },
      address: '7 Elm Street, New Haven',
    })
    await app.create.issue({
      ...{ summary: 'In review', at: { lat: GREEN.lat - 0.001, lng: GREEN.lng - 0.001 } },
      ...{ address: '9 Oak Street', moderation_state: 'held' },
    })

    const city = await read(`/report/map.svg?${view(13)}`)
    const street = await read(`/report/map.svg?${view(16)}&pin=${GREEN.lat}/${GREEN.lng}&cross=true`)

    expect(city.headers['content-type']).toBe('image/svg+xml; charset=utf-8')
    expect(city.text).toContain('>New Haven</text>')
    expect(city.text).toContain('class="ground"')
    expect(city.text).not.toMatch(/Elm Street|class="pin"|class="cross"/)
    expect(street.text).toContain('>7 Elm Street</text>')
    expect(street.text).toMatch(/class="dots open"/)
    expect(street.text).toMatch(/class="pin" transform="translate\(360 288\)"/)
    expect(street.text).toContain('class="cross"')
    expect(street.text).not.toContain('Oak Street')
    expect(street.headers['content-security-policy']).toContain("default-src 'none'")
  })

  it('escapes names and addresses', async () => {
    await app.create.issue({ at: { lat: GREEN.lat + 0.001, lng: GREEN.lng }, address: '<script>' })

    const { text } = await read(`/report/map.svg?${view(16)}`)

    expect(text).toContain('&lt;script&gt;')
    expect(text).not.toContain('<script')
  })

  it.each(['view=x', 'view=99/0/0'])('does not exist for %s', async (query) => {
    expect((await read(`/report/map.svg?${query}`)).status).toBe(404)
  })
})
