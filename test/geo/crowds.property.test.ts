import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'

import { sql } from '../../src/database/database.ts'
import { issuesUrl, parseIssueList } from '../helpers/issue-list.ts'
import { useApp } from '../helpers/use-app.ts'
import { type Corners, type Direction, idsOf, inOrder, isInBox, isWanted } from './brute-force.ts'
import { issues, keyOf, OLD_TOWN, oldTown, SITES } from './crowd.ts'
import { fill } from './world.ts'
import { runs } from '../helpers/long.ts'

interface ListRequest {
  readonly sort: string
  readonly sort_direction: Direction
  readonly area: Corners | undefined
  readonly status: string
  readonly origin: { readonly lng: number; readonly lat: number }
  readonly per_page: number
  /** The position in the list as a fraction; it may lie beyond the last page. */
  readonly depth: number
}

describe('GET /issues with more than a thousand matches', () => {
  const app = useApp({ keepRows: true })
  beforeAll(async () => {
    await fill(app.db, issues)
    await app.db.execute(sql`ANALYZE issues`)
  })

  const lists: fc.Arbitrary<ListRequest> = fc.record({
    sort: fc.constantFrom('created_at', 'updated_at', 'rating', 'distance'),
    sort_direction: fc.constantFrom<Direction>('ASC', 'DESC'),
    area: fc.constantFrom(undefined, oldTown, { min_lat: -90, min_lng: -110, max_lat: 90, max_lng: 20 }),
    status: fc.constantFrom('open,closed', 'open', 'open,acknowledged,closed,archived'),
    origin: fc.constantFrom(...SITES, OLD_TOWN, { lng: 180, lat: -90 }, { lng: 0.1, lat: 12.3 }),
    per_page: fc.integer({ min: 1, max: 100 }),
    depth: fc.oneof(fc.constant(0), fc.double({ min: 0, max: 1.1, noNaN: true })),
  })

  it('returns any page of the list that brute force sorts', async () => {
    const isCut = async ({ sort, sort_direction, area, status, origin, per_page, depth }: ListRequest) => {
      const states = (['Open', 'Closed', 'Archived'] as const).filter((state) => status.includes(state.toLowerCase()))
      const all = issues
        .filter(isWanted({ statuses: states }))
        .filter(area ? isInBox(area) : () => true)
        .toSorted(inOrder(keyOf(sort, origin), sort_direction))
      const page = 1 + Math.floor((depth * all.length) / per_page)

      const answer = await app.as.anonymous.get(issuesUrl({ ...area, ...origin, sort, sort_direction, status, per_page, page }))

      const { issues: found, pagination } = parseIssueList(answer)
      expect(found.map(({ id }) => id)).toEqual(idsOf(all.slice((page - 1) * per_page, page * per_page)))
      expect(pagination.entries).toBe(all.length)
    }
    await fc.assert(fc.asyncProperty(lists, isCut), runs(25))
  })
})
