import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import { nextDigestAt } from '../../src/watch-areas/schema.ts'

const DAY_MS = 86_400_000
const longitudes = fc.double({ min: -180, max: 180, noNaN: true })
const timestamps = fc.date({ min: new Date('1950-01-01T00:00:00Z'), max: new Date('2100-01-01T00:00:00Z'), noInvalidDate: true })

/** Returns the mean solar time at a longitude, written as UTC. */
const bySun = (at: Date, lng: number) => new Date(at.getTime() + Math.round((lng / 15) * 3_600_000))

describe('nextDigestAt', () => {
  it.each([
    ['in Greenwich before seven', 'daily', '2026-11-18T06:59:59.999Z', 0, '2026-11-18T07:00:00.000Z'],
    ['at seven itself, which is over', 'daily', '2026-11-18T07:00:00.000Z', 0, '2026-11-19T07:00:00.000Z'],
    ['in New Haven, where the sun is late', 'daily', '2026-11-18T07:00:00.000Z', -72.9279, '2026-11-18T11:51:42.696Z'],
    ['far in the east, where it is tomorrow', 'daily', '2026-11-18T12:00:00.000Z', 180, '2026-11-18T19:00:00.000Z'],
    ['on a Monday', 'weekly', '2026-11-18T12:00:00.000Z', 0, '2026-11-23T07:00:00.000Z'],
    ['on a Monday of the east, a Sunday of Greenwich', 'weekly', '2026-11-18T12:00:00.000Z', 150, '2026-11-22T21:00:00.000Z'],
  ] as const)('is %s', (_, frequency, at, lng, next) => {
    expect(nextDigestAt({ frequency, at: new Date(at), lng })?.toISOString()).toBe(next)
  })

  it('returns the next 07:00 of solar time for daily digests', () => {
    fc.assert(
      fc.property(timestamps, longitudes, (at, lng) => {
        const next = nextDigestAt({ frequency: 'daily', at, lng })

        expect(next && bySun(next, lng).toISOString()).toMatch(/T07:00:00\.000Z$/)
        expect(next && next.getTime() - at.getTime()).toBeGreaterThan(0)
        expect(next && next.getTime() - at.getTime()).toBeLessThanOrEqual(DAY_MS)
      }),
    )
  })

  it('returns the next Monday for weekly digests', () => {
    fc.assert(
      fc.property(timestamps, longitudes, (at, lng) => {
        const next = nextDigestAt({ frequency: 'weekly', at, lng })

        expect(next && bySun(next, lng).toISOString()).toMatch(/T07:00:00\.000Z$/)
        expect(next && bySun(next, lng).getUTCDay()).toBe(1)
        expect(next && next.getTime() - at.getTime()).toBeGreaterThan(0)
        expect(next && next.getTime() - at.getTime()).toBeLessThanOrEqual(7 * DAY_MS)
      }),
    )
  })

  it.each(['instant', 'never'] as const)('returns null for the frequency %s', (frequency) => {
    expect(nextDigestAt({ frequency, at: new Date(), lng: 0 })).toBeNull()
  })
})
