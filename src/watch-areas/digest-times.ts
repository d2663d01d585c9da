export const frequencies = ['instant', 'daily', 'weekly', 'never'] as const
export type Frequency = (typeof frequencies)[number]

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** Hour of mean solar time at which digests are due. */
const DUE_HOUR = 7
const HOURS_PER_DAY = 24
/** Unix time starts on a Thursday; the first Monday is four days later. */
const FIRST_MONDAY_MS = 4 * DAY_MS

/**
 * Returns when the next digest of a watch area is due: the first 07:00 of mean solar time at its centre strictly after `at`, on
 * a Monday if it is weekly. Solar time needs no time zones or daylight saving time and differs from local time by an hour or
 * two.
 * @param lng of the centre of the area, in degrees
 * @returns null if the frequency has no digests
 */
export function nextDigestAt({ frequency, at, lng }: { frequency: Frequency; at: Date; lng: number }): Date | null {
  if (frequency !== 'daily' && frequency !== 'weekly') return null
  const solarOffset_ms = Math.round((lng / 360) * HOURS_PER_DAY * HOUR_MS)
  const first = DUE_HOUR * HOUR_MS - solarOffset_ms + (frequency === 'weekly' ? FIRST_MONDAY_MS : 0)
  const period = frequency === 'weekly' ? 7 * DAY_MS : DAY_MS
  return new Date(first + (Math.floor((at.getTime() - first) / period) + 1) * period)
}
