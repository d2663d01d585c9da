import { beforeEach, describe, expect, it } from 'vitest'

import type { Browser } from '../../helpers/browser.ts'
import { GREEN, square, type TestUser } from '../../helpers/factories.ts'
import { createLoggedInBrowser, EMPTY_FILE, sendMultipart } from '../../helpers/logged-in-browser.ts'
import { useApp } from '../../helpers/use-app.ts'

const app = useApp()
let roads: number
let owner: TestUser
let browser: Browser

beforeEach(async () => {
  roads = await app.create.organization({ name: 'Roads' })
  owner = await app.create.user({ memberOf: [{ organization: roads, role: 'owner' }] })
  browser = await createLoggedInBrowser(app, owner)
})

const small = square(GREEN, 0.01)
const bow = { type: 'Polygon', coordinates: [[[0, 0], [1, 1], [1, 0], [0, 1], [0, 0]]] } // prettier-ignore
const width = async () => {
  const { bbox } = (await app.as.anonymous.get(`/organizations/${roads}`)).body as { bbox: [number, number, number, number] }
  return (bbox[2] - bbox[0]).toFixed(3)
}

describe('the area of an organisation', () => {
  it('is replaced in the API, and named errors change nothing', async () => {
    const put = (area: unknown) =>
      app.as.user(owner).send('PUT', `/api/v2/organizations/${roads}`, { body: { area }, headers: { 'if-match': '*' } })
    const type = await app.create.requestType({ organization: roads, title: 'Bench' })

    const refused = [await put(bow), await put({ type: 'Point', coordinates: [0, 0] }), await put('x')]
    const before = await width()
    const changed = await put(small)

    expect(refused.map(({ status, body }) => [status, Object.keys(body as object)])).toEqual(refused.map(() => [422, ['area']]))
    expect([before, changed.status, await width()]).toEqual(['0.200', 200, '0.020'])
    const outside = `/issues/new?lat=${GREEN.lat + 0.05}&lng=${GREEN.lng}`
    expect(JSON.stringify((await app.as.anonymous.get(outside)).body)).not.toContain(`request_types/${type}`)
  })

  it('is drawn on its page, or taken from the features of a file', async () => {
    const path = `/organizations/${roads}/manage/area`
    const feature = { type: 'Feature', properties: {}, geometry: small }
    const file = new File([JSON.stringify({ type: 'FeatureCollection', features: [feature] })], 'area.geojson')

    const page = await browser.get(path)
    const drawn = await sendMultipart(browser, path, { area: JSON.stringify(square(GREEN, 0.03)), file: EMPTY_FILE })
    const drawnWidth = await width()
    const uploaded = await sendMultipart(browser, path, { area: JSON.stringify(square(GREEN, 0.03)), file })

    expect(page.text).toContain('data-area-form')
    expect(page.text).toContain('&quot;coordinates&quot;')
    expect([drawn, uploaded].map(({ status, headers }) => `${status} ${String(headers['location'])}`)).toEqual([
      `303 /organizations/${roads}/manage?done=saved`,
      `303 /organizations/${roads}/manage?done=saved`,
    ])
    expect([drawnWidth, await width()]).toEqual(['0.060', '0.020'])
  })

  it('keeps what was drawn, and says what is wrong with it', async () => {
    const path = `/organizations/${roads}/manage/area`

    const crossed = await sendMultipart(browser, path, { area: JSON.stringify(bow), file: EMPTY_FILE })
    const lines = await sendMultipart(browser, path, { area: '', file: new File(['{"type": "LineString"}'], 'lines.json') })

    const files = [5_000_001, 20 * 1024 * 1024 + 1].map((bytes) => new File([new Uint8Array(bytes)], 'area.json'))
    const large = [
      await sendMultipart(browser, path, { area: JSON.stringify(small), file: files[0]! }),
      await sendMultipart(browser, path, { area: JSON.stringify(small), file: files[1]! }),
    ]

    expect([crossed, lines, ...large].map(({ status }) => status)).toEqual([422, 422, 422, 422])
    for (const { text } of large) {
      expect(text).toMatch(/id="field-file-error">A file may have 5 MB at most\./)
      expect(text).toContain(JSON.stringify(small).replaceAll('"', '&quot;'))
    }
    expect(crossed.visibleText).toContain('Crosses itself')
    expect(lines.visibleText).toContain('Must be a shape with an outline')
    expect(await width()).toBe('0.200')
  })
})
