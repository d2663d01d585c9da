import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'

import { type Status, statuses } from '../../src/issue-lifecycle/status.ts'
import { fetchAllIds } from '../helpers/issue-list.ts'
import { useApp } from '../helpers/use-app.ts'
import { type Corners, type Direction, idsOf, inOrder, isInBox, isWanted, metresBetween } from './brute-force.ts'
import { fill, type KnownIssue, someIssues, somewhere } from './world.ts'
import { runs } from '../helpers/long.ts'

const issues = someIssues(400, 7)
const byId = new Map(issues.map((issue) => [issue.id, issue]))

const keys = {
  created_at: (issue: KnownIssue) => Date.parse(issue.created_at),
  updated_at: (issue: KnownIssue) => Date.parse(issue.updated_at),
  rating: (issue: KnownIssue) => issue.rating,
}
const directions = fc.constantFrom<Direction>('ASC', 'DESC')
const perPages = fc.integer({ min: 30, max: 100 })

/** Returns the same statuses in either spelling and any order, some of them twice. */
const states = fc.array(fc.tuple(fc.constantFrom(...statuses), fc.boolean()), { minLength: 1, maxLength: 6 }).map((chosen) => ({
  statuses: chosen.map(([status]): Status => status),
  written: chosen.map(([status, small]) => (small ? status.toLowerCase() : status)).join(','),
}))

/** A timestamp of an issue, a millisecond away from one, or any other; in UTC, with an offset, or without a time zone. */
const timestamps = fc
  .record({
    hour: fc.integer({ min: -1, max: 41 }),
    shift_ms: fc.constantFrom(0, 0, 0, 1, -1, 1_800_000),
    offset: fc.constantFrom(0, 5.5, -7),
  })
  .map(({ hour, shift_ms, offset }) => {
    const at = Date.parse('2026-01-01T00:00:00Z') + hour * 3_600_000 + shift_ms
    const local = new Date(at + offset * 3_600_000).toISOString().slice(0, -1)
    return offset === 0 ? local : `${local}${offset > 0 ? '+05:30' : '-07:00'}`
  })
const instantOf = (timestamp: string) => (/[+-]\d\d:\d\d$/.test(timestamp) ? timestamp : `${timestamp}Z`)

describe('GET /issues with an order', () => {
  const app = useApp({ keepRows: true })
  beforeAll(() => fill(app.db, issues))

  it('sorts by every key in both directions, equal keys by id, and returns pages that together are the list', async () => {
    const isSorted = async (sort: keyof typeof keys, direction: Direction, perPage: number) => {
      const expected = issues.filter(isWanted({})).toSorted(inOrder(keys[sort], direction))

      const { ids, entries, pages } = await fetchAllIds(app.as.anonymous, { sort, sort_direction: direction }, perPage)

      expect(ids).toEqual(idsOf(expected))
      expect(entries).toBe(expected.length)
      expect(pages).toBe(Math.ceil(expected.length / perPage))
    }
    const sorts = fc.constantFrom('created_at' as const, 'updated_at' as const, 'rating' as const)
    await fc.assert(fc.asyncProperty(sorts, directions, perPages, isSorted), runs(8))
  })

  it('sorts by metres from any point, the poles and the antimeridian included', async () => {
    const isSorted = async (origin: { lng: number; lat: number }, direction: Direction, perPage: number) => {
      const parameters = { ...origin, sort: 'distance', sort_direction: direction }

      const { ids } = await fetchAllIds(app.as.anonymous, parameters, perPage)

      expect(ids.toSorted(ascending)).toEqual(idsOf(issues.filter(isWanted({}))).toSorted(ascending))
      expect(misplaced(ids, origin, direction)).toEqual([])
    }
    await fc.assert(fc.asyncProperty(somewhere, directions, perPages, isSorted), runs(10))
  })

  it('returns single pages of any size of the same list', async () => {
    const box: Corners = { min_lat: 39, min_lng: -106, max_lat: 40, max_lng: -104 }
    const all = idsOf(issues.filter(isWanted({})).filter(isInBox(box)).toSorted(inOrder(keys.rating, 'ASC')))
    const isCut = async (perPage: number) => {
      const { ids } = await fetchAllIds(app.as.anonymous, { ...box, sort: 'rating', sort_direction: 'ASC' }, perPage)
      expect(ids).toEqual(all)
    }
    await fc.assert(fc.asyncProperty(fc.integer({ min: 1, max: 30 }), isCut), { ...runs(4), examples: [[1]] })
  })

  it('returns only the requested statuses, in either spelling, and by default all except Archived', async () => {
    const isShown = async ({ statuses: requested, written }: { statuses: Status[]; written: string }) => {
      const expected = issues.filter(isWanted({ statuses: requested })).toSorted(inOrder(keys.created_at, 'DESC'))

      const { ids } = await fetchAllIds(app.as.anonymous, { status: written })

      expect(ids).toEqual(idsOf(expected))
    }
    await fc.assert(fc.asyncProperty(states, isShown), runs(10))
  })

  it('returns issues from a timestamp on and before another one, to the millisecond', async () => {
    const matches = async (times: Record<string, string | undefined>) => {
      const parameters = Object.fromEntries(
        Object.entries(times).filter((entry): entry is [string, string] => entry[1] !== undefined),
      )
      const instants = Object.fromEntries(Object.entries(parameters).map(([name, timestamp]) => [name, instantOf(timestamp)]))
      const expected = issues.filter(isWanted(instants)).toSorted(inOrder(keys.created_at, 'DESC'))

      const { ids } = await fetchAllIds(app.as.anonymous, parameters)

      expect(ids).toEqual(idsOf(expected))
    }
    const perhaps = fc.option(timestamps, { nil: undefined, freq: 2 })
    const times = fc.record({ after: perhaps, before: perhaps, updated_at_after: perhaps, updated_at_before: perhaps })
    await fc.assert(fc.asyncProperty(times, matches), runs(20))
  })
})

const ascending = (one: number, other: number) => one - other

/** Returns neighbours in the wrong order: a farther one first, or equally far ones not in the order of their ids. */
function misplaced(ids: readonly number[], origin: { lng: number; lat: number }, direction: Direction) {
  const sign = direction === 'ASC' ? 1 : -1
  const placed = ids.map((id) => ({ id, at: byId.get(id) ?? origin, metres: metresBetween(byId.get(id) ?? origin, origin) }))
  return placed.slice(1).flatMap((here, position) => {
    const before = placed[position] ?? here
    const gap = sign * (here.metres - before.metres)
    const isShared = here.at.lng === before.at.lng && here.at.lat === before.at.lat
    const isWrong = isShared ? sign * (here.id - before.id) < 0 : gap < -1e-4
    return isWrong ? [{ before, here }] : []
  })
}
