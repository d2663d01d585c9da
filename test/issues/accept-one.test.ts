import { describe, expect, it } from 'vitest'

import { backdateChanges } from '../helpers/backdate-changes.ts'
import { useApp } from '../helpers/use-app.ts'
import { createIssues, featureOf } from './accept-issues.ts'

const JSON_TYPE = 'application/json; charset=utf-8'
const GEOJSON = 'application/geo+json'

const app = useApp()
const ask = (path: string, accept: string, headers: Record<string, string> = {}) =>
  app.as.anonymous.get(path, { accept, ...headers })

describe('GET /issues/:id with Accept', () => {
  it('returns the issue as a feature', async () => {
    const created = await createIssues(app)

    const answer = await ask(`/issues/${created.issue}`, GEOJSON)

    expect([answer.status, answer.headers['content-type']]).toEqual([200, 'application/geo+json; charset=utf-8'])
    expect(JSON.parse(answer.text)).toEqual(featureOf(created))
    expect((await ask(`/issues/${created.issue}`, 'text/csv')).headers['content-type']).toBe(JSON_TYPE)
  })

  it('returns an issue that is pending review to its author only', async () => {
    const ada = await app.create.user()
    const issue = await app.create.issue({ reporter: ada, moderation_state: 'held' })

    const own = await app.as.user(ada).get(`/issues/${issue}`, { accept: GEOJSON })
    const other = await ask(`/issues/${issue}`, GEOJSON)

    expect([own.status, own.headers['cache-control'], JSON.parse(own.text)]).toMatchObject([
      200,
      'private, no-cache',
      { id: issue },
    ])
    expect([other.status, other.headers['content-type']]).toEqual([404, JSON_TYPE])
  })

  it('has an ETag of its own that changes with the issue and with places', async () => {
    const { issue } = await createIssues(app)
    await backdateChanges(app.db)
    const path = `/issues/${issue}`
    const [json, feature] = [await ask(path, 'application/json'), await ask(path, GEOJSON)]
    const byTag = { 'if-none-match': String(feature.headers['etag']) }
    const statuses = async () => (await ask(path, GEOJSON, byTag)).status

    expect(json.headers['etag']).not.toBe(feature.headers['etag'])
    expect((await ask(path, 'application/json', byTag)).status).toBe(200)
    expect(await statuses()).toBe(304)
    await app.db.prisma.place.updateMany({ data: { url_name: 'elm-city' } })
    expect(await statuses()).toBe(200)
    expect((await ask(path, 'application/json', { 'if-none-match': String(json.headers['etag']) })).status).toBe(304)
  })

  it('returns 422 for details', async () => {
    const { issue } = await createIssues(app)

    const { status, body } = await ask(`/issues/${issue}?details=true`, GEOJSON)

    expect([status, body]).toEqual([422, { details: 'is only for JSON: leave it out, or send Accept: application/json' }])
  })

  it('returns JSON after a feature, and the other way round', async () => {
    const { issue } = await createIssues(app)
    const path = `/issues/${issue}`

    const types = []
    for (const accept of [GEOJSON, '*/*', '*/*', GEOJSON]) types.push((await ask(path, accept)).headers['content-type'])

    expect(types).toEqual([`${GEOJSON}; charset=utf-8`, JSON_TYPE, JSON_TYPE, `${GEOJSON}; charset=utf-8`])
  })
})
