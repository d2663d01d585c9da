import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'

import { backdateChanges } from '../helpers/backdate-changes.ts'
import { GREEN, square } from '../helpers/factories.ts'
import type { ApiResponse } from '../helpers/client.ts'
import { issuesUrl, fetchAllIds, readCursor, parseIssueList, type Pagination } from '../helpers/issue-list.ts'
import { PUBLIC_URL, useApp } from '../helpers/use-app.ts'
import { childrenOf, parseXml, textOf } from './xml.ts'
import { runs } from '../helpers/long.ts'

const feeds = ['/feeds/issues.atom', '/feeds/issues.geojson'] as const
const statuses = ['Open', 'Acknowledged', 'Closed', 'Archived'] as const

describe('GET /feeds/issues.atom and GET /feeds/issues.geojson', () => {
  const app = useApp({ keepRows: true })

  beforeAll(async () => {
    const resident = await app.create.user()
    await app.create.place({ url_name: 'new-haven', size: 0.02 })
    await app.create.watchArea({ of: resident, area: square(GREEN, 0.03), token: 'the-token' })
    const type = await app.create.requestType()
    const random = fc.sample(fc.tuple(fc.integer({ min: -50, max: 50 }), fc.integer({ min: -50, max: 50 }), fc.nat(300)), {
      numRuns: 120,
      seed: 5,
    })
    for (const [n, [east, north, day]] of random.entries()) {
      const created_at = new Date(Date.UTC(2026, 0, 1 + day)).toISOString()
      await app.create.issue({
        at: { lng: GREEN.lng + east / 1_000, lat: GREEN.lat + north / 1_000 },
        summary: n % 3 === 0 ? `Pothole ${n}` : `Lamp ${n}`,
        status: statuses[n % 4] ?? 'Open',
        ...(n % 5 === 0 ? { request_type: type } : {}),
        ...(n % 7 === 0 ? { assignee: resident } : {}),
        base_rating: n % 6,
        moderation_state: n % 11 === 0 ? 'held' : 'passed',
        reporter: resident,
        created_at,
      })
    }
    await backdateChanges(app.db)
  })

  const idsOf = async (path: string) => {
    const { status, text } = await app.as.anonymous.send('GET', path)
    expect(status, text).toBe(200)
    if (path.startsWith('/feeds/issues.geojson')) {
      return (JSON.parse(text) as { features: { id: number }[] }).features.map(({ id }) => id)
    }
    const entries = childrenOf(parseXml(text), 'entry')
    return entries.map((entry) => Number(textOf(entry, 'id').replace(`${PUBLIC_URL}/issues/`, '')))
  }

  it('return the issues of the list in its order, for any query', async () => {
    const near = fc.integer({ min: -40, max: 40 }).map((step) => step / 1_000)
    const areas = fc.oneof(
      fc.constant({}),
      fc.constant({ place_url: 'new-haven' }),
      fc.constant({ watcher_token: 'the-token' }),
      fc
        .tuple(near, near, fc.integer({ min: 11, max: 17 }))
        .map(([x, y, zoom]) => ({ lat: GREEN.lat + y, lng: GREEN.lng + x, zoom })),
      fc.tuple(near, near).map(([x, y]) => ({
        min_lat: GREEN.lat - Math.abs(y),
        min_lng: GREEN.lng - Math.abs(x),
        max_lat: GREEN.lat + Math.abs(y),
        max_lng: GREEN.lng + Math.abs(x),
      })),
    )
    const filters = fc.record(
      {
        status: fc.subarray(['open', 'acknowledged', 'closed', 'archived'], { minLength: 1 }).map((some) => some.join(',')),
        search: fc.constantFrom('pothole', 'lamp 1', 'lmap'),
        request_types: fc.constantFrom('1', 'other', '1,other'),
        assigned: fc.constantFrom('unassigned', `1`),
        assigned_to_me: fc.constant('true'),
        after: fc.constant('2026-04-01'),
        before: fc.constant('2026-09-01'),
        updated_at_after: fc.constant('2026-02-01'),
        sort: fc.constantFrom('created_at', 'updated_at', 'rating'),
        sort_direction: fc.constantFrom('ASC', 'DESC'),
        per_page: fc.constantFrom('7', '100', '1000', '0'),
        page: fc.constantFrom('1', '2', '50'),
        details: fc.constant('true'),
      },
      { requiredKeys: [] },
    )
    await fc.assert(
      fc.asyncProperty(areas, filters, async (area, { details: _details, ...filter }) => {
        const parameters = { per_page: '20', ...area, ...filter }
        const { issues, pagination } = parseIssueList(await app.as.anonymous.get(issuesUrl(parameters)))
        const wanted = issues.map(({ id }) => id)

        for (const feed of feeds) expect(await idsOf(issuesUrl(parameters, feed))).toEqual(wanted)
        const { text } = await app.as.anonymous.send('GET', issuesUrl(parameters, '/feeds/issues.geojson'))
        const reported = (JSON.parse(text) as { metadata: { pagination: { entries: number } } }).metadata.pagination
        expect(reported.entries).toBe(pagination.entries)
      }),
      runs(12),
    )
  })

  it('return the pages of the list by cursors, and ignore cursors of another list', async () => {
    const parameters = { sort: 'rating', status: 'open,archived', per_page: 7 }
    const { ids } = await fetchAllIds(app.as.anonymous, parameters)
    const read: number[] = []
    const addresses: string[] = []

    for (let address: string | null = issuesUrl(parameters, '/feeds/issues.geojson'); address !== null;) {
      addresses.push(address)
      const answer: ApiResponse = await app.as.anonymous.send('GET', address)
      const { features, metadata } = JSON.parse(answer.text) as {
        features: { id: number }[]
        metadata: { pagination: Pagination }
      }
      read.push(...features.map(({ id }) => id))
      address = metadata.pagination.next_page_url?.replace(PUBLIC_URL, '') ?? null
    }

    expect(read).toEqual(ids)
    const cursor = readCursor(`${PUBLIC_URL}${addresses[1] ?? ''}`)
    for (const feed of feeds) {
      expect((await app.as.anonymous.send('GET', issuesUrl({ ...parameters, cursor }, feed))).status).toBe(200)
      expect(await idsOf(issuesUrl({ ...parameters, sort: 'created_at', cursor }, feed))).toEqual(
        await idsOf(issuesUrl({ ...parameters, sort: 'created_at' }, feed)),
      )
    }
  })

  it('return the same 422 as the list', async () => {
    const wrong = [
      'sort=beauty',
      'min_lat=1',
      'place_url=nowhere',
      'watcher_token=nothing',
      'zoom=5',
      'status=OPEN',
      'request_types=999',
      'page=first',
      'after=yesterday',
      'sort=distance',
      `search=${'x'.repeat(201)}`,
    ]
    for (const query of wrong) {
      const { status, body } = await app.as.anonymous.get(`/issues?${query}`)
      expect(status).toBe(422)
      for (const feed of feeds) {
        const answer = await app.as.anonymous.send('GET', `${feed}?${query}`)
        expect([answer.status, answer.body]).toEqual([422, body])
      }
    }
  })

  it.each(feeds.map((feed) => `${feed}?per_page=20`))(
    '%s returns 304 to conditional requests and allows every origin',
    async (feed) => {
      const first = await app.as.anonymous.send('GET', feed, { headers: { origin: 'https://elsewhere.example' } })
      const { etag } = first.headers as Record<string, string>

      const head = await app.as.anonymous.send('HEAD', feed)
      const byTag = await app.as.anonymous.send('GET', feed, { headers: { 'if-none-match': etag ?? '' } })

      expect(first.headers).toMatchObject({
        'access-control-allow-origin': '*',
        'cache-control': 'public, no-cache',
        'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
        vary: expect.stringContaining('Accept') as string,
      })
      expect(first.headers).not.toHaveProperty('ratelimit')
      expect([head.status, head.text, head.headers['etag']]).toEqual([200, '', etag])
      expect([byTag.status, byTag.text]).toEqual([304, ''])
    },
  )

  it.each(feeds)('%s returns an error as a page to clients that accept HTML', async (feed) => {
    const asJson = await app.as.anonymous.send('GET', `${feed}?sort=beauty`, { headers: { accept: 'application/atom+xml, */*' } })
    const asPage = await app.as.anonymous.send('GET', `${feed}?sort=beauty`, { headers: { accept: 'text/html' } })

    expect(asJson.headers['content-type']).toBe('application/json; charset=utf-8')
    expect(asPage.headers['content-type']).toBe('text/html; charset=utf-8')
    expect([asJson.status, asPage.status]).toEqual([422, 422])
  })
})
