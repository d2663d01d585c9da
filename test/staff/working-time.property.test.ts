import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

import {
  addWorkingTime,
  type Calendar,
  type Hours,
  shiftByPause,
  weekdays,
  workingTimeBetween,
} from '../../src/staff/targets/calendar.ts'
import { runs } from '../helpers/long.ts'

const MINUTE_MS = 60_000

const toText = (minutes: number) => `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`

/** Up to three spans, which do not overlap. */
const hoursOfDay = fc
  .uniqueArray(fc.integer({ min: 0, max: 96 }), { maxLength: 6 })
  .map((quarters) => quarters.toSorted((a, b) => a - b))
  .map((quarters): Hours[] =>
    Array.from({ length: Math.floor(quarters.length / 2) }, (_, n) => ({
      from: toText(quarters[2 * n]! * 15),
      to: toText(quarters[2 * n + 1]! * 15),
    })),
  )

/** Clocks of these zones change by an hour or half an hour, at midnight, or never; in April of 2026 and 2027 or in other months. */
const timeZones = [
  'America/Denver',
  'Europe/Paris',
  'Australia/Lord_Howe',
  'Asia/Beirut',
  'America/Scoresbysund',
  'Asia/Kathmandu',
  'UTC',
]

/** The first days of each history are within two days of a change of the clocks of one of the zones. */
const starts = fc.tuple(
  fc.constantFrom('2026-03-07', '2026-03-28', '2026-04-04', '2026-10-03', '2026-10-24', '2026-10-31', '2026-12-24'),
  fc.integer({ min: 0, max: 2 * 1_440 }),
)

const histories = fc.record({
  calendar: fc.record({
    time_zone: fc.constantFrom(...timeZones),
    weekly_hours: fc
      .tuple(fc.constant([{ from: '09:15', to: '10:15' }]), hoursOfDay, hoursOfDay, hoursOfDay, hoursOfDay, hoursOfDay, hoursOfDay)
      .map((days) => Object.fromEntries(days.map((hours, n) => [weekdays[n]!, hours]))),
    holidays: fc.uniqueArray(
      fc
        .integer({ min: 0, max: 40 })
        .map((day) => new Date(Date.parse('2026-03-08') + day * 86_400_000).toISOString().slice(0, 10)),
      { maxLength: 8 },
    ),
  }),
  start: starts.map(([date, minute]) => new Date(Date.parse(date) + minute * MINUTE_MS)),
  minutes: fc.integer({ min: 1, max: 2_000 }),
  /** Minutes between the start, the beginnings and the ends of pauses, in turns. */
  gaps: fc.array(fc.integer({ min: 1, max: 4_000 }), { maxLength: 8 }),
})

/** Returns whether the wall clock shows a working minute. Hours begin and clocks change on a quarter of an hour, so one answer is valid for a quarter. */
function createSimulation({ time_zone, weekly_hours, holidays }: Calendar) {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone: time_zone,
    weekday: 'long',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  })
  const read = (at: number): boolean => {
    const { weekday, year, month, day, hour, minute } = Object.fromEntries(
      format.formatToParts(at).map(({ type, value }) => [type, value]),
    )
    if (holidays.includes(`${year}-${month}-${day}`)) return false
    const time = `${hour}:${minute}`
    const hours = weekly_hours[weekday!.toLowerCase() as (typeof weekdays)[number]] ?? []
    return hours.some(({ from, to }) => from <= time && time < to)
  }
  const known = new Map<number, boolean>()
  return (at: number): boolean => {
    const quarter = Math.floor(at / (15 * MINUTE_MS))
    if (!known.has(quarter)) known.set(quarter, read(at))
    return known.get(quarter)!
  }
}

describe('working time', () => {
  it('is the time of a minute-by-minute simulation, with holidays, pauses and changes of the clocks', () => {
    fc.assert(
      fc.property(histories, ({ calendar, start, minutes, gaps }) => {
        let time = start.getTime()
        const turns = gaps.map((gap) => new Date((time += gap * MINUTE_MS)))
        const pauses = turns.flatMap((from, n) => (n % 2 === 0 && turns[n + 1] ? [[from, turns[n + 1]!] as const] : []))

        const target = pauses.reduce(
          (shifted, pause) => shiftByPause(shifted, pause, calendar),
          addWorkingTime(start, minutes * MINUTE_MS, calendar),
        )

        const isWorking = createSimulation(calendar)
        let [counted, at, all] = [0, start.getTime(), 0]
        for (; counted < minutes; at += MINUTE_MS) {
          if (!isWorking(at)) continue
          all++
          if (!pauses.some(([from, to]) => at >= from.getTime() && at < to.getTime())) counted++
        }
        expect(target.toISOString()).toBe(new Date(at).toISOString())
        expect(workingTimeBetween(start, new Date(at), calendar)).toBe(all * MINUTE_MS)
      }),
      runs(500),
    )
  })
})
