import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'

import { sql } from '../../src/database/database.ts'
import { issuesUrl, parseIssueList } from '../helpers/issue-list.ts'
import { useApp } from '../helpers/use-app.ts'
import { metresBetween } from './brute-force.ts'
import { fill, type KnownIssue } from './world.ts'
import { runs } from '../helpers/long.ts'

/* Near coordinates of 0, distances differ by a billionth of a metre, and PostGIS's index may contradict them. Responses must be correct. */

const SITES = [
  { lng: 180, lat: 12 },
  { lng: -180, lat: 12 },
  { lng: 0, lat: 0 },
  { lng: 90, lat: 0 },
]

const issues = Array.from({ length: 1_600 }, (_, position): KnownIssue => {
  const at = SITES[position % SITES.length] ?? { lng: 0, lat: 0 }
  const stamp = '2026-01-01T00:00:00.000Z'
  const rest = { status: 'Open', rating: 1, created_at: stamp, updated_at: stamp, moderation_state: 'passed' } as const
  return { id: position + 1, ...at, ...rest }
})

const origins = fc.record({
  lng: fc.constantFrom(180, -180, 179.999_999_999_94, -179.999_999_999_999_6, 0, 1e-13, -3e-12, 90, 90.000_000_000_01),
  lat: fc.constantFrom(0, 1e-12, -1e-13, 12, 12.000_000_000_01, 90, -90),
})

describe('KNN queries near the antimeridian and the equator', () => {
  const app = useApp({ keepRows: true })
  beforeAll(async () => {
    await fill(app.db, issues)
    await app.db.execute(sql`ANALYZE issues`)
  })

  it('return the nearest issues of a long list first', async () => {
    const areNearest = async (origin: { lng: number; lat: number }) => {
      const metres = issues.map((issue) => metresBetween(issue, origin)).toSorted((one, other) => one - other)

      const list = parseIssueList(await app.as.anonymous.get(issuesUrl({ ...origin, sort: 'distance', per_page: 100 })))

      const found = list.issues.map(({ lng, lat }) => metresBetween({ lng, lat }, origin))
      expect(new Set(list.issues.map(({ id }) => id)).size).toBe(100)
      expect(found.filter((distance, place) => Math.abs(distance - (metres[place] ?? 0)) > 1e-4)).toEqual([])
    }
    await fc.assert(fc.asyncProperty(origins, areNearest), runs(15))
  })

  it('find places and users', async () => {
    const ring = (west: number, east: number) => [[[west, 11], [east, 11], [east, 13], [west, 13], [west, 11]]] // prettier-ignore
    const island = { type: 'MultiPolygon', coordinates: [ring(179, 180), ring(-180, -179)] }
    await app.create.place({ url_name: 'island', boundary: island })
    await app.create.place({ url_name: 'null-island', around: { lng: 0, lat: 0 }, size: 1 })
    for (const [position, at] of SITES.entries()) {
      await app.create.issue({ id: 2_000 + position, at, reporter: await app.create.user({ share_location: true }) })
    }
    const areFound = async (origin: { lng: number; lat: number }) => {
      const places = await app.as.anonymous.get(issuesUrl(origin, '/places'))
      const users = await app.as.anonymous.get(issuesUrl(origin, '/users'))

      expect([places.status, users.status], `${places.text} ${users.text}`).toEqual([200, 200])
      expect((places.body as { places: unknown[] }).places).toHaveLength(2)
      expect((users.body as { users: unknown[] }).users).toHaveLength(4)
    }
    await fc.assert(fc.asyncProperty(origins, areFound), runs(15))
  })
})
