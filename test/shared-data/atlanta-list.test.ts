import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { beforeAll, expect, it } from 'vitest'

import { importIssues } from '../../src/imports/import-issues.ts'
import { importPlaces } from '../../src/imports/import-places.ts'
import { issuesUrl, fetchAllIds, parseIssueList } from '../helpers/issue-list.ts'
import { useApp } from '../helpers/use-app.ts'
import { describeWithSharedData, sharedFile } from './shared-data.ts'

interface Case {
  readonly query: Readonly<Record<string, string>>
  readonly entries: number
  readonly first_ids: readonly number[]
}

describeWithSharedData('GET /issues on the issues of Atlanta', () => {
  const { cases } = JSON.parse(readFileSync(sharedFile('atlanta-expected.json'), 'utf8')) as { cases: Case[] }
  const named = cases.map((wanted): [string, Case] => [new URLSearchParams(wanted.query).toString() || 'everything', wanted])
  const app = useApp({ keepRows: true })
  beforeAll(async () => {
    await importPlaces(app.db, { path: fileURLToPath(sharedFile('atlanta-places.geojson')) })
    await importIssues(app.db, { path: fileURLToPath(sharedFile('atlanta-issues.csv')) })
  })

  it('is compared with 18 queries in plain SQL', () => {
    expect(named).toHaveLength(18)
  })

  it.each(named)('returns the same total and first issues for %s', async (_, { query, entries, first_ids }) => {
    const { issues, pagination } = parseIssueList(
      await app.as.anonymous.get(issuesUrl({ ...query, per_page: first_ids.length || 20 })),
    )

    expect(pagination.entries).toBe(entries)
    expect(issues.map(({ id }) => id)).toEqual(first_ids)
  })

  it('returns each issue once across pages, in every order', async () => {
    const newest = await fetchAllIds(app.as.anonymous, {})
    const nearest = await fetchAllIds(app.as.anonymous, { lat: 33.749, lng: -84.388, sort: 'distance' })
    const farthest = await fetchAllIds(app.as.anonymous, { lat: 33.749, lng: -84.388, sort: 'distance', sort_direction: 'DESC' })

    expect(newest.pages).toBe(62)
    expect(new Set(newest.ids).size).toBe(6161)
    expect(newest.ids).toHaveLength(6161)
    expect(new Set(nearest.ids)).toEqual(new Set(newest.ids))
    expect(nearest.ids).toHaveLength(6161)
    expect(farthest.ids).toEqual(nearest.ids.toReversed())
  })

  it.each([
    ['grafitti', 'graffiti', 50],
    ['graffitti', 'graffiti', 50],
    ['grafity', 'graffiti', 50],
    ['tarsh', 'trash', 296],
    ['potthole', 'pothole', 855],
    ['pothloe', 'pothole', 855],
    ['sidewlak', 'sidewalk', 643],
    ['lihgt', 'light', 274],
    ['steet', 'street', 659],
    ['ponce de lion', 'ponce de leon', 2],
    ['streetlight', 'street lights', 118],
    ['pot hole', 'pothole', 855],
  ])('finds for "%s" the issues of "%s" and at most a tenth more', async (mistyped, meant, least) => {
    const wanted = await fetchAllIds(app.as.anonymous, { search: meant })

    const { ids, entries } = await fetchAllIds(app.as.anonymous, { search: mistyped })

    expect(wanted.entries).toBeGreaterThanOrEqual(least)
    expect(wanted.ids.filter((id) => !ids.includes(id)).length).toBeLessThanOrEqual(1)
    expect(entries).toBeLessThanOrEqual(wanted.entries * 1.1)
  })
})
