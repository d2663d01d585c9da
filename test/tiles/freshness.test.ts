import { describe, expect, it } from 'vitest'

import type { Query } from '../../src/database/database.ts'
import { GREEN } from '../helpers/factories.ts'
import { useApp } from '../helpers/use-app.ts'
import { appOn, bearer } from '../http/app-on.ts'
import { fetchTile, tileAt } from './tile-client.ts'

const AT_12 = tileAt(GREEN, 12)

/** Statements that resolve the place of a filter or the caller are not those of a tile. */
const isOfTile = (text: string) =>
  !/FROM places p\b|FROM users|FROM tokens|FROM watch_areas/.test(text) || text.includes('change_count')

describe('the ETag of a tile', () => {
  const app = useApp()

  /** Another process on the same database, which has no tiles in memory. */
  async function countingApp() {
    const tileStatements: string[] = []
    const count =
      (query: Query): Query =>
      async (statement) => {
        if (isOfTile(statement.text)) tileStatements.push(statement.text)
        return query(statement)
      }
    const on = await appOn(
      app.db,
      {},
      { db: { ...app.db, reader: { query: count(app.db.reader.query) }, query: count(app.db.query) } },
    )
    return { ...on, tileStatements }
  }

  const statusFor = async (path: string, etag: unknown, query = '') =>
    (await fetchTile(app, path, query, { 'if-none-match': String(etag) })).status

  it('returns 304 until an issue of the tile changes', async () => {
    const id = await app.create.issue({ at: GREEN })
    const before = (await fetchTile(app, AT_12)).headers['etag']
    expect(await statusFor(AT_12, before)).toBe(304)

    await app.db.prisma.issue.update({ where: { id }, data: { status: 'Closed' } })

    const { features, headers } = await fetchTile(app, AT_12, '', { 'if-none-match': String(before) })
    expect(features[0]?.properties['status']).toBe('Closed')
    expect(headers['etag']).not.toBe(before)
    expect(await statusFor(AT_12, headers['etag'])).toBe(304)
  })

  it('stays when an edit is in the same cell but not in what the tile shows', async () => {
    const id = await app.create.issue({ at: GREEN, summary: 'Hole' })
    const paths = [AT_12, tileAt(GREEN, 16), tileAt(GREEN, 5)]
    const before = await Promise.all(paths.map(async (path) => (await fetchTile(app, path)).headers['etag']))

    await app.db.prisma.issue.update({ where: { id }, data: { summary: 'Deep hole' } })

    const after = await Promise.all(paths.map((path, n) => statusFor(path, before[n])))
    expect(after).toEqual([304, 200, 304])
  })

  it('changes when the boundary of the place of the filter changes', async () => {
    const place = await app.create.place({ url_name: 'green', around: GREEN, size: 0.01 })
    await app.create.issue({ at: { lng: GREEN.lng + 0.02, lat: GREEN.lat } })
    const before = await fetchTile(app, AT_12, '?place_url=green')
    expect(await statusFor(AT_12, before.headers['etag'], '?place_url=green')).toBe(304)

    await app.db.executeScript(`UPDATE places SET boundary = ST_Multi(ST_Expand(boundary, 0.1)) WHERE id = ${place.id}`)

    const after = await fetchTile(app, AT_12, '?place_url=green', { 'if-none-match': String(before.headers['etag']) })
    expect([before.features.length, after.status, after.features.length]).toEqual([0, 200, 1])
  })

  it.each([
    ['an anonymous caller', '', false],
    ['a caller with credentials', '', true],
    ['another spelling of the same parameters', '?status=closed,open,acknowledged&colour=red', false],
    ['a place', '?place_url=green', false],
    ['a filter by the caller', '?assigned_to_me=true', true],
  ])('has the same ETag in another process: %s', async (_, query, hasCredentials) => {
    await app.create.place({ url_name: 'green', around: GREEN, size: 0.01 })
    const ada = await app.create.user()
    await app.create.issue({ at: GREEN, assignee: ada })
    const credentials: Record<string, string> = hasCredentials ? bearer(ada.token) : {}
    const paths = [AT_12, tileAt(GREEN, 5)]
    const other = await countingApp()

    const etags = await Promise.all(paths.map(async (path) => (await fetchTile(app, path, query, credentials)).headers['etag']))
    const responses = await Promise.all(
      paths.map((path, n) => fetchTile(other, path, query, { ...credentials, 'if-none-match': String(etags[n]) })),
    )

    expect(responses.map(({ status, headers }) => [status, headers['etag']])).toEqual(etags.map((etag) => [304, etag]))
  })

  it('sends a tile from memory for every URL with the same filter, and for every caller', async () => {
    const ada = await app.create.user()
    await app.create.issue({ at: GREEN })
    const other = await countingApp()
    const first = await fetchTile(other, AT_12)
    const before = other.tileStatements.length

    const again = [
      await fetchTile(other, AT_12, '?colour=red'),
      await fetchTile(other, AT_12, '?status=closed,acknowledged,open'),
      await fetchTile(other, AT_12, '', bearer(ada.token)),
    ]

    expect(again.map(({ body }) => body.equals(first.body))).toEqual([true, true, true])
    expect(other.tileStatements.slice(before).filter((text) => /FROM issues|JOIN issues/.test(text))).toEqual([])
  })

  it('has the same ETag for every caller', async () => {
    const ada = await app.create.user()
    await app.create.issue({ at: GREEN })
    const own = await fetchTile(app, AT_12, '', bearer(ada.token))

    expect((await fetchTile(app, AT_12, '', { 'if-none-match': String(own.headers['etag']) })).status).toBe(304)
  })
})
