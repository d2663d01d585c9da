import fc from 'fast-check'
import type { MultiPolygon, Polygon } from 'geojson'
import { beforeAll, describe, expect, it } from 'vitest'

import { fetchAllIds } from '../helpers/issue-list.ts'
import { useApp } from '../helpers/use-app.ts'
import { idsOf, isCoveredBy, isWanted, metresBetween, newestFirst } from './brute-force.ts'
import { acrossTheAntimeridian, areasAround, latticeAround, theNorth, theWorld } from './shapes.ts'
import { fill, type KnownIssue, someIssues } from './world.ts'
import { runs } from '../helpers/long.ts'

const HERE = { lng: -105, lat: 39.5 }

/** Issues of the lattice lie on corners and edges of the areas, other issues anywhere. */
const lattice = latticeAround(HERE.lng, HERE.lat).map((at, position): KnownIssue => ({
  id: 1_000 + position,
  ...at,
  status: 'Open',
  rating: 1,
  created_at: '2026-01-01T00:00:00.000Z',
  updated_at: '2026-01-01T00:00:00.000Z',
  moderation_state: 'passed',
}))
const issues = [...someIssues(300), ...lattice]
const wanted = issues.filter(isWanted({})).toSorted(newestFirst)

const ascending = (one: number, other: number) => one - other

const examples = [acrossTheAntimeridian, theNorth, theWorld].map((area): [Polygon | MultiPolygon] => [area])

describe('GET /issues in a circle or in a polygon, including its edges, corners and the edges of its holes', () => {
  const app = useApp({ keepRows: true })
  beforeAll(() => fill(app.db, issues))

  const matches = async (parameters: Record<string, string>, area: Polygon | MultiPolygon) => {
    const inside = idsOf(wanted.filter(isCoveredBy(area)))

    const { ids, entries } = await fetchAllIds(app.as.anonymous, parameters)

    expect(ids).toEqual(inside)
    expect(entries).toBe(inside.length)
  }

  it('returns exactly the issues in a place', async () => {
    const placeMatches = async (area: Polygon | MultiPolygon) => {
      const { url_name } = await app.create.place({ boundary: area })
      await matches({ place_url: url_name }, area)
    }
    await fc.assert(fc.asyncProperty(areasAround(HERE.lng, HERE.lat), placeMatches), { ...runs(15), examples })
  })

  it('returns exactly the issues in a polygon of the query', async () => {
    const queryMatches = (area: Polygon | MultiPolygon) => matches({ area: JSON.stringify(area) }, area)

    await fc.assert(fc.asyncProperty(areasAround(HERE.lng, HERE.lat), queryMatches), { ...runs(15), examples })
  })

  it('returns exactly the issues in a circle, the nearest first, a page after the other', async () => {
    const centres = fc.tuple(fc.integer({ min: -30, max: 50 }), fc.integer({ min: -30, max: 50 }))
    const circleMatches = async ([east, north]: readonly [number, number], radius: number) => {
      const centre = { lng: HERE.lng + east / 13, lat: HERE.lat + north / 13 }
      const metres = new Map(wanted.map((issue) => [issue.id, metresBetween(centre, issue)]))
      fc.pre([...metres.values()].every((distance) => Math.abs(distance - radius) > 0.001))
      const inside = wanted.filter(({ id }) => (metres.get(id) ?? 0) < radius)

      const newest = await fetchAllIds(app.as.anonymous, { ...centre, radius })
      const nearest = await fetchAllIds(app.as.anonymous, { ...centre, radius, sort: 'distance' })

      expect(newest).toMatchObject({ ids: idsOf(inside), entries: inside.length })
      expect([nearest.ids.toSorted(ascending), nearest.entries]).toEqual([idsOf(inside).toSorted(ascending), inside.length])
      // Equal distances may differ by rounding.
      const distances = nearest.ids.map((id) => Math.round((metres.get(id) ?? 0) * 1_000))
      expect(distances).toEqual(distances.toSorted(ascending))
    }
    await fc.assert(fc.asyncProperty(centres, fc.integer({ min: 1, max: 100_000 }), circleMatches), {
      ...runs(15),
      examples: [[[0, 0], 100_000]],
    })
  })

  it('returns exactly the issues in a watch area', async () => {
    const watcher = await app.create.user()
    const watchAreaMatches = async (area: Polygon | MultiPolygon) => {
      const token = await app.create.watchArea({ of: watcher, area })
      await matches({ watcher_token: token }, area)
    }
    await fc.assert(fc.asyncProperty(areasAround(HERE.lng, HERE.lat), watchAreaMatches), { ...runs(15), examples })
  })
})
