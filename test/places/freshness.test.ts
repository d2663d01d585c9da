import { describe, expect, it } from 'vitest'

import { sql } from '../../src/database/database.ts'
import { appOn } from '../http/app-on.ts'
import type { Client } from '../helpers/client.ts'
import { useApp } from '../helpers/use-app.ts'

const HERE = { lng: -104.99, lat: 39.74 }
const NEAR = `/places?lat=${HERE.lat}&lng=${HERE.lng}`
const paths = [NEAR, `${NEAR}&per_page=1&page=2`, '/places/denver', '/places/1']

const tagOf = async (client: Client, path: string) => String((await client.get(path)).headers['etag'])
const statusOf = async (client: Client, path: string, tag: string) => (await client.get(path, { 'if-none-match': tag })).status

describe('conditional GET of places', () => {
  const app = useApp()

  const createTwo = async () => {
    await app.create.place({ url_name: 'denver', around: HERE })
    await app.create.place({ url_name: 'aurora', around: { ...HERE, lng: -104.7 } })
  }
  const answersOf = () => Promise.all(paths.map((path) => app.as.anonymous.get(path)))
  const tagsOf = () => Promise.all(paths.map((path) => tagOf(app.as.anonymous, path)))
  const statusesOf = (tags: readonly string[]) =>
    Promise.all(paths.map((path, n) => statusOf(app.as.anonymous, path, tags[n] ?? '')))

  it.each([
    [
      'a new place',
      sql`INSERT INTO places (name, url_name, place_type, boundary, center_lng, center_lat, area_m2)
      SELECT 'New', 'new', 'City', p.boundary, p.center_lng, p.center_lat, p.area_m2 FROM places p WHERE p.id = 1`,
    ],
    ['a new name', sql`UPDATE places SET name = 'Other' WHERE id = 2`],
    ['another url_name', sql`UPDATE places SET url_name = 'other' WHERE id = 2`],
    ['another county', sql`UPDATE places SET county = NULL WHERE id = 1`],
    ['another boundary', sql`UPDATE places SET boundary = ST_Translate(boundary, 1, 0) WHERE id = 1`],
    ['another id', sql`UPDATE places SET id = 7 WHERE id = 2`],
    ['the deletion of a place', sql`DELETE FROM places WHERE id = 2`],
    ['the deletion of all places', sql`TRUNCATE places CASCADE`],
  ])('returns the changed responses in full after %s', async (_, change) => {
    await createTwo()
    const before = await answersOf()

    await app.db.execute(change)

    const after = await answersOf()
    const unchanged = before.map(({ text }, n) => (after[n]?.text === text ? 304 : after[n]?.status))
    expect(await statusesOf(before.map(({ headers }) => String(headers['etag'])))).toEqual(unchanged)
    expect(unchanged.filter((status) => status !== 304)).not.toEqual([])
  })

  it.each([
    ['a new import_key', sql`UPDATE places SET import_key = concat('file:', id)`],
    ['a change of the cells of places', sql`UPDATE places SET inner_cells = '{}', boundary_cells = '{}'`],
    ['an update without a change', sql`UPDATE places SET name = name, boundary = boundary`],
    ['a deletion of no row', sql`DELETE FROM places WHERE id = 999`],
    ['a new issue', sql`INSERT INTO issues (summary, lng, lat, status) VALUES ('A hole', -104.99, 39.74, 'Open')`],
  ])('returns 304 after %s', async (_, change) => {
    await createTwo()
    const tags = await tagsOf()

    await app.db.execute(change)

    expect(await statusesOf(tags)).toEqual(paths.map(() => 304))
  })

  it('returns 200 if the geocoder finds another point for the address', async () => {
    await createTwo()
    let found = HERE
    const { anonymous } = await appOn(app.db, {}, { areas: { ...app.services.areas, geocode: () => Promise.resolve(found) } })
    const path = '/places?address=Church+St'
    const tag = await tagOf(anonymous, path)
    const before = await statusOf(anonymous, path, tag)

    found = { ...HERE, lng: -104.7 }

    expect([before, await statusOf(anonymous, path, tag)]).toEqual([304, 200])
  })

  it('returns 404 without an ETag for a missing place, for every If-None-Match', async () => {
    await createTwo()

    const answers = await Promise.all(
      ['*', await tagOf(app.as.anonymous, '/places/denver')].map((tag) =>
        app.as.anonymous.get('/places/atlantis', { 'if-none-match': tag }),
      ),
    )

    expect(answers.map(({ status, headers }) => [status, headers['etag']])).toEqual([
      [404, undefined],
      [404, undefined],
    ])
    expect(await statusOf(app.as.anonymous, '/places/denver', '*')).toBe(304)
  })
})
