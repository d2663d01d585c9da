import { beforeAll, describe, expect, it } from 'vitest'

import { createReportTokens } from '../../src/open311/tokens/routes.ts'
import { backdateChanges } from '../helpers/backdate-changes.ts'
import { useApp } from '../helpers/use-app.ts'
import { listReadRoutes } from './routes.ts'

// An app caches the key that signs tokens, which other files delete.
const app = useApp({ keepRows: true, ownApp: true })
let world: Readonly<Record<string, string>>

beforeAll(async () => {
  const organization = await app.create.organization({ name: 'Roads' })
  const type = await app.create.requestType({ organization })
  const issue = await app.create.issue({ request_type: type, created_at: new Date(Date.now() - 86_400_000).toISOString() })
  const token = await createReportTokens(app.db).create(issue)
  world = { organization_id: String(organization), code: String(type), id: String(issue), token }
  await backdateChanges(app.db)
})

/** Routes of whole downloads, which have no ETag. */
const isDownload = (route: string) => route.endsWith('.csv')
const addressOf = (route: string) => route.replaceAll(/:(\w+)/g, (_, name: string) => world[name] ?? `:${name}`)
const read = (route: string, headers: Record<string, string> = {}) =>
  app.as.anonymous.send('GET', addressOf(route), { headers: { 'accept-encoding': 'identity', ...headers } })

describe('conditional requests', () => {
  it('get 304 from each route of Open311 for the ETag of its response, and 200 for another', async () => {
    const routes = listReadRoutes(app.fastify)
    expect(routes.length).toBeGreaterThanOrEqual(25)
    for (const route of routes.filter((one) => !isDownload(one))) {
      const { status, headers } = await read(route)
      const etag = String(headers['etag'])
      expect([route, status, etag]).toEqual([route, 200, expect.stringMatching(/^W\/".{27}/)])
      expect(headers['cache-control']).toBe('public, no-cache')
      expect(headers['vary']).toContain('Accept')

      const same = await read(route, { 'if-none-match': etag })
      expect([route, same.status, same.text]).toEqual([route, 304, ''])
      expect(same.headers['etag']).toBe(etag)
      expect((await read(route, { 'if-none-match': 'W/"another"' })).status).toBe(200)
      const head = await app.as.anonymous.send('HEAD', addressOf(route))
      expect([route, head.status, head.headers['etag']]).toEqual([route, 200, etag])
    }
  })

  it('have an ETag for each format', async () => {
    for (const route of ['/open311/v2/services', '/open311/v2/requests', '/open311/v2/requests/:id', '/open311/discovery']) {
      const [json, xml] = [await read(`${route}.json`), await read(`${route}.xml`)]
      const accepted = await read(route, { accept: 'text/xml', 'if-none-match': String(json.headers['etag']) })

      expect(json.headers['etag']).not.toBe(xml.headers['etag'])
      expect(accepted.status).toBe(200)
    }
  })

  it.each(['/open311/v2/services/:code', '/open311/v2/requests/:id'])('get 304 from %s for its Last-Modified', async (route) => {
    const lastModified = String((await read(route)).headers['last-modified'])

    expect(lastModified).toMatch(/ 2026 .* GMT$/)
    expect((await read(route, { 'if-modified-since': lastModified })).status).toBe(304)
    const before = new Date(Date.parse(lastModified) - 1_000).toUTCString()
    expect((await read(route, { 'if-modified-since': before })).status).toBe(200)
  })
})
