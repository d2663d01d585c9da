import Type from 'typebox'

import { text } from '../../locales/texts.ts'

/** Returns the schema of a timestamp in a query. `readTimestamp` validates the date, which a regular expression cannot. */
export function TimestampParameter(description: string) {
  return Type.String({
    format: 'timestamp',
    maxLength: 40,
    description: `${description} ${FORMATS}`,
    examples: ['2026-01-31T00:00:00Z'],
    'x-allowed': text('timestamp_in_address'),
  })
}

const FORMATS =
  'An ISO 8601 date, with or without a time, hyphens and colons; UTC if it has no offset. 24:00 is the end of that day, and a leap second (23:59:60 UTC) the beginning of the next. Week dates and ordinal dates are refused.'

const OFFSET = 'Z|[+-]\\d{2}(?::?\\d{2})?'
const EXTENDED = new RegExp(`^(\\d{4})-(\\d{2})-(\\d{2})(?:T(\\d{2}):(\\d{2})(?::(\\d{2})(?:[.,](\\d{1,9}))?)?(${OFFSET})?)?$`)
const BASIC = new RegExp(`^(\\d{4})(\\d{2})(\\d{2})(?:T(\\d{2})(\\d{2})(?:(\\d{2})(?:[.,](\\d{1,9}))?)?(${OFFSET})?)?$`)

/** Returns an ISO 8601 time of the years 1 to 9999 as text that PostgreSQL and `Date` read alike. */
export function readTimestamp(value: string): string | undefined {
  const input = withPlus(value)
  const parts = EXTENDED.exec(input) ?? BASIC.exec(input)
  if (!parts) return undefined
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = parts.slice(1, 7).map((part) => Number(part ?? 0))
  const fraction = parts[7] ?? ''
  const offset = readOffset(parts[8])
  if (offset === undefined || !isDate(year, month, day)) return undefined
  if (!isTime(hour, minute, second, fraction) && !isLeapSecond(hour, minute, second, offset)) return undefined
  const date = new Date(0)
  date.setUTCFullYear(year, month - 1, day)
  date.setUTCHours(hour, minute, second)
  const iso = date.toISOString()
  return iso.startsWith('+') ? undefined : `${iso.slice(0, 19)}${fraction && `.${fraction}`}${offset}`
}

/** Restores the `+` of an offset that an unencoded URL or form has turned into a space. */
export const withPlus = (value: string) => value.replace(/(T[\d:.,]+) (?=\d{2}(:?\d{2})?$)/, '$1+')

function isDate(year: number, month: number, day: number): boolean {
  const date = new Date(0)
  date.setUTCFullYear(year, month - 1, day)
  return year >= 1 && date.getUTCMonth() === month - 1 && date.getUTCDate() === day
}

function isTime(hour: number, minute: number, second: number, fraction: string): boolean {
  if (hour === 24) return minute === 0 && second === 0 && Number(fraction) === 0
  return hour <= 23 && minute <= 59 && second <= 59
}

/** Leap seconds occur at the end of a day in UTC. */
function isLeapSecond(hour: number, minute: number, second: number, offset: string): boolean {
  if (second !== 60 || hour > 23 || minute > 59) return false
  const [, sign = '+', hours = '0', minutes = '0'] = /^([+-])(\d{2}):(\d{2})$/.exec(offset) ?? []
  const ahead = Number(`${sign}1`) * (Number(hours) * 60 + Number(minutes))
  return (hour * 60 + minute - ahead + 2 * 1_440) % 1_440 === 1_439
}

/** Accepts 'Z' or '+01:00' below 16 hours, the limit of PostgreSQL. */
function readOffset(offset: string | undefined): string | undefined {
  if (offset === undefined || offset === 'Z') return 'Z'
  const [hours, minutes] = [offset.slice(1, 3), offset.replace(':', '').slice(3, 5) || '00']
  return Number(hours) <= 15 && Number(minutes) <= 59 ? `${offset[0]}${hours}:${minutes}` : undefined
}
