import { describe, expect, it } from 'vitest'

import { useApp } from '../helpers/use-app.ts'
import { appOn, bearer } from '../http/app-on.ts'

const paths = ['/exports/issues.csv', '/exports/places.csv', '/feeds/issues.geojson']
const app = useApp()

describe('EXPORTS', () => {
  const statusesOf = async (env: Record<string, string>, headers: Record<string, string> = {}) => {
    const { anonymous } = await appOn(app.db, env)
    const urls = [...paths, '/feeds/issues.geojson?per_page=20', '/feeds/issues.atom']
    const methods = ['GET', 'HEAD'] as const
    const statuses: number[] = []
    for (const url of urls) for (const method of methods) statuses.push((await anonymous.send(method, url, { headers })).status)
    return statuses
  }
  const pages = [200, 200, 200, 200]

  it('allows anonymous downloads with open', async () => {
    const resident = await app.create.user()

    expect(await statusesOf({})).toEqual([200, 200, 200, 200, 200, 200, ...pages])
    expect(await statusesOf({ EXPORTS: 'open' }, bearer(resident.token))).toEqual([200, 200, 200, 200, 200, 200, ...pages])
  })

  it('requires credentials for downloads, not for pages, with token', async () => {
    const [resident, employee] = [await app.create.user(), await app.create.user({ role: 'VerifiedOfficial' })]

    expect(await statusesOf({ EXPORTS: 'token' })).toEqual([401, 401, 401, 401, 401, 401, ...pages])
    for (const { token } of [resident, employee])
      expect(await statusesOf({ EXPORTS: 'token' }, bearer(token))).toEqual([200, 200, 200, 200, 200, 200, ...pages])
  })

  it('returns 403 and the alternative for downloads with off', async () => {
    const admin = await app.create.user({ role: 'Admin' })
    const { anonymous } = await appOn(app.db, { EXPORTS: 'off' })

    expect(await statusesOf({ EXPORTS: 'off' })).toEqual([403, 403, 403, 403, 403, 403, ...pages])
    expect(await statusesOf({ EXPORTS: 'off' }, bearer(admin.token))).toEqual([403, 403, 403, 403, 403, 403, ...pages])
    const { body } = await anonymous.send('GET', '/feeds/issues.geojson', { headers: { 'accept-language': 'fr' } })
    expect(body).toMatchObject({
      message: 'Les téléchargements complets sont désactivés sur ce serveur. Utilisez GET /api/v2/issues, page par page.',
    })
  })
})

describe('whole downloads for callers', () => {
  const urls = [
    ...['geojson', 'geojsonl', 'csv', 'gpx', 'kml'].map((format) => `/exports/issues.${format}`),
    '/feeds/issues.geojson',
  ]

  it('have no anonymous reporters, and no issues that are pending review or rejected, also for their author', async () => {
    const ben = await app.create.user({ name: 'Ben Underhill' })
    await app.create.issue({ reporter: ben, anonymous: true, summary: 'Visible hole' })
    await app.create.issue({ reporter: ben, moderation_state: 'held', summary: 'Pending hole' })
    await app.create.issue({ reporter: ben, moderation_state: 'rejected', summary: 'Rejected hole' })

    for (const client of [app.as.anonymous, app.as.user(ben)]) {
      for (const url of urls) {
        const { text } = await client.send('GET', url)
        expect(text).toContain('Visible hole')
        expect(text).not.toMatch(/Pending|Rejected|Underhill/)
      }
    }
  })

  it('name anonymous reporters to those who may read them', async () => {
    const organization = await app.create.organization()
    const request_type = await app.create.requestType({ organization })
    const employee = await app.create.user({ memberOf: [{ organization }] })
    await app.create.issue({ reporter: await app.create.user({ name: 'Ben Underhill' }), anonymous: true, request_type })

    const list = await app.as.user(employee).get('/issues')
    const csv = await app.as.user(employee).send('GET', '/exports/issues.csv')

    expect(csv.text.includes('Ben Underhill')).toBe(list.text.includes('Ben Underhill'))
  })

  it('filter by the caller as the list does, and are private', async () => {
    const ada = await app.create.user()
    const mine = await app.create.issue({ assignee: ada })
    await app.create.issue()

    const own = await app.as.user(ada).send('GET', '/exports/issues.geojson?assigned_to_me=true')
    const all = await app.as.anonymous.send('GET', '/exports/issues.geojson?assigned_to_me=true')
    const byUrl = await app.as.user(ada).send('GET', '/feeds/issues.geojson')

    const idsOf = ({ text }: { text: string }) => (JSON.parse(text) as { features: { id: number }[] }).features.map(({ id }) => id)
    expect([idsOf(own), idsOf(all).length]).toEqual([[mine], 2])
    expect([own, all, byUrl].map(({ headers }) => headers['cache-control'])).toEqual([
      'private, no-store',
      'no-store',
      'private, no-store',
    ])
  })

  it('return 401 for wrong credentials', async () => {
    const { status } = await app.as.anonymous.send('GET', '/exports/issues.csv', { headers: bearer('unknown') })

    expect(status).toBe(401)
  })
})
