import { type Code, inLanguage, type Language, text, type Text } from '../locales/texts.ts'

/**
 * The interface of the public API has four shapes of error bodies: a flat map of fields, a map under `errors`, `{request}` for a body that
 * cannot be read, and a message. The `message` of this error object is in English, for the log.
 */
export class Problem extends Error {
  override name = 'Problem'
  readonly status: number
  readonly body: ProblemBody
  readonly headers: Readonly<Record<string, string>>

  constructor(status: number, body: ProblemBody, headers: Record<string, string> = {}) {
    super(body.kind === 'message' ? inLanguage(body.message, 'en') : JSON.stringify(writeValidationErrors(body.fields, 'en')))
    this.status = status
    this.body = body
    this.headers = headers
  }
}

export type ValidationErrors = Readonly<Record<string, Text | readonly Text[]>>

type ProblemBody =
  | { readonly kind: 'message'; readonly message: Text; readonly details?: object }
  | { readonly kind: 'fields'; readonly fields: ValidationErrors }
  | { readonly kind: 'errors'; readonly fields: ValidationErrors }

interface ResponseContext {
  readonly documentation: string
  readonly requestId: string
  readonly language: Language
}

/** Returns the response body. Only messages include the request id: the other shapes are maps of fields alone. */
export function toProblemJson({ body }: Problem, { documentation, requestId, language }: ResponseContext): object {
  switch (body.kind) {
    case 'message':
      return {
        message: inLanguage(body.message, language),
        documentation_url: documentation,
        request_id: requestId,
        ...body.details,
      }
    case 'fields':
      return writeValidationErrors(body.fields, language)
    case 'errors':
      return { errors: writeValidationErrors(body.fields, language) }
  }
}

/** @param inWords `inPlainWords` for pages */
export function writeValidationErrors(
  errors: ValidationErrors,
  language: Language,
  inWords = inLanguage,
): Readonly<Record<string, string | string[]>> {
  const write = (reason: Text) => inWords(reason, language)
  const isOne = (value: Text | readonly Text[]): value is Text => !Array.isArray(value)
  return Object.fromEntries(Object.entries(errors).map(([field, error]) => [field, isOne(error) ? write(error) : error.map(write)]))
}

const message = (status: number, message: Text, headers?: Record<string, string>) =>
  new Problem(status, { kind: 'message', message }, headers)

/** Subjects of `not_found`. In each language a subject begins the sentence and has its article. */
export type Resource = Extract<Code, `the_${string}` | 'this_address'>

/** The constant offers both schemes and one realm. Browsers ask for a password only where a page needs one. */
const CHALLENGE = { 'www-authenticate': 'Bearer realm="fixpoint", Basic realm="fixpoint", charset="UTF-8"' }

export const problems = {
  invalid: (fields: ValidationErrors) => new Problem(422, { kind: 'fields', fields }),
  exportTooLarge: (bytes: number) =>
    new Problem(422, { kind: 'fields', fields: { base: text('export_too_large', { size: Math.floor(bytes / 1024 ** 2) }) } }),
  invalidErrors: (fields: ValidationErrors) => new Problem(422, { kind: 'errors', fields }),
  unreadableBody: (reason: Text) => new Problem(400, { kind: 'fields', fields: { request: reason } }),
  pointMissing: () => message(400, text('point_missing')),
  badRequest: (reason: Text) => message(400, reason),
  loginNeeded: () => message(401, text('login_needed'), CHALLENGE),
  passwordNeeded: () => message(401, text('password_needed'), CHALLENGE),
  wrongCredentials: () => message(401, text('credentials_wrong'), CHALLENGE),
  tokenOverHttp: () => message(401, text('token_over_http'), CHALLENGE),
  notPermitted: (reason: Text) => message(403, reason),
  exportsOff: () => message(403, text('exports_off')),
  userAgentMissing: () => message(403, text('user_agent_missing')),
  sameOriginOnly: () => message(403, text('other_site_without_token')),
  crossSiteForm: (root: string) => message(403, text('cross_site_form', { root })),
  blocked: (seconds: number, headers?: Record<string, string>) =>
    message(403, text('client_blocked'), {
      ...headers,
      ...retryAfter(seconds),
    }),
  notFound: (resource: Resource) => message(404, text('not_found', { resource: text(resource) })),
  formatUnknown: (formats: readonly string[]) => message(404, text('export_format_unknown', { formats: formats.join(', ') })),
  methodNotAllowed: (allow: string) => message(405, text('method_not_allowed', { methods: allow }), { allow }),
  /** The link has the relation type of RFC 6249. */
  reportIsHere: (address: string) => message(409, text('report_is_here'), { link: `<${address}>; rel="duplicate"` }),
  previewOutdated: () => message(409, text('bulk_preview_outdated')),
  undoTooLate: () => message(409, text('bulk_undo_too_late')),
  keyInFlight: () => message(409, text('key_in_flight'), retryAfter(1)),
  /** The response closes the connection, because the rest of the body may never arrive. */
  requestTimeout: () => message(408, text('request_too_slow'), { connection: 'close' }),
  /** `reset` tells clients of changes to read the whole list again. */
  changesGone: () => new Problem(410, { kind: 'message', message: text('changes_gone'), details: { reset: true } }),
  preconditionFailed: () => message(412, text('file_changed')),
  /** @param changes what changed since the version that the caller named */
  versionChanged: (version: number, changes: readonly object[]) =>
    new Problem(412, { kind: 'message', message: text('version_changed', { version }), details: { version, changes } }),
  contentChanged: () => message(412, text('content_changed')),
  versionInvalid: () => new Problem(422, { kind: 'fields', fields: { 'If-Match': text('version_or_star') } }),
  versionMissing: () => message(428, text('version_missing')),
  tooLarge: (reason: Text) => message(413, reason),
  uriTooLong: (max: number) => message(414, text('url_too_long', { max })),
  unsupportedMediaType: (reason: Text = text('media_type_unsupported')) => message(415, reason),
  rangeNotSatisfiable: (bytes: number) =>
    message(416, text('range_not_satisfiable', { bytes }), { 'content-range': `bytes */${bytes}` }),
  severalRanges: (bytes: number) => message(416, text('several_ranges'), { 'content-range': `bytes */${bytes}` }),
  headersTooLarge: () => message(431, text('headers_too_large')),
  rateLimited: (seconds: number, headers?: Record<string, string>) =>
    message(429, text('too_many_requests', { seconds: toWholeSeconds(seconds) }), { ...headers, ...retryAfter(seconds) }),
  tooManyExports: (max: number) => message(429, text('too_many_exports', { max }), retryAfter(30)),
  registrationClosed: (seconds: number) => message(429, text('registration_closed'), retryAfter(seconds)),
  tooManyRegistrations: (seconds: number) => message(429, text('too_many_registrations'), retryAfter(seconds)),
  tooManyDrafts: (seconds: number) => message(429, text('too_many_drafts'), retryAfter(seconds)),
  tooManyDraftBytes: (seconds: number, max: number) => message(429, text('too_many_draft_bytes', { max }), retryAfter(seconds)),
  draftQuotaUsed: (seconds: number) => message(503, text('draft_quota_used'), retryAfter(seconds)),
  tooManyDraftMails: (seconds: number) => message(429, text('too_many_draft_mails'), retryAfter(seconds)),
  internal: () => message(500, text('internal_error')),
  queryTimeout: () => message(503, text('search_too_slow'), retryAfter(30)),
  geocoderUnavailable: () => message(503, text('geocoder_unavailable'), retryAfter(30)),
  tooManyUploads: () => message(503, text('too_many_uploads'), retryAfter(5)),
  unavailable: (seconds = 5) => message(503, text('service_unavailable'), retryAfter(seconds)),
} as const

/** Returns a value that exists. @throws Problem 404 */
export function orNotFound<Value>(value: Value, resource: Resource): Exclude<NonNullable<Value>, false> {
  if (!value) throw problems.notFound(resource)
  return value as Exclude<NonNullable<Value>, false>
}

/** Rounds up, because a client that retries a fraction of a second too early is refused again. */
const toWholeSeconds = (seconds: number) => Math.max(1, Math.ceil(seconds))

function retryAfter(seconds: number): Record<string, string> {
  return { 'retry-after': String(toWholeSeconds(seconds)) }
}
