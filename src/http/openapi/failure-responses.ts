import { text } from '../../locales/texts.ts'
import { toProblemJson, type Problem, problems } from '../../errors/problems.ts'
import { LICENCE_LINK } from '../formats/feature-collection.ts'
import { type FailureStatus, failures } from '../schema/fields.ts'
import { URL_MAX } from '../request/urls.ts'

interface FailureResponse {
  readonly name: string
  readonly examples: Readonly<Record<string, Problem>>
  readonly headers?: readonly string[]
}

const failureResponses: Readonly<Record<FailureStatus, FailureResponse>> = {
  400: {
    name: 'BadRequest',
    examples: { point_missing: problems.pointMissing(), unreadable_body: problems.unreadableBody(text('body_not_json')) },
  },
  401: {
    name: 'Unauthorized',
    examples: { wrong: problems.wrongCredentials(), missing: problems.loginNeeded() },
    headers: ['WWW-Authenticate'],
  },
  403: {
    name: 'Forbidden',
    examples: {
      no_user_agent: problems.userAgentMissing(),
      other_site: problems.sameOriginOnly(),
      blocked: problems.blocked(3_600),
    },
    headers: ['Retry-After'],
  },
  404: { name: 'NotFound', examples: { not_found: problems.notFound('the_issue') } },
  405: { name: 'MethodNotAllowed', examples: { not_allowed: problems.methodNotAllowed('GET, HEAD') }, headers: ['Allow'] },
  408: { name: 'RequestTimeout', examples: { too_slow: problems.requestTimeout() } },
  409: { name: 'InFlight', examples: { in_flight: problems.keyInFlight() }, headers: ['Retry-After'] },
  412: {
    name: 'PreconditionFailed',
    examples: { changed: problems.preconditionFailed(), edited: problems.versionChanged(5, []) },
  },
  428: { name: 'PreconditionRequired', examples: { missing: problems.versionMissing() } },
  413: { name: 'TooLarge', examples: { too_large: problems.tooLarge(text('body_too_large')) } },
  414: { name: 'UriTooLong', examples: { too_long: problems.uriTooLong(URL_MAX) } },
  415: { name: 'UnsupportedMediaType', examples: { unsupported: problems.unsupportedMediaType() } },
  416: {
    name: 'RangeNotSatisfiable',
    examples: { outside: problems.rangeNotSatisfiable(1_000), several: problems.severalRanges(1_000) },
    headers: ['Content-Range'],
  },
  422: {
    name: 'Invalid',
    examples: {
      flat: problems.invalid({
        sort: text('must_be', { allowed: text('one_of', { values: 'updated_at, created_at, rating, distance' }) }),
      }),
      under_errors: problems.invalidErrors({ summary: [text('is_blank')] }),
    },
  },
  429: { name: 'TooManyRequests', examples: { over_the_limit: problems.rateLimited(42) }, headers: ['Retry-After'] },
  500: { name: 'InternalError', examples: { internal_error: problems.internal() } },
  503: {
    name: 'Unavailable',
    examples: { away: problems.unavailable(), too_long: problems.queryTimeout() },
    headers: ['Retry-After'],
  },
}

export const commonHeaders = ['X-Request-Id', 'RateLimit', 'RateLimit-Policy'] as const

const headerTexts: Readonly<Record<string, { description: string; example: string }>> = {
  'X-Request-Id': { description: 'Identifies this request in our log; quote it when you contact us.', example: 'b7a1f0c2d9e84b66' },
  RateLimit: { description: 'Requests that remain (r) and seconds until the window ends (t).', example: '"default";r=17;t=42' },
  'RateLimit-Policy': { description: 'Requests allowed (q) in a window of seconds (w).', example: '"default";q=20;w=60' },
  'Retry-After': { description: 'Seconds to wait; with 403 only if the client is blocked.', example: '42' },
  'Idempotency-Replayed': {
    description: '`true` if this is the replayed first response to the Idempotency-Key.',
    example: 'true',
  },
  'WWW-Authenticate': { description: 'The accepted authentication schemes.', example: 'Bearer realm="fixpoint"' },
  'Content-Language': {
    description: 'The language of the texts, chosen by Accept-Language: `en`, `es` or `fr`.',
    example: 'es',
  },
  Allow: { description: 'The allowed methods of this path.', example: 'GET, HEAD' },
  ETag: { description: 'Validates this response for this caller; send it back as If-None-Match.', example: 'W/"3sT0Yy0f7Cw"' },
  'X-Total-Count': { description: 'The number of rows of the file.', example: '2501' },
  'X-Export-Cursor': {
    description: 'Names the snapshot that the file contains; a later feed of changes will take it.',
    example: 'MSA3NzY6Nzc2Og',
  },
  'Content-Range': { description: 'The part of the file, or its length (RFC 9110, 14.4).', example: 'bytes 0-1023/2501000' },
  'Content-Disposition': { description: 'The name of the file.', example: 'attachment; filename="issues-denver-2026-11-24.csv"' },
  Link: { description: 'The licence.', example: LICENCE_LINK },
  'Last-Modified': {
    description: 'The last change, if known; send it back as If-Modified-Since.',
    example: 'Fri, 20 Nov 2026 09:30:00 GMT',
  },
}

export function headerComponents(): Record<string, object> {
  return Object.fromEntries(
    Object.entries(headerTexts).map(([name, { description, example }]) => [
      name,
      { description, schema: { type: 'string' }, example },
    ]),
  )
}

export function headerRefs(names: readonly string[]): Record<string, object> {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]))
}

/** Returns the shared response components. 304 is included because it never has a body. */
export function responseComponents(documentation: string): Record<string, object> {
  const responses = Object.entries(failureResponses).map(([status, { name, examples, headers = [] }]) => {
    const { schema, description } = failures[Number(status) as FailureStatus]
    const jsonExamples = Object.entries(examples).map(([key, problem]) => [
      key,
      { value: toProblemJson(problem, { documentation, requestId: 'b7a1f0c2d9e84b66', language: 'en' }) },
    ])
    const content = { 'application/json': { schema, examples: Object.fromEntries(jsonExamples) as object } }
    return [name, { description, headers: headerRefs([...commonHeaders, 'Content-Language', ...headers]), content }]
  })
  const notModified = { description: 'The response has not changed.', headers: headerRefs([...commonHeaders, 'ETag']) }
  return { NotModified: notModified, ...(Object.fromEntries(responses) as Record<string, object>) }
}

/** Returns a reference to a shared failure, or undefined if the operation has its own description. */
export function failureRef(status: string, description: string | undefined): { $ref: string } | undefined {
  if (!Object.hasOwn(failureResponses, status)) return undefined
  const failureStatus = Number(status) as FailureStatus
  return failures[failureStatus].description === description
    ? { $ref: `#/components/responses/${failureResponses[failureStatus].name}` }
    : undefined
}
