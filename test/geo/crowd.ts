import { type Corners, metresBetween } from './brute-force.ts'
import type { KnownIssue } from './world.ts'

/* The service scans an index only above a thousand matches. So there are four thousand issues at few positions, with few timestamps. */

export const SITES = [
  { lng: -104.99, lat: 39.74 },
  { lng: -104.9, lat: 39.7 },
  { lng: -105.3, lat: 40.01 },
  { lng: 2.35, lat: 48.86 },
]
export const OLD_TOWN = { lng: 23.7, lat: 37.9 }
export const oldTown: Corners = { min_lat: 37, min_lng: 23, max_lat: 38, max_lng: 24 }

export const issues = Array.from({ length: 4_000 }, (_, position): KnownIssue => {
  const id = ((position * 1_237) % 4_001) + 1
  const isOld = id % 2 === 0
  const day = String((id % 13) + 1).padStart(2, '0')
  return {
    id,
    ...(isOld ? OLD_TOWN : (SITES[id % SITES.length] ?? OLD_TOWN)),
    status: id % 17 === 0 ? 'Archived' : id % 3 === 0 ? 'Closed' : 'Open',
    rating: (id % 4) + 1,
    created_at: `${isOld ? 1999 : 2026}-01-${day}T00:00:00.000Z`,
    updated_at: `2026-02-${day}T00:00:00.000Z`,
    moderation_state: id % 19 === 0 ? 'held' : 'passed',
  }
})

export const keyOf = (sort: string, origin: { lng: number; lat: number }) => (issue: KnownIssue) => {
  if (sort === 'distance') return Math.round(metresBetween(issue, origin))
  return sort === 'rating' ? issue.rating : Date.parse(sort === 'created_at' ? issue.created_at : issue.updated_at)
}
