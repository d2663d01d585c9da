import { booleanPointInPolygon } from '@turf/boolean-point-in-polygon'
import { parse } from 'csv-parse/sync'
import type { FeatureCollection, MultiPolygon, Polygon } from 'geojson'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { beforeAll, expect, it } from 'vitest'

import type { Area } from '../../src/geo/area.ts'
import { importIssues } from '../../src/imports/import-issues.ts'
import { importPlaces } from '../../src/imports/import-places.ts'
import { forecastMails } from '../../src/watch-areas/forecast-mails.ts'
import { useApp } from '../helpers/use-app.ts'
import { createRandom } from '../watch-areas/synthetic-days.ts'
import { coveredShare, type Outcome } from '../watch-areas/coverage.ts'
import { describeWithSharedData, sharedFile } from './shared-data.ts'

// The random areas and weeks have a fixed seed. docs/adr/0019 has the shares by size of the area.

const file = sharedFile('atlanta-issues.csv')
const citiesFile = sharedFile('atlanta-places.geojson')
const DAY_MS = 86_400_000
const METRES_OF_A_DEGREE = 111_195

describeWithSharedData('mail forecast for areas of Atlanta', () => {
  const app = useApp({ keepRows: true })
  const rows = parse<{ lat: string; lng: string; created_at: string }>(readFileSync(file), { columns: true })
  const issues = rows.map(({ lat, lng, created_at }) => ({ lat: Number(lat), lng: Number(lng), at: Date.parse(created_at) }))
  const cities = (JSON.parse(readFileSync(citiesFile, 'utf8')) as FeatureCollection<Polygon | MultiPolygon>).features
  const placeIds: number[] = []

  beforeAll(async () => {
    await importPlaces(app.db, { path: fileURLToPath(citiesFile) })
    await importIssues(app.db, { path: fileURLToPath(file) })
    const places = await app.db.prisma.place.findMany({ select: { id: true, name: true } })
    placeIds.push(...cities.map((city) => places.find(({ name }) => name === city.properties?.['name'])?.id ?? 0))
  })

  /** Returns a city, or a box or circle with a radius of 500 m to 30 km around a report. */
  function createArea(chance: () => number): { area: Area; has: (issue: { lat: number; lng: number }) => boolean } {
    if (chance() < 0.1) {
      const n = Math.floor(chance() * cities.length)
      return {
        area: { kind: 'place', placeId: placeIds[n] ?? 0, centre: { lng: 0, lat: 0 } },
        has: ({ lng, lat }) => booleanPointInPolygon([lng, lat], (cities[n] as (typeof cities)[number]).geometry),
      }
    }
    const near = issues[Math.floor(chance() * issues.length)] ?? { lat: 0, lng: 0 }
    const centre = { lat: near.lat + (chance() - 0.5) / 50, lng: near.lng + (chance() - 0.5) / 50 }
    const radius_m = 500 * 60 ** chance()
    const north = radius_m / METRES_OF_A_DEGREE
    const east = north / Math.cos((centre.lat * Math.PI) / 180)
    if (chance() < 0.5) {
      const [south, west] = [centre.lat - north, centre.lng - east]
      return {
        area: { kind: 'box', box: { west, south, east: centre.lng + east, north: centre.lat + north } },
        has: ({ lat, lng }) => lat >= south && lat <= centre.lat + north && lng >= west && lng <= centre.lng + east,
      }
    }
    return { area: { kind: 'circle', centre, radius_m }, has: (issue) => metresBetween(issue, centre) <= radius_m }
  }

  /** Returns a time from 2012, when weeks begin to have enough reports, to the last whole week of the data. */
  const createTime = (chance: () => number) =>
    new Date(Date.UTC(2012, 0, 1) + Math.floor(chance() * (Date.UTC(2018, 5, 30) - Date.UTC(2012, 0, 1))))

  async function outcomesOf(frequency: 'instant' | 'daily' | 'weekly', seed: number, count: number): Promise<Outcome[]> {
    const chance = createRandom(seed)
    const outcomes: Outcome[] = []
    for (let n = 0; n < count; n++) {
      const { area, has } = createArea(chance)
      const now = createTime(chance)
      const { mails_per_week, based_on } = await forecastMails(app.db, area, { frequency, about: 'new' }, now)
      const days = issues
        .filter((issue) => issue.at > now.getTime() && issue.at <= now.getTime() + 7 * DAY_MS && has(issue))
        .map(({ at }) => Math.floor((at - now.getTime()) / DAY_MS))
      const mails = { instant: days.length, daily: new Set(days).size, weekly: Math.min(days.length, 1) }[frequency]
      const isCovered = mails >= mails_per_week.low && mails <= mails_per_week.high
      outcomes.push({ isCovered, usual: based_on.new_issues })
    }
    return outcomes
  }

  it('contains the actual number of mails in 75 to 85 % of 1,000 random areas and weeks', async () => {
    const outcomes = await outcomesOf('instant', 2012, 1_000)

    expect(coveredShare(outcomes)).toBeGreaterThanOrEqual(0.75)
    expect(coveredShare(outcomes)).toBeLessThanOrEqual(0.85)
    // The share also holds without the many areas that have next to no reports.
    const busy = outcomes.filter(({ usual }) => usual >= 3)
    expect(busy.length).toBeGreaterThan(300)
    expect(coveredShare(busy)).toBeGreaterThan(0.7)
    expect(coveredShare(busy)).toBeLessThan(0.85)
  })

  it.each(['daily', 'weekly'] as const)(
    'contains the actual number of %s mails in at least 78 % of them',
    async (frequency) => {
      const outcomes = await outcomesOf(frequency, 2013, 500)

      expect(coveredShare(outcomes)).toBeGreaterThanOrEqual(0.78)
      expect(coveredShare(outcomes)).toBeLessThanOrEqual(0.95)
    },
    120_000,
  )
})

function metresBetween(a: { lat: number; lng: number }, b: { lat: number; lng: number }): number {
  const [phi, psi] = [a.lat, b.lat].map((degrees) => (degrees * Math.PI) / 180) as [number, number]
  const half = (degrees: number) => Math.sin((degrees * Math.PI) / 360) ** 2
  const haversine = half(a.lat - b.lat) + Math.cos(phi) * Math.cos(psi) * half(a.lng - b.lng)
  return 2 * 6_371_008.771415059 * Math.asin(Math.sqrt(haversine))
}
