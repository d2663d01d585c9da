import Type, { type Static, type TSchema } from 'typebox'

import { text, type Text } from '../../locales/texts.ts'

/*
 * 'x-allowed' of a schema is the message key, with its parameters, of the allowed values of a field (`errors` of src/locales), where its type, its `enum` or
 * its bounds do not say them all (`allowedValues`). The 422 response shows it in the language of the client, and the API reference in English.
 */

/** Returns the nullable schema. A list of types serializes faster than `anyOf`, whose branches are tried in turn. */
export function nullable<Schema extends TSchema & { type?: string }>(schema: Schema, options: Record<string, unknown> = {}) {
  return Type.Unsafe<Static<Schema> | null>({ ...schema, type: [schema.type, 'null'], ...options })
}

export function stringEnum<const Values extends readonly string[]>(values: Values, options: Record<string, unknown> = {}) {
  return Type.Unsafe<Values[number]>({ type: 'string', enum: values, ...options })
}

/** Returns the schema of a comma-separated list in a query, such as `status=open,closed`. Each item is validated. */
export function commaList<Item extends TSchema>(item: Item, options: Record<string, unknown> & { 'x-allowed': Text }) {
  return Type.Array(item, { minItems: 1, maxItems: 100, ...options })
}

export const idMax = 2_147_483_647
/** Returns whether a row could have this id. PostgreSQL refuses to compare larger numbers with it. */
export const isId = (id: number): boolean => Number.isInteger(id) && id >= 1 && id <= idMax
export const Id = Type.Integer({ minimum: 1, maximum: idMax, examples: [4711] })

/** ISO 8601 in UTC with a resolution of one second. */
export const Timestamp = Type.String({ format: 'date-time', examples: ['2026-11-20T09:30:00Z'] })
export const NullableTimestamp = nullable(Timestamp, { examples: [null] })

/** Returns the schema of an absolute URL. `example` is a path; the reference shows it under the public URL. */
export const urlLike = (example: string) => Type.String({ format: 'uri', examples: [`http://127.0.0.1:3000${example}`] })
export const Url = urlLike('/api/v2/issues/4711')

/** GeoJSON Point (RFC 7946) with longitude first. */
export const GeoJsonPoint = Type.Object({
  type: Type.Unsafe<'Point'>({ type: 'string', const: 'Point' }),
  coordinates: Type.Array(Type.Number(), {
    minItems: 2,
    maxItems: 2,
    description: '[longitude, latitude]',
    examples: [[-104.9903, 39.7392]],
  }),
})

/** Truncates to seconds: '2026-11-20T09:30:00.120Z' becomes '2026-11-20T09:30:00Z'. */
export function toTimestamp(iso: string): string {
  return `${iso.slice(0, 19)}Z`
}

export function toNullableTimestamp(iso: string | null): string | null {
  return iso === null ? null : toTimestamp(iso)
}

const MessageBody = Type.Object(
  {
    message: Type.String({ examples: ['The issue was not found.'] }),
    documentation_url: urlLike('/docs'),
    request_id: Type.String({ description: 'Also in the X-Request-Id header and in our log.', examples: ['b7a1f0c2d9e84b66'] }),
  },
  { title: 'Message' },
)
const GoneBody = Type.Object(
  { ...MessageBody.properties, reset: Type.Boolean({ description: 'Always true.', examples: [true] }) },
  { title: 'Gone' },
)
const ChangedBody = Type.Object(
  {
    ...MessageBody.properties,
    version: Type.Optional(Type.Integer({ description: 'The present version of the issue.', examples: [5] })),
    changes: Type.Optional(
      Type.Array(Type.Object({}, { additionalProperties: true }), {
        description: 'The log entries since the version that the caller named, newest first.',
      }),
    ),
  },
  { title: 'Changed' },
)
const FieldsBody = Type.Record(Type.String(), Type.String(), {
  title: 'FieldErrors',
  examples: [{ sort: 'must be one of updated_at, created_at, rating, distance' }],
})
const ErrorsBody = Type.Object({ errors: Type.Record(Type.String(), Type.Unknown()) }, { title: 'NestedFieldErrors' })
export const UnreadableBody = Type.Object({ request: Type.String() }, { title: 'UnreadableBody' })

/** A status whose body has one of the schemas. */
const failure = (description: string, schema: TSchema = MessageBody, other?: TSchema) => ({
  schema: other ? Type.Unsafe<unknown>({ anyOf: [schema, other] }) : schema,
  description,
})

export const failures = {
  400: failure('The point is missing, or the body cannot be read.', MessageBody, UnreadableBody),
  401: failure('Credentials are wrong or missing.'),
  403: failure('No User-Agent, not permitted, or blocked for an hour after ten 429s.'),
  404: failure('The resource does not exist.'),
  405: failure('The method is not allowed for this path.'),
  408: failure('The body arrives too slowly.'),
  409: failure('A request with this Idempotency-Key is still active; Retry-After says when to retry.'),
  410: failure('Changes after this cursor may be missing: read the whole list again, which has a new cursor.', GoneBody),
  412: failure('The file or the content has another ETag, or the issue another version, than If-Match names.', ChangedBody),
  413: failure('The body, or a picture in it, is too large.'),
  414: failure('The URL is longer than 8,000 characters.'),
  415: failure('The body is neither JSON nor a form.'),
  416: failure('The file has no such range of bytes, or several ranges are requested.'),
  422: failure('A parameter or field is invalid; every error is named.', FieldsBody, ErrorsBody),
  428: failure('The change needs If-Match with the ETag of its GET, or `*`.'),
  429: failure('Too many requests; Retry-After is the number of seconds to wait.'),
  500: failure('An internal error.'),
  503: failure(
    'The service is overloaded, the database is unreachable, or the query takes too long; Retry-After says when to retry.',
  ),
} as const

export type FailureStatus = keyof typeof failures

/** Returns schemas of these statuses and those of every operation. Their type is empty because handlers throw Problems. */
export function failsWith(...statuses: FailureStatus[]): Record<never, TSchema> {
  const all = [...new Set<FailureStatus>([...statuses, 401, 403, 414, 422, 429, 500, 503])].sort((a, b) => a - b)
  return Object.fromEntries(
    all.map((status) => [
      status,
      { description: failures[status].description, content: { 'application/json': { schema: failures[status].schema } } },
    ]),
  )
}

/** Letters and symbols without a glyph are invisible, such as Hangul fillers and the blank Braille pattern. */
const VISIBLE_CHARACTER = '(?![\\p{Default_Ignorable_Code_Point}\\u2800])[\\p{L}\\p{N}\\p{P}\\p{S}]'

/** Returns the schema of a text with a visible character. @param max in UTF-16 units */
export const visibleText = (max: number, options: Record<string, unknown> = {}) =>
  Type.String({ maxLength: max, pattern: VISIBLE_CHARACTER, 'x-allowed': text('text_between', { min: 1, max }), ...options })

export const HAS_VISIBLE = `^(?=[\\s\\S]*${VISIBLE_CHARACTER})`

const visible = new RegExp(VISIBLE_CHARACTER, 'u')

export function isBlankText(text: string): boolean {
  return !visible.test(text)
}

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
