export const weekdays = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday'] as const
type Weekday = (typeof weekdays)[number]

/** Local times of a day, such as `{ from: '08:00', to: '12:30' }`. The end does not belong to the hours and may be `24:00`. */
export interface Hours {
  readonly from: string
  readonly to: string
}

/** Working hours of an organisation. A time is in them if the clock of the time zone shows one of the hours of the day, and the day is no holiday. */
export interface Calendar {
  /** IANA name. */
  readonly time_zone: string
  readonly weekly_hours: Readonly<Partial<Record<Weekday, readonly Hours[]>>>
  /** Local dates in the format of RFC 3339, such as `2026-12-25`. */
  readonly holidays: readonly string[]
}

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000
/** Unix time starts on a Thursday. */
const FIRST_WEEKDAY = 3

/**
 * Returns the time at which this much working time has passed since `start`. Without a calendar all time is working time.
 * @param calendar has working hours, or the function does not return
 */
export function addWorkingTime(start: Date, duration_ms: number, calendar: Calendar | null): Date {
  if (!calendar || duration_ms <= 0) return new Date(start.getTime() + Math.max(duration_ms, 0))
  let remaining_ms = duration_ms
  for (const [from, to] of listWorkingSpans(calendar, start.getTime())) {
    if (remaining_ms <= to - from) return new Date(from + remaining_ms)
    remaining_ms -= to - from
  }
  throw new Error('unreachable: the calendar has no end')
}

/** Returns the working time between two times in milliseconds, and 0 if `end` is not after `start`. Without a calendar it is all time. */
export function workingTimeBetween(start: Date, end: Date, calendar: Calendar | null): number {
  const [first, last] = [start.getTime(), end.getTime()]
  if (last <= first) return 0
  if (!calendar) return last - first
  let total_ms = 0
  for (const [from, to] of listWorkingSpans(calendar, first)) {
    if (from >= last) break
    total_ms += Math.min(to, last) - from
  }
  return total_ms
}

/**
 * Returns a target after a pause: the working time of the pause is added. A target that was missed before the pause does not change.
 * @param pause its start and end
 */
export function shiftByPause(target: Date, [from, to]: readonly [Date, Date], calendar: Calendar | null): Date {
  return target <= from ? target : addWorkingTime(target, workingTimeBetween(from, to, calendar), calendar)
}

/**
 * Yields the working hours after `start` in ascending order, in milliseconds of Unix time. Between two changes of the clocks the local time is Unix time
 * plus a constant, so hours that the clocks skip are left out, and hours that they repeat count twice.
 */
function* listWorkingSpans({ time_zone, weekly_hours, holidays }: Calendar, start: number): Generator<readonly [number, number]> {
  const hours = weekdays.map((weekday) => (weekly_hours[weekday] ?? []).map(({ from, to }) => [toMs(from), toMs(to)] as const))
  const skipped = new Set(holidays.map((date) => Date.parse(date) / DAY_MS))
  let position = start
  for (;;) {
    const zoned = Temporal.Instant.fromEpochMilliseconds(position).toZonedDateTimeISO(time_zone)
    const offset = zoned.offsetNanoseconds / 1e6
    const change = zoned.getTimeZoneTransition('next')?.epochMilliseconds ?? Infinity
    for (let day = Math.floor((position + offset) / DAY_MS); day * DAY_MS - offset < change; day++) {
      if (skipped.has(day)) continue
      const midnight = day * DAY_MS - offset
      for (const [from, to] of hours[(day + FIRST_WEEKDAY) % weekdays.length] ?? []) {
        const span = [Math.max(midnight + from, position), Math.min(midnight + to, change)] as const
        if (span[0] < span[1]) yield span
      }
    }
    position = change
  }
}

function toMs(time: string): number {
  const [hours, minutes] = time.split(':').map(Number) as [number, number]
  return (hours * 60 + minutes) * MINUTE_MS
}
