import { describe, expect, it } from 'vitest'

import { estimateTimeZone } from '../../../src/web/report/report-input.ts'

const NEW_HAVEN = { lat: 41.3083, lng: -72.9279 }

describe('the preselected time zone of a report', () => {
  it.each([
    [NEW_HAVEN, '2026-01-15', '-05:00'],
    [NEW_HAVEN, '2026-07-15', '-04:00'],
    [{ lat: 27.7172, lng: 85.324 }, '2026-01-15', '+05:45'],
    [{ lat: 51.5072, lng: -0.1276 }, '2026-01-15', '+00:00'],
    [{ lat: 40.4168, lng: -3.7038 }, '2026-01-15', '+01:00'],
    [{ lat: 0, lng: 0 }, '2026-01-15', '+00:00'],
  ])('is that of the place: %o on %s', (point, date, offset) => {
    expect(estimateTimeZone(point, new Date(date))).toBe(offset)
  })
})
