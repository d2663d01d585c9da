import { describe, expect, it } from 'vitest'

import { addWorkingTime, type Calendar, shiftByPause, workingTimeBetween } from '../../src/staff/targets/calendar.ts'

const HOUR_MS = 3_600_000
const office = [
  { from: '08:00', to: '12:00' },
  { from: '13:00', to: '17:00' },
]
const denver: Calendar = {
  time_zone: 'America/Denver',
  weekly_hours: { monday: office, tuesday: office, wednesday: office, thursday: office, friday: office },
  holidays: ['2026-11-26', '2026-11-27'],
}
const always: Calendar = {
  time_zone: 'America/Denver',
  weekly_hours: { saturday: [{ from: '00:00', to: '24:00' }], sunday: [{ from: '00:00', to: '24:00' }] },
  holidays: [],
}

describe('addWorkingTime', () => {
  it.each([
    ['skips lunch', '2026-11-24T11:30:00-07:00', 1, '2026-11-24T13:30:00-07:00'],
    ['ends with the working day', '2026-11-24T08:00:00-07:00', 8, '2026-11-24T17:00:00-07:00'],
    ['skips nights, holidays and the weekend', '2026-11-25T16:00:00-07:00', 2, '2026-11-30T09:00:00-07:00'],
    ['starts on the next working day after a report at night', '2026-11-28T23:00:00-07:00', 4, '2026-11-30T12:00:00-07:00'],
    ['keeps local hours after the clocks change', '2026-10-30T16:00:00-06:00', 2, '2026-11-02T09:00:00-07:00'],
  ])('%s', (_, start, hours, target) => {
    expect(addWorkingTime(new Date(start), hours * HOUR_MS, denver)).toEqual(new Date(target))
  })

  it('counts an hour that the clocks repeat twice', () => {
    expect(addWorkingTime(new Date('2026-11-01T00:00:00-06:00'), 25 * HOUR_MS, always)).toEqual(
      new Date('2026-11-02T00:00:00-07:00'),
    )
  })

  it('does not count an hour that the clocks skip', () => {
    expect(workingTimeBetween(new Date('2026-03-08T00:00:00-07:00'), new Date('2026-03-09T00:00:00-06:00'), always)).toBe(
      23 * HOUR_MS,
    )
  })

  it('counts all time without a calendar', () => {
    const [start, end] = [new Date('2026-11-27T22:00:00Z'), new Date('2026-11-29T22:00:00Z')]
    expect(addWorkingTime(start, 48 * HOUR_MS, null)).toEqual(end)
    expect(workingTimeBetween(start, end, null)).toBe(48 * HOUR_MS)
  })

  it('counts nothing backwards', () => {
    const [start, end] = [new Date('2026-11-24T16:00:00Z'), new Date('2026-11-25T16:00:00Z')]
    expect(workingTimeBetween(end, start, denver)).toBe(0)
    expect(workingTimeBetween(end, start, null)).toBe(0)
    expect(addWorkingTime(start, -HOUR_MS, null)).toEqual(start)
  })
})

describe('shiftByPause', () => {
  it('does not move a target that was missed before the pause', () => {
    const target = new Date('2026-11-24T16:00:00Z')
    expect(shiftByPause(target, [target, new Date('2026-11-30T16:00:00Z')], denver)).toEqual(target)
  })

  it('adds the working time of the pause', () => {
    const pause = [new Date('2026-11-24T08:00:00-07:00'), new Date('2026-11-30T09:00:00-07:00')] as const
    // Tuesday, Wednesday and an hour of Monday.
    expect(shiftByPause(new Date('2026-11-24T12:00:00-07:00'), pause, denver)).toEqual(new Date('2026-11-30T14:00:00-07:00'))
  })
})
