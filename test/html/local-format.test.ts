import { describe, expect, it } from 'vitest'
import { type Language, textsIn } from '../../src/locales/texts.ts'
import type { Point } from '../../src/geo/shapes.ts'
import { formatDistance, formatLocalDate, formatLocalDateTime, formatLocalTime } from '../../src/html/format.ts'

const DENVER: Point = { lng: -104.99, lat: 39.74 }
const PARIS: Point = { lng: 2.35, lat: 48.86 }
const QUITO: Point = { lng: -78.47, lat: -0.18 }
const ATLANTIC: Point = { lng: -40, lat: 30 }

const WINTER = '2026-01-05T12:05:00Z'
const SUMMER = '2026-07-05T12:05:00Z'
const NOW = new Date('2026-07-10T12:00:00Z')
const LATER = new Date('2027-01-01T00:00:00Z')
const minutesBefore = (minutes: number) => new Date(NOW.getTime() - minutes * 60_000).toISOString()

/** Replaces the spaces that some versions of the data of locales put into times and before units. */
const textOf = (value: unknown) =>
  String(value)
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll(/[\u00A0\u202F]/g, ' ')

describe('times', () => {
  it.each<[Language, Point, string, string]>([
    ['en', DENVER, WINTER, 'Jan 5, 2026, 5:05 AM MST'],
    ['en', DENVER, SUMMER, 'Jul 5, 2026, 6:05 AM MDT'],
    ['en', PARIS, WINTER, '5 Jan 2026, 13:05 CET'],
    ['es', QUITO, WINTER, '5 ene 2026, 7:05 GMT-5'],
    ['es', DENVER, WINTER, '5 ene 2026, 5:05 GMT-7'],
    ['fr', PARIS, SUMMER, '5 juil. 2026, 14:05 UTC+2'],
    ['en', ATLANTIC, WINTER, '5 Jan 2026, 09:05 GMT-3'],
  ])('in %s are in the time zone of the place', (language, point, iso, expected) => {
    expect(textOf(formatLocalDateTime(iso, language, point))).toBe(expected)
  })

  it.each<[Language, number, string]>([
    ['en', 0, 'now'],
    ['en', 1, '1 minute ago'],
    ['en', 59, '59 minutes ago'],
    ['en', 3 * 60, '3 hours ago'],
    ['es', 3 * 60, 'hace 3 horas'],
    ['fr', 3 * 60, 'il y a 3 heures'],
    ['en', 24 * 60, '1 day ago'],
    ['en', 13 * 24 * 60, '13 days ago'],
    ['en', 29 * 24 * 60, '4 weeks ago'],
    ['en', -5, 'in 5 minutes'],
    ['en', 30 * 24 * 60, '10 Jun 2026, 14:00 CEST'],
  ])('in %s, %s minutes old, are relative for 30 days', (language, minutes, expected) => {
    expect(textOf(formatLocalTime(minutesBefore(minutes), textsIn(language), PARIS, NOW))).toBe(expected)
  })

  it('have the exact time in an attribute and as title', () => {
    expect(String(formatLocalTime(SUMMER, textsIn('en'), PARIS, NOW))).toBe(
      `<time class="relative" datetime="${SUMMER}" title="5 Jul 2026, 14:05 CEST">4 days ago</time>`,
    )
  })

  it('in lists end as dates of the place', () => {
    const iso = '2026-07-05T03:00:00Z'

    expect(textOf(formatLocalDate(iso, textsIn('en'), DENVER, LATER))).toBe('Jul 4, 2026')
    expect(textOf(formatLocalDate(iso, textsIn('en'), PARIS, LATER))).toBe('5 Jul 2026')
    expect(textOf(formatLocalDate(iso, textsIn('en'), PARIS, NOW))).toBe('5 days ago')
  })
})

describe('distances', () => {
  it.each<[Language, Point | undefined, number, string]>([
    ['en', PARIS, 500, '500 metres'],
    ['en', undefined, 1_000, '1 kilometre'],
    ['es', DENVER, 2_500, '2,5 kilómetros'],
    ['fr', PARIS, 1_500, '1,5 kilomètre'],
    ['en', DENVER, 100, '330 feet'],
    ['en', DENVER, 500, '0.3 miles'],
    ['en', DENVER, 5_000, '3.1 miles'],
  ])('in %s are metric, but English has miles in the United States', (language, point, metres, expected) => {
    expect(textOf(formatDistance(metres, textsIn(language), point))).toBe(expected)
  })
})
