export const frequencies = ['instant', 'daily', 'weekly', 'never'] as const
export type Frequency = (typeof frequencies)[number]

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const DUE_HOUR = 7
const HOURS_PER_DAY = 24
/** Unix time starts on a Thursday. */
const FIRST_MONDAY_MS = 4 * DAY_MS

/**
 * Returns the next 07:00 of mean solar time strictly after `at`, on a Monday if it is weekly, or null if the frequency has no
 * digests. Solar time needs no time zones and differs from local time by an hour or two.
 * @param lng of the centre of the area, in degrees
 */
export function nextDigestAt({ frequency, at, lng }: { frequency: Frequency; at: Date; lng: number }): Date | null {
  if (frequency !== 'daily' && frequency !== 'weekly') return null
  const solarOffset_ms = Math.round((lng / 360) * HOURS_PER_DAY * HOUR_MS)
  const first = DUE_HOUR * HOUR_MS - solarOffset_ms + (frequency === 'weekly' ? FIRST_MONDAY_MS : 0)
  const period = frequency === 'weekly' ? 7 * DAY_MS : DAY_MS
  return new Date(first + (Math.floor((at.getTime() - first) / period) + 1) * period)
}
