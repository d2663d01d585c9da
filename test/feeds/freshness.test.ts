import { describe, expect, it, onTestFinished } from 'vitest'

import { sql } from '../../src/database/database.ts'
import { rollUpCellChanges } from '../../src/geo/pyramid/roll-up.ts'
import type { Client } from '../helpers/client.ts'
import { GREEN, square } from '../helpers/factories.ts'
import { backdateChanges } from '../helpers/backdate-changes.ts'
import { useApp } from '../helpers/use-app.ts'
import { createDetailedIssue, type DetailedIssue } from '../issues/detailed-issue.ts'

const FAR = { lng: -105, lat: 39.7 }
const BOX = `min_lat=${GREEN.lat - 0.25}&min_lng=${GREEN.lng - 0.25}&max_lat=${GREEN.lat + 0.25}&max_lng=${GREEN.lng + 0.25}`
const CIRCLE = `lat=${GREEN.lat}&lng=${GREEN.lng}&radius=25000`
const POLYGON = `&area=${encodeURIComponent(JSON.stringify(square(GREEN)))}`
/** A page of GeoJSON: a whole download has no validators. */
const feeds = ['/feeds/issues.atom?per_page=50', '/feeds/issues.geojson?per_page=50'] as const
/** Smaller than any cell. */
const SPOT = 'min_lat=41.308&min_lng=-72.928&max_lat=41.3085&max_lng=-72.9275'
const paths = feeds.flatMap((feed) =>
  ['', `&${BOX}`, `&${BOX}&search=hole`, `&${SPOT}`, `&${CIRCLE}`, POLYGON, '&place_url=green'].map((query) => `${feed}${query}`),
)

const ask = (client: Client, path: string, tag?: string) =>
  client.send('GET', path, { headers: tag === undefined ? {} : { 'if-none-match': tag } })
const tagOf = async (client: Client, path: string) => String((await ask(client, path)).headers['etag'])
const statusOf = async (client: Client, path: string, tag: string) => (await ask(client, path, tag)).status

describe('conditional GET of a feed', () => {
  const app = useApp()

  const createPlaceAndStory = async () => {
    const place = await app.create.place({ url_name: 'green', name: 'The Green', size: 0.2 })
    return { ...(await createDetailedIssue(app)), place: place.id }
  }

  it.each(paths)('returns 304 for a kept page without reading issues or counting them: %s', async (path) => {
    await createPlaceAndStory()
    const tag = await tagOf(app.as.anonymous, path)
    // A renamed table makes every read of issues fail.
    await app.db.executeScript('ALTER TABLE media RENAME TO not_media')
    onTestFinished(() => app.db.executeScript('ALTER TABLE not_media RENAME TO media'))

    const unchanged = await ask(app.as.anonymous, path, tag)

    expect([unchanged.status, unchanged.text]).toEqual([304, ''])
    expect(unchanged.headers).toMatchObject({ etag: tag, 'cache-control': 'public, no-cache', 'access-control-allow-origin': '*' })
    const failed = await ask(app.as.anonymous, `${path}&anew=1`)
    expect([failed.status, failed.headers['etag']]).toEqual([500, undefined])
  })

  it.each<[string, (story: DetailedIssue & { place: number }) => Promise<unknown>]>([
    ['a new issue', () => app.create.issue()],
    ['other words', ({ issue }) => app.db.prisma.issue.update({ where: { id: issue }, data: { summary: 'Other words' } })],
    [
      'a published issue that becomes pending',
      ({ issue }) => app.db.prisma.issue.update({ where: { id: issue }, data: { moderation_state: 'held' } }),
    ],
    [
      "the reporter's new name",
      ({ reporter }) => app.db.prisma.user.update({ where: { id: reporter.id }, data: { name: 'Ada Lane' } }),
    ],
    [
      'another title of the type',
      ({ requestType }) => app.db.prisma.requestType.update({ where: { id: requestType }, data: { title: 'Hole' } }),
    ],
    [
      'a picture',
      async ({ issue }) => {
        const data = { issue_id: issue, full_key: 'full.jpg', content_type: 'image/jpeg', bytes: 1, width: 1, height: 1 }
        await app.db.prisma.medium.create({ data })
        await app.db.execute(sql`SELECT revise_issue(${issue}, TRUE)`)
      },
    ],
  ])('returns the full response after %s', async (_, change) => {
    const story = await createPlaceAndStory()
    await backdateChanges(app.db)
    const before = await Promise.all(paths.map((path) => ask(app.as.anonymous, path)))

    await change(story)

    for (const [n, path] of paths.entries()) {
      const { status } = await ask(app.as.anonymous, path, String(before[n]?.headers['etag']))
      const { text } = await ask(app.as.anonymous, `${path}&anew=1`)
      const isChanged = text.replaceAll(/anew=1(&amp;|&)/g, '') !== before[n]?.text
      expect([path, status]).toEqual([path, isChanged ? 200 : 304])
    }
  })

  it.each([
    ['name', sql`UPDATE places SET name = 'The Common'`],
    ['boundary', sql`UPDATE places SET boundary = ST_Translate(boundary, 1, 0)`],
  ])('returns the full response after its place gets another %s', async (_, change) => {
    await createPlaceAndStory()
    const placePaths = feeds.map((feed) => `${feed}&place_url=green`)
    const tags = await Promise.all(placePaths.map((path) => tagOf(app.as.anonymous, path)))

    await app.db.execute(change)

    expect(await Promise.all(placePaths.map((path, n) => statusOf(app.as.anonymous, path, tags[n] ?? '')))).toEqual([200, 200])
  })

  it('returns 304 after changes of other areas, invisible users and pending issues, and after a roll-up', async () => {
    await createPlaceAndStory()
    const stranger = await app.create.user()
    const elsewhere = await app.create.issue({ at: FAR, reporter: stranger })
    const pendingId = await app.create.issue({ moderation_state: 'held', reporter: stranger })
    const inAreas = paths.filter((path) => path.includes('&'))
    const tags = await Promise.all(inAreas.map((path) => tagOf(app.as.anonymous, path)))

    await app.create.vote({ on: elsewhere, by: stranger })
    await app.db.execute(sql`UPDATE users SET name = 'Another Name' WHERE id = ${stranger.id}`)
    await app.db.execute(sql`UPDATE issues SET summary = 'Other words' WHERE id = ${pendingId}`)
    await app.db.execute(sql`UPDATE places SET import_key = 'file:1'`)
    await rollUpCellChanges(app.db)

    expect(await Promise.all(inAreas.map((path, n) => statusOf(app.as.anonymous, path, tags[n] ?? '')))).toEqual(
      inAreas.map(() => 304),
    )
  })

  it('returns GeoJSON again after another url_name of the place that covers an issue', async () => {
    await createPlaceAndStory()
    const tags = await Promise.all(feeds.map((path) => tagOf(app.as.anonymous, path)))

    await app.db.execute(sql`UPDATE places SET url_name = 'common'`)

    const statuses = await Promise.all(feeds.map((path, n) => statusOf(app.as.anonymous, path, tags[n] ?? '')))
    expect(Object.fromEntries(feeds.map((path, n) => [path, statuses[n]]))).toEqual({
      '/feeds/issues.atom?per_page=50': 304,
      '/feeds/issues.geojson?per_page=50': 200,
    })
  })

  it('returns 422 for an unknown place, even with a matching ETag', async () => {
    await createPlaceAndStory()
    const tags = await Promise.all(feeds.map((feed) => tagOf(app.as.anonymous, feed)))

    const answers = await Promise.all(feeds.map((feed, n) => ask(app.as.anonymous, `${feed}&place_url=nowhere`, tags[n])))

    expect(answers.map(({ status, headers }) => [status, headers['etag']])).toEqual([
      [422, undefined],
      [422, undefined],
    ])
  })
})
