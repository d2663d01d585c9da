import { describe, expect, it } from 'vitest'

import { sql } from '../../../src/database/database.ts'
import { useApp } from '../../helpers/use-app.ts'

const app = useApp()

const read = (path: string) => app.as.anonymous.send('GET', path)
const addressesIn = (text: string) =>
  [...text.matchAll(/<loc>([^<]*)<\/loc>/g)].map(([, address = '']) => address.replace('http://fixpoint.test', ''))

describe('/sitemap.xml', () => {
  it('names files with all public addresses, and is named by robots.txt', async () => {
    const place = await app.create.place({ url_name: 'denver' })
    const quiet = await app.create.place({ url_name: 'boulder' })
    const open = await app.create.issue({ updated_at: '2026-01-02T03:04:05Z' })
    await app.create.issue({ status: 'Archived' })
    for (const moderation_state of ['held', 'rejected'] as const) {
      await app.create.issue({ moderation_state })
      await app.create.question({ place: place.id, moderation_state })
    }
    const question = await app.create.question({ place: place.id })
    await app.create.question({ place: quiet.id, moderation_state: 'held' })

    const index = await read('/sitemap.xml')
    const files = await Promise.all(addressesIn(index.text).map(read))
    const robots = await read('/robots.txt')

    expect(index.headers['content-type']).toBe('application/xml; charset=utf-8')
    expect(addressesIn(index.text)).toEqual([
      '/sitemap-pages.xml',
      '/sitemap-issues-1.xml',
      '/sitemap-places-1.xml',
      '/sitemap-question-lists-1.xml',
      '/sitemap-questions-1.xml',
    ])
    expect(files.map(({ text }) => addressesIn(text))).toEqual([
      ['/', '/places', '/questions', '/data', '/data/dictionary', '/about', '/privacy', '/terms'],
      [`/issues/${open}`],
      ['/places/denver', '/places/boulder'],
      ['/places/denver/questions'],
      [`/questions/${question}`],
    ])
    expect(files[1]?.text).toBe(
      `<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n<url><loc>http://fixpoint.test/issues/${open}</loc><lastmod>2026-01-02T03:04:05.000Z</lastmod></url>\n</urlset>\n`,
    )
    expect(robots.text).toContain('Sitemap: http://fixpoint.test/sitemap.xml\n')
  })

  it('names only files that have addresses, also far apart', async () => {
    for (const id of [50_000, 50_001, 2_147_483_647]) await app.create.issue({ id })

    const index = await read('/sitemap.xml')

    expect(addressesIn(index.text)).toEqual([
      '/sitemap-pages.xml',
      '/sitemap-issues-1.xml',
      '/sitemap-issues-2.xml',
      '/sitemap-issues-42950.xml',
    ])
    expect(addressesIn((await read('/sitemap-issues-2.xml')).text)).toEqual(['/issues/50001'])
    expect(addressesIn((await read('/sitemap-issues-42950.xml')).text)).toEqual(['/issues/2147483647'])
  })

  it('reads a file of many issues in several steps', async () => {
    await app.db.execute(sql`INSERT INTO issues (summary, lng, lat) SELECT 'Issue', 0, 0 FROM generate_series(1, 10001)`)

    const addresses = addressesIn((await read('/sitemap-issues-1.xml')).text)

    expect(addresses).toHaveLength(10_001)
    expect(new Set(addresses).size).toBe(10_001)
  })

  it.each([
    '/sitemap-issues-1.xml',
    '/sitemap-issues-0.xml',
    '/sitemap-issues-x.xml',
    '/sitemap-users-1.xml',
    '/sitemap-issues-99999999999.xml',
  ])('has no file %s', async (path) => {
    expect([404, 422]).toContain((await read(path)).status)
  })
})
