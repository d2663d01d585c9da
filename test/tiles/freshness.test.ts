import { describe, expect, it } from 'vitest'

import { GREEN } from '../helpers/factories.ts'
import { useApp } from '../helpers/use-app.ts'
import { bearer } from '../http/app-on.ts'
import { fetchTile, tileAt } from './tile-client.ts'

const AT_12 = tileAt(GREEN, 12)

describe('the ETag of a tile', () => {
  const app = useApp()
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

  it('returns 304 to the same caller only', async () => {
    const ada = await app.create.user()
    await app.create.issue({ at: GREEN })
    const own = await fetchTile(app, AT_12, '', bearer(ada.token))
    const again = { 'if-none-match': String(own.headers['etag']) }

    expect((await fetchTile(app, AT_12, '', { ...bearer(ada.token), ...again })).status).toBe(304)
    expect((await fetchTile(app, AT_12, '', again)).status).toBe(200)
  })
})
