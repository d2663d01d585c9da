import findTimeZone from '@photostructure/tz-lookup'

import type { Point } from './shapes.ts'

/** Returns the IANA time zone of a point; UTC if this version of Node does not know the zone. */
export function timeZoneAt({ lat, lng }: Point): string {
  const zone = findTimeZone(lat, lng)
  return isKnown(zone) ? zone : 'UTC'
}

const known = new Map<string, boolean>()

function isKnown(zone: string): boolean {
  const cached = known.get(zone)
  if (cached !== undefined) return cached
  let isValid = true
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone })
  } catch {
    isValid = false
  }
  known.set(zone, isValid)
  return isValid
}

/** The zones of the United States in `zone1970.tab` of the IANA database. */
const UNITED_STATES =
  /^(?:America\/(?:Adak|Anchorage|Boise|Chicago|Denver|Detroit|Indiana\/.+|Juneau|Kentucky\/.+|Los_Angeles|Menominee|Metlakatla|New_York|Nome|North_Dakota\/.+|Phoenix|Sitka|Yakutat)|Pacific\/Honolulu)$/

export const isInUnitedStates = (point: Point): boolean => UNITED_STATES.test(timeZoneAt(point))
