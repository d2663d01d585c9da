import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { forecast } from '../../src/watch-areas/forecast.ts'
import { FAR_AWAY, GREEN, square } from '../helpers/factories.ts'
import { useApp } from '../helpers/use-app.ts'
import { createWriteClient } from './write-client.ts'
import { runs } from '../helpers/long.ts'

interface Body {
  readonly mails_per_week: { readonly expected: number; readonly low: number; readonly high: number; readonly probability: number }
  readonly based_on: { readonly from: string; readonly to: string; readonly weeks: readonly number[] } & Record<string, unknown>
}

const DAY_MS = 86_400_000
/** Returns a time some minutes less than a number of days ago, so that no test depends on the edge of a day. */
const ago = (days: number) => new Date(Date.now() - days * DAY_MS + 600_000).toISOString()
const near = `lat=${GREEN.lat}&lng=${GREEN.lng}&radius=1000`

describe('GET /watchers/forecast', () => {
  const app = useApp()
  const bodyOf = async (query: string) => {
    const answer = await app.as.anonymous.get(`/watchers/forecast?${query}`)
    expect(answer.status, answer.text).toBe(200)
    return answer.body as Body
  }

  it('counts exactly the events that watchers would have been notified of', async () => {
    const ada = await app.create.user()
    const old = await app.create.issue({ created_at: ago(200), status: 'Archived', closed_at: ago(100) })
    const pending = await app.create.issue({ created_at: ago(3), moderation_state: 'held', reporter: ada })
    const elsewhere = await app.create.issue({ created_at: ago(3), at: FAR_AWAY })
    await app.create.issue({ created_at: ago(1) })
    await app.create.issue({ created_at: ago(9), status: 'Archived', closed_at: ago(8) })
    await app.create.issue({ created_at: ago(10), anonymous: true, reporter: ada })
    await app.create.issue({ created_at: ago(89) })
    await app.create.issue({ created_at: ago(90.1) })
    await app.create.comment({ on: old, created_at: ago(2) })
    await app.create.comment({ on: old, created_at: ago(2) })
    await app.create.comment({ on: old, created_at: ago(2), moderation_state: 'held' })
    await app.create.comment({ on: pending, created_at: ago(2) })
    await app.create.comment({ on: elsewhere, created_at: ago(2) })
    await app.create.comment({ on: old, created_at: ago(95) })

    const { mails_per_week, based_on, ...input } = await bodyOf(near)
    const { from, to, ...counted } = based_on

    expect(input).toEqual({ frequency: 'instant', about: 'all' })
    expect(Date.parse(to) - Date.parse(from)).toBe(90 * DAY_MS)
    expect(counted).toEqual({ days: 90, new_issues: 4, updates: 2, weeks: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 3] })
    expect(mails_per_week).toEqual({ expected: 1.3, low: 0, high: 2, probability: 0.8 })
  })

  it.each([
    ['about=new', [0, 2, 1]],
    ['about=updates', [0, 0, 2]],
    ['frequency=daily', [0, 2, 2]],
    ['frequency=weekly', [0, 1, 1]],
    ['frequency=never', [0, 0, 0]],
  ])('forecasts the mails of %s', async (query, weeks) => {
    const issue = await app.create.issue({ created_at: ago(1) })
    await app.create.comment({ on: issue, created_at: ago(3) })
    await app.create.comment({ on: issue, created_at: ago(3) })
    await app.create.issue({ created_at: ago(9) })
    await app.create.issue({ created_at: ago(11) })

    const { based_on } = await bodyOf(`${near}&${query}`)

    expect(based_on.weeks.slice(-3)).toEqual(weeks)
    expect(based_on).toMatchObject({ new_issues: 3, updates: 2 })
  })

  it('accepts every form of an area, and a large polygon by POST', async () => {
    await app.create.place({ url_name: 'new-haven' })
    await app.create.issue({ created_at: ago(1) })
    await app.create.issue({ created_at: ago(1), at: FAR_AWAY })
    const polygon = square(GREEN)
    const ring = polygon.coordinates[0] as [number, number][]
    const finely = Array.from({ length: 600 }, (_, n): [number, number] => [GREEN.lng - 0.1 + (n + 1) * 0.0003, GREEN.lat - 0.1])
    const fine = { type: 'Polygon', coordinates: [[ring[0], ...finely, ...ring.slice(1)]] }
    const box = `min_lat=${GREEN.lat - 0.1}&min_lng=${GREEN.lng - 0.1}&max_lat=${GREEN.lat + 0.1}&max_lng=${GREEN.lng + 0.1}`

    const queries = [near, box, 'place_url=new-haven', `area=${encodeURIComponent(JSON.stringify(polygon))}`]
    const answers = await Promise.all(queries.map((query) => bodyOf(query)))
    const posted = await createWriteClient(app.as.anonymous).post('/watchers/forecast', { area: fine, frequency: 'daily' })

    expect(answers.map(({ based_on }) => based_on['new_issues'])).toEqual([1, 1, 1, 1])
    expect(posted.body).toMatchObject({ frequency: 'daily', based_on: { new_issues: 1 } })
  })

  it.each([
    ['', ['base']],
    ['lat=1', ['lng', 'radius']],
    ['lat=91&lng=0&radius=0', ['lat', 'radius']],
    ['place_url=nowhere', ['place_url']],
    ['area=round', ['area']],
    [`${near}&frequency=hourly`, ['frequency']],
    [`${near}&about=everything`, ['about']],
    [`${near}&place_url=denver`, ['base']],
  ])('returns 422 for ?%s with the invalid fields', async (query, fields) => {
    const { status, body } = await app.as.anonymous.get(`/watchers/forecast?${query}`)

    expect([status, Object.keys(body as object)]).toEqual([422, fields])
  })

  it('saves nothing', async () => {
    await createWriteClient(app.as.user(await app.create.user())).post('/watchers/forecast', { area: square(GREEN) })

    expect(await app.db.prisma.watchArea.count()).toBe(0)
    expect(await app.db.prisma.idempotencyKey.count()).toBe(0)
  })
})

describe('a forecast', () => {
  const steady = (events: number) => Array.from({ length: 90 }, () => events)

  it('is zero without events', () => {
    expect(forecast(steady(0), 'instant')).toEqual({ expected: 0, low: 0, high: 0 })
  })

  it('is the steady rate of the past within its random variation', () => {
    const { expected, low, high } = forecast(steady(2), 'instant')

    expect([expected, low, high]).toEqual([14, 9, 19])
  })

  it('is exact for daily and weekly mails if every day has events', () => {
    const [daily, weekly] = [forecast(steady(3), 'daily'), forecast(steady(3), 'weekly')]

    expect([daily.low, daily.high, weekly.low, weekly.high]).toEqual([7, 7, 1, 1])
  })

  it('follows a recent increase, and is wider if weeks differ', () => {
    const more = forecast([...steady(1).slice(28), ...steady(5).slice(62)], 'instant')
    const bursts = forecast(
      steady(0).map((_, day) => (day % 21 === 0 ? 42 : 0)),
      'instant',
    )

    expect(more.expected).toBeGreaterThan(25)
    expect(bursts.high - bursts.low).toBeGreaterThan(18)
  })

  it('stays within the possible counts for every history', () => {
    const days = fc.array(fc.oneof({ arbitrary: fc.nat(3), weight: 5 }, fc.nat(1_000_000)), { minLength: 90, maxLength: 90 })
    const most = { instant: Infinity, daily: 7, weekly: 1, never: 0 }
    fc.assert(
      fc.property(days, fc.constantFrom('instant', 'daily', 'weekly', 'never'), (happened, frequency) => {
        const { expected, low, high } = forecast(happened, frequency)

        expect(Number.isFinite(expected) && expected >= 0 && expected <= most[frequency]).toBe(true)
        expect([low, high].every(Number.isSafeInteger)).toBe(true)
        expect(low).toBeGreaterThanOrEqual(0)
        expect(high).toBeGreaterThanOrEqual(low)
        expect(high).toBeLessThanOrEqual(most[frequency])
      }),
      runs(60),
    )
  })
})
