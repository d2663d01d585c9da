export type Frequency = 'instant' | 'daily' | 'weekly' | 'never'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** Before people leave the house. */
const HOUR_OF_DAY = 7
const HOURS_OF_A_TURN = 24
/** From the first day of Unix time, a Thursday, to the first Monday. */
const FIRST_MONDAY_MS = 4 * DAY_MS

/**
 * When the next daily or weekly mail of a watch area is due: the first 07:00 of mean solar time at its centre strictly after `at`, of a
 * Monday where it is weekly. The sun needs no table of time zones and no clock that is put forward, and is right to the hour or two.
 * @param lng of the centre of the area, in degrees
 * @returns null where there are no such mails
 */
export function nextDigestAt({ frequency, at, lng }: { frequency: Frequency; at: Date; lng: number }): Date | null {
  if (frequency !== 'daily' && frequency !== 'weekly') return null
  const ahead_ms = Math.round((lng / 360) * HOURS_OF_A_TURN * HOUR_MS)
  const first = HOUR_OF_DAY * HOUR_MS - ahead_ms + (frequency === 'weekly' ? FIRST_MONDAY_MS : 0)
  const period = frequency === 'weekly' ? 7 * DAY_MS : DAY_MS
  return new Date(first + (Math.floor((at.getTime() - first) / period) + 1) * period)
}
