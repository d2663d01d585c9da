import { text } from '../../locales/texts.ts'
import { toProblemJson, type Problem, problems } from '../../errors/problems.ts'
import { LICENCE_LINK } from '../formats/feature-collection.ts'
import { type FailureStatus, failures } from '../schema/fields.ts'
import { URL_MAX } from '../request/urls.ts'
import headers from './headers.json' with { type: 'json' }

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
  410: { name: 'ChangesGone', examples: { reset: problems.changesGone() } },
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

const headerTexts = { ...headers, Link: { ...headers.Link, example: LICENCE_LINK } }

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
  const responses = Object.entries(failureResponses).map(([status, { name, examples, headers: own = [] }]) => {
    const { schema, description } = failures[Number(status) as FailureStatus]
    const jsonExamples = Object.entries(examples).map(([key, problem]) => [
      key,
      { value: toProblemJson(problem, { documentation, requestId: 'b7a1f0c2d9e84b66', language: 'en' }) },
    ])
    const content = { 'application/json': { schema, examples: Object.fromEntries(jsonExamples) as object } }
    return [name, { description, headers: headerRefs([...commonHeaders, 'Content-Language', ...own]), content }]
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
