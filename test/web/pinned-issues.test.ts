import { describe, expect, it } from 'vitest'

import { createBrowser } from '../helpers/browser.ts'
import { FAR_AWAY, GREEN } from '../helpers/factories.ts'
import { useApp } from '../helpers/use-app.ts'

const app = useApp({ env: { RATE_LIMIT: '3' } })
const BOX = `min_lat=${GREEN.lat - 0.01}&max_lat=${GREEN.lat + 0.01}&min_lng=${GREEN.lng - 0.01}&max_lng=${GREEN.lng + 0.01}`

const ask = async (path: string) => {
  const { status, text } = await createBrowser(app.fastify).get(path)
  return { status, body: status === 200 ? (JSON.parse(text) as object) : undefined }
}

describe('the issue of a pin', () => {
  it('has a title, status, picture and age by its id, and by the area and filters of the map', async () => {
    const pothole = await app.create.issue({ summary: 'Pothole', at: GREEN, created_at: '2026-01-01T00:00:00Z' })
    const lamp = await app.create.issue({ summary: 'Lamp', at: GREEN, status: 'Closed', created_at: '2026-01-02T00:00:00Z' })
    await app.create.issue({ summary: 'Elsewhere', at: FAR_AWAY })

    expect(await ask(`/map/issues/${pothole}`)).toEqual({
      status: 200,
      body: {
        ...{ id: pothole, status: 'Open', summary: 'Pothole', lng: GREEN.lng, lat: GREEN.lat, image: '/files/icons/other.svg' },
        age: expect.stringMatching(/^\d+ \w+ ago$/) as string,
      },
    })
    expect((await ask(`/map/issues?${BOX}`)).body).toMatchObject({ id: lamp, status: 'Closed' })
    expect((await ask(`/map/issues?${BOX}&status=open&search=`)).body).toMatchObject({ id: pothole })
  })

  it('is unknown if it is not public, and a wrong parameter is named', async () => {
    const held = await app.create.issue({ at: GREEN, moderation_state: 'held' })

    const paths = [`/map/issues/${held}`, '/map/issues/999', `/map/issues?${BOX}`, '/map/issues?min_lat=x']
    const statuses = await Promise.all(paths.map(async (path) => (await ask(path)).status))

    expect(statuses).toEqual([404, 404, 404, 422])
  })

  it('is validated and cached like a page, and private for the token of a watch area', async () => {
    const ada = await app.create.user()
    const id = await app.create.issue({ at: GREEN })
    const token = await app.create.watchArea({ of: ada })
    const get = (path: string, headers = {}) => app.as.anonymous.send('GET', path, { headers })

    const answers = [
      await get(`/map/issues/${id}`),
      await get(`/map/issues?${BOX}`),
      await get(`/map/issues?watcher_token=${token}`),
    ]
    const unchanged = await get(`/map/issues/${id}`, { 'if-none-match': String(answers[0]?.headers['etag']) })

    expect(answers.map(({ status, headers }) => [status, headers['cache-control'], headers['vary']])).toEqual(
      ['public', 'public', 'private'].map((scope) => [200, `${scope}, no-cache`, 'Authorization, Cookie, Accept, Accept-Language']),
    )
    expect([unchanged.status, unchanged.text]).toEqual([304, ''])
  })

  it.each(['/api/v2/issues', '/feeds/issues.atom', '/feeds/issues.geojson', '/exports/issues.csv', '/map/drawing.svg', '/'])(
    'and %s are private for the token of a watch area',
    async (path) => {
      const ada = await app.create.user()
      await app.create.issue({ at: GREEN })
      const token = await app.create.watchArea({ of: ada })

      const { status, headers } = await app.as.anonymous.send('GET', `${path}?watcher_token=${token}`)

      expect([status, String(headers['cache-control']).split(',')[0]]).toEqual([200, 'private'])
    },
  )

  it('does not count for the limit of the API, since a pointer crosses many pins', async () => {
    const id = await app.create.issue()

    const pins = await Promise.all(Array.from({ length: 20 }, () => ask(`/map/issues/${id}`)))

    expect(new Set(pins.map(({ status }) => status))).toEqual(new Set([200]))
    expect((await app.as.anonymous.get(`/issues/${id}`)).status).toBe(200)
  })
})
