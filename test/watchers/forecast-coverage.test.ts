import { booleanPointInPolygon } from '@turf/boolean-point-in-polygon'
import { parse } from 'csv-parse/sync'
import type { FeatureCollection, MultiPolygon, Polygon } from 'geojson'
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { beforeAll, describe, expect, test } from 'vitest'

import type { Area } from '../../src/geo/area.ts'
import { forecast } from '../../src/watchers/forecast.ts'
import { forecastMails } from '../../src/watchers/forecast-mails.ts'
import { importIssues } from '../../src/imports/import-issues.ts'
import { importPlaces } from '../../src/imports/import-places.ts'
import { useApp } from '../helpers/use-app.ts'
import { chanceOf, daysOf, worlds } from './made-up-days.ts'

/*
 * The interval of the forecast is to hold four times of five: in the week after the moment that it was made at, of areas and weeks that are
 * drawn before anybody looks. docs/adr/0030 has what that gives by size, and where it cannot hold.
 */

interface Outcome {
  readonly held: boolean
  readonly usual: number
}
const shareOf = (outcomes: readonly Outcome[]) => outcomes.filter(({ held }) => held).length / outcomes.length

const file = new URL('../../../shared/data/atlanta-issues.csv', import.meta.url)
const citiesFile = new URL('../../../shared/data/atlanta-places.geojson', import.meta.url)
const isHere = existsSync(file) && existsSync(citiesFile)
const DAY_MS = 86_400_000
const METRES_OF_A_DEGREE = 111_195

describe.skipIf(!isHere)(`the forecast for areas of Atlanta${isHere ? '' : ' (skipped: ../shared/data is not there)'}`, () => {
  const it = useApp({ keepRows: true })
  const issues = isHere
    ? parse<{ lat: string; lng: string; created_at: string }>(readFileSync(file), { columns: true }).map((row) => ({
        lat: Number(row.lat),
        lng: Number(row.lng),
        at: Date.parse(row.created_at),
      }))
    : []
  const cities = isHere ? (JSON.parse(readFileSync(citiesFile, 'utf8')) as FeatureCollection<Polygon | MultiPolygon>).features : []
  const placeIds: number[] = []

  beforeAll(async () => {
    await importPlaces(it.db, { path: fileURLToPath(citiesFile) })
    await importIssues(it.db, { path: fileURLToPath(file) })
    const places = await it.db.prisma.place.findMany({ select: { id: true, name: true } })
    placeIds.push(...cities.map((city) => places.find(({ name }) => name === city.properties?.['name'])?.id ?? 0))
  }, 120_000)

  /** A city, or around where somebody reported something: a box or a circle, from a quarter of 500 m to a county of 30 km. */
  function someArea(chance: () => number): { area: Area; has: (issue: { lat: number; lng: number }) => boolean } {
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

  /** Any moment from 2012 on, when there are enough reports for a week to have some, to the last whole week of the data. */
  const someMoment = (chance: () => number) =>
    new Date(Date.UTC(2012, 0, 1) + Math.floor(chance() * (Date.UTC(2018, 5, 30) - Date.UTC(2012, 0, 1))))

  async function outcomesOf(frequency: 'instant' | 'daily' | 'weekly', seed: number, count: number): Promise<Outcome[]> {
    const chance = chanceOf(seed)
    const outcomes: Outcome[] = []
    for (let n = 0; n < count; n++) {
      const { area, has } = someArea(chance)
      const now = someMoment(chance)
      const { mails_per_week, based_on } = await forecastMails(it.db, area, { frequency, about: 'new' }, now)
      const days = issues
        .filter((issue) => issue.at > now.getTime() && issue.at <= now.getTime() + 7 * DAY_MS && has(issue))
        .map(({ at }) => Math.floor((at - now.getTime()) / DAY_MS))
      const mails = { instant: days.length, daily: new Set(days).size, weekly: Math.min(days.length, 1) }[frequency]
      const held = mails >= mails_per_week.low && mails <= mails_per_week.high
      outcomes.push({ held, usual: based_on.new_issues })
    }
    return outcomes
  }

  test('holds in 75 to 85 % of 1,000 random areas and weeks', async () => {
    const outcomes = await outcomesOf('instant', 2012, 1_000)

    expect(shareOf(outcomes)).toBeGreaterThanOrEqual(0.75)
    expect(shareOf(outcomes)).toBeLessThanOrEqual(0.85)
    // Neither by the many areas where nothing ever happens nor by the few where everything does.
    const busy = outcomes.filter(({ usual }) => usual >= 3)
    expect(busy.length).toBeGreaterThan(300)
    expect(shareOf(busy)).toBeGreaterThan(0.7)
    expect(shareOf(busy)).toBeLessThan(0.85)
  }, 120_000)

  test.each(['daily', 'weekly'] as const)(
    'holds at least as often for %s mails, which are too few for an exact share',
    async (frequency) => {
      const outcomes = await outcomesOf(frequency, 2013, 500)

      expect(shareOf(outcomes)).toBeGreaterThanOrEqual(0.78)
      expect(shareOf(outcomes)).toBeLessThanOrEqual(0.95)
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

describe('the forecast for areas where things happen', () => {
  test.each(Object.keys(worlds))('%s holds in 75 to 85 % of the weeks', (kind) => {
    const chance = chanceOf(30)
    const outcomes = Array.from({ length: 4_000 }, () => {
      const { before, after } = daysOf(kind, chance)
      const { low, high } = forecast(before, 'instant')
      const mails = after.reduce((sum, events) => sum + events, 0)
      return { held: mails >= low && mails <= high, usual: before.reduce((sum, events) => sum + events, 0) }
    })

    expect(shareOf(outcomes)).toBeGreaterThanOrEqual(0.75)
    expect(shareOf(outcomes)).toBeLessThanOrEqual(0.85)
  })
})
