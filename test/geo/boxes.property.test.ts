import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'

import { fetchAllIds } from '../helpers/issue-list.ts'
import { useApp } from '../helpers/use-app.ts'
import { type Corners, idsOf, isInBox, isWanted, newestFirst, showsAt } from './brute-force.ts'
import { fill, someIssues, somewhere } from './world.ts'
import { runs } from '../helpers/long.ts'

const issues = someIssues(400)
const wanted = issues.filter(isWanted({})).toSorted(newestFirst)

/** A coordinate anywhere, exactly on an issue, or a hundred-millionth of a degree away from one. */
const edgeOf = (axis: 'lng' | 'lat', max: number) =>
  fc.oneof(
    fc.double({ min: -max, max, noNaN: true }),
    fc
      .tuple(fc.constantFrom(...issues), fc.constantFrom(0, 0, 1e-8, -1e-8, 0.01, -0.01, 2, -2))
      .map(([issue, offset]) => Math.min(Math.max(issue[axis] + offset, -max), max)),
    fc.constantFrom(-max, max, 0),
  )

const boxes = fc
  .record({ south: edgeOf('lat', 90), north: edgeOf('lat', 90), min_lng: edgeOf('lng', 180), max_lng: edgeOf('lng', 180) })
  .map(({ south, north, ...sides }): Corners => ({ min_lat: Math.min(south, north), max_lat: Math.max(south, north), ...sides }))

const centres = fc.oneof(
  somewhere,
  fc
    .tuple(fc.constantFrom(...issues), fc.double({ min: -1, max: 1, noNaN: true }), fc.constantFrom(0, 1e-5, 1e-3, 0.1))
    .map(([{ lng, lat }, way, far]) => ({
      lng: Math.min(Math.max(lng + way * far, -180), 180),
      lat: Math.min(Math.max(lat - way * far, -90), 90),
    })),
)
const zooms = fc.oneof(fc.integer({ min: 0, max: 22 }), fc.double({ min: 0, max: 22, noNaN: true }))

describe('GET /issues in a box', () => {
  const app = useApp({ keepRows: true })
  beforeAll(() => fill(app.db, issues))

  const found = (parameters: Record<string, number>) => fetchAllIds(app.as.anonymous, parameters)

  it('returns all issues without an area', async () => {
    const { ids, entries } = await found({})

    expect(ids).toEqual(idsOf(wanted))
    expect(entries).toBe(wanted.length)
  })

  it('returns exactly the issues of brute force in any box: across the antimeridian, without width or height, the whole world', async () => {
    const matches = async (corners: Corners) => {
      const inside = idsOf(wanted.filter(isInBox(corners)))

      const { ids, entries } = await found({ ...corners })

      expect(ids).toEqual(inside)
      expect(entries).toBe(inside.length)
    }
    const examples: Corners[] = [
      { min_lat: -90, min_lng: -180, max_lat: 90, max_lng: 180 },
      { min_lat: -90, min_lng: 180, max_lat: 90, max_lng: -180 },
      { min_lat: 0, min_lng: 0, max_lat: 0, max_lng: 0 },
      { min_lat: -20, min_lng: 177, max_lat: -17, max_lng: -179 },
      { min_lat: 39, min_lng: 0.1, max_lat: 40, max_lng: 0 },
      { min_lat: -60, min_lng: 170, max_lat: 60, max_lng: 180 },
      { min_lat: -60, min_lng: -180, max_lat: 60, max_lng: -170 },
      { min_lat: -60, min_lng: 180, max_lat: 60, max_lng: 180 },
      { min_lat: -60, min_lng: -180, max_lat: 60, max_lng: -180 },
      { min_lat: -60, min_lng: 180, max_lat: 60, max_lng: -170 },
      { min_lat: -60, min_lng: 170, max_lat: 60, max_lng: -180 },
    ]
    await fc.assert(fc.asyncProperty(boxes, matches), { ...runs(40), examples: examples.map((corners) => [corners]) })
  })

  it('returns exactly the issues of brute force on a map of any centre and zoom', async () => {
    const isShown = async (centre: { lng: number; lat: number }, zoom: number) => {
      const shows = wanted.map((issue) => ({ id: issue.id, shown: showsAt(centre, zoom)(issue) }))
      const sure = shows.filter(({ shown }) => shown === true).map(({ id }) => id)
      const unsure = new Set(shows.filter(({ shown }) => shown === 'edge').map(({ id }) => id))

      const { ids, entries } = await found({ ...centre, zoom })

      expect(ids.filter((id) => !unsure.has(id))).toEqual(sure)
      expect(entries).toBe(ids.length)
    }
    await fc.assert(fc.asyncProperty(centres, zooms, isShown), runs(40))
  })
})
