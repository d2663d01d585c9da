import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'

import { childrenOf, parseXml, textOf } from '../feeds/xml.ts'
import { fill, someIssues } from '../geo/world.ts'
import { fetchAllIds, issuesUrl, parseIssueList, type Parameters } from '../helpers/issue-list.ts'
import { runs } from '../helpers/long.ts'
import { PUBLIC_URL, useApp } from '../helpers/use-app.ts'

const idOf = (url: string) => Number(url.replace(`${PUBLIC_URL}/issues/`, ''))
const linesOf = (csv: string) => csv.split('\r\n').slice(1, -1)

/** The ids of a page, by the content type that the caller accepts. */
const idsOf: Readonly<Record<string, (text: string) => number[]>> = {
  'application/geo+json': (text) => (JSON.parse(text) as { features: { id: number }[] }).features.map(({ id }) => id),
  'application/atom+xml': (text) => childrenOf(parseXml(text), 'entry').map((entry) => idOf(textOf(entry, 'id'))),
  'application/rss+xml': (text) =>
    childrenOf(parseXml(text), 'channel', '')
      .flatMap((channel) => childrenOf(channel, 'item', ''))
      .map((item) => idOf(textOf(item, 'guid', ''))),
  'text/csv': (text) => linesOf(text).map((line) => Number(line.split(',')[0])),
}

/** Returns the URL of the next page, which only JSON has in its metadata. */
const nextOf: Readonly<Record<string, (text: string, link: string) => string | undefined>> = {
  'application/geo+json': (text) =>
    (JSON.parse(text) as { links: { rel: string; href: string }[] }).links.find(({ rel }) => rel === 'next')?.href,
  'text/csv': (_, link) => /<([^>]*)>; rel="next"/.exec(link)?.[1],
}

describe('pages of GET /issues by Accept', () => {
  const app = useApp({ keepRows: true })
  const ask = async (url: string, accept: string) => {
    const answer = await app.as.anonymous.send('GET', url, { headers: { accept } })
    expect(answer.status, answer.text).toBe(200)
    return answer
  }

  beforeAll(async () => {
    await fill(app.db, someIssues(150, 3))
    await app.create.place({ url_name: 'city', around: { lng: -104.99, lat: 39.74 }, size: 0.06 })
  })

  const areas = fc.constantFrom<Parameters>(
    {},
    { place_url: 'city' },
    { min_lng: -105.2, max_lng: -104.5, min_lat: 39, max_lat: 40 },
    { min_lng: 170, max_lng: -170, min_lat: -90, max_lat: 90 },
    { lat: 39.74, lng: -104.99, zoom: 12, sort: 'distance' },
  )
  const filters = fc.record(
    {
      status: fc.subarray(['open', 'acknowledged', 'closed', 'archived'], { minLength: 1 }).map((some) => some.join(',')),
      search: fc.constantFrom('issue', 'no such word'),
      request_types: fc.constant('other'),
      after: fc.constantFrom('2026-01-05', '2027-01-01'),
      sort: fc.constantFrom('created_at', 'updated_at', 'rating'),
      sort_direction: fc.constantFrom('ASC', 'DESC'),
      per_page: fc.constantFrom(1, 7, 100),
      page: fc.constantFrom(1, 2, 50),
    },
    { requiredKeys: [] },
  )

  it('have the issues of JSON in its order, for any query', async () => {
    const hasSameIssues = async (area: Parameters, filter: object) => {
      const url = issuesUrl({ ...filter, ...area }, '/api/v2/issues')
      const { issues, pagination } = parseIssueList(await app.as.anonymous.send('GET', url))
      const wanted = issues.map(({ id }) => id)

      for (const [accept, read] of Object.entries(idsOf))
        expect([accept, read((await ask(url, accept)).text)]).toEqual([accept, wanted])
      const totals = JSON.parse((await ask(url, 'application/geo+json')).text) as { numberMatched: number }
      expect(totals.numberMatched).toBe(pagination.entries)
      expect((await ask(url, 'text/csv')).headers['x-total-count']).toBe(String(pagination.entries))
    }

    await fc.assert(fc.asyncProperty(areas, filters, hasSameIssues), runs(15))
  })

  it.each(Object.keys(nextOf))('lead to all pages by their links: %s', async (accept) => {
    const parameters = { sort: 'rating', status: 'open,archived' }
    const { ids } = await fetchAllIds(app.as.anonymous, parameters)
    const read: number[] = []

    for (let url: string | undefined = issuesUrl({ ...parameters, per_page: 7 }, '/api/v2/issues'); url !== undefined;) {
      const { text, headers } = await ask(url, accept)
      read.push(...(idsOf[accept]?.(text) ?? []))
      url = nextOf[accept]?.(text, String(headers['link']))?.replace(PUBLIC_URL, '')
    }

    expect(read).toEqual(ids)
    expect(ids.length).toBeGreaterThan(20)
  })

  it('are well-formed XML for any text', async () => {
    const anyText = fc
      .string({ unit: 'binary', minLength: 1, maxLength: 40 })
      .filter((text) => !text.includes('\0') && text.isWellFormed())
    const isWellFormed = async (summary: string) => {
      await app.db.prisma.issue.update({ where: { id: 1 }, data: { summary, description: summary, status: 'Open' } })
      for (const accept of ['application/atom+xml', 'application/rss+xml']) {
        const { text } = await ask('/api/v2/issues?per_page=100&sort=updated_at', accept)
        expect(parseXml(text).children.length).toBeGreaterThan(0)
      }
    }

    await fc.assert(fc.asyncProperty(anyText, isWellFormed), runs(20))
  })
})
