/**
 * Every failure that the service answers with, made by name and rendered in one place (render-problems.ts). The shapes are the
 * interface's: a flat map of fields, a map under `errors`, `{request}` for a body that cannot be read, or a message.
 */
export class Problem extends Error {
  override name = 'Problem'
  readonly status: number
  readonly body: ProblemBody
  readonly headers: Readonly<Record<string, string>>

  constructor(status: number, body: ProblemBody, headers: Record<string, string> = {}) {
    super(body.kind === 'message' ? body.message : JSON.stringify(body.fields))
    this.status = status
    this.body = body
    this.headers = headers
  }
}

export type Faults = Readonly<Record<string, string | readonly string[]>>

export type ProblemBody =
  | { readonly kind: 'message'; readonly message: string }
  /** `{<field>: <text>}` */
  | { readonly kind: 'fields'; readonly fields: Faults }
  /** `{errors: {<field>: <text or texts>}}` */
  | { readonly kind: 'errors'; readonly fields: Faults }

/** The answer's body. Only messages carry the request id: the other shapes are maps of fields and nothing else. */
export function jsonOf({ body }: Problem, { documentation, requestId }: { documentation: string; requestId: string }): object {
  switch (body.kind) {
    case 'message':
      return { message: body.message, documentation_url: documentation, request_id: requestId }
    case 'fields':
      return body.fields
    case 'errors':
      return { errors: body.fields }
  }
}

const message = (status: number, text: string, headers?: Record<string, string>) =>
  new Problem(status, { kind: 'message', message: text }, headers)

/** Both schemes are offered; a browser asks for a password only where a page needs one, so the realm is named once. */
const CHALLENGE = { 'www-authenticate': 'Bearer realm="fixpoint", Basic realm="fixpoint", charset="UTF-8"' }

export const problems = {
  invalid: (fields: Faults) => new Problem(422, { kind: 'fields', fields }),
  invalidErrors: (fields: Faults) => new Problem(422, { kind: 'errors', fields }),
  unreadableBody: (text: string) => new Problem(400, { kind: 'fields', fields: { request: text } }),
  pointMissing: () => message(400, 'A point is needed: give lat and lng.'),
  badRequest: (text: string) => message(400, text),
  loginNeeded: () => message(401, 'This needs a login: send HTTP Basic or a Bearer token.', CHALLENGE),
  passwordNeeded: () =>
    message(401, 'A token is made with the password: send HTTP Basic, or email and password in the body.', CHALLENGE),
  wrongCredentials: () => message(401, 'These credentials are not right.', CHALLENGE),
  tokenOverHttp: () =>
    message(401, 'The access_token parameter is accepted over HTTPS only: send the token as Authorization: Bearer.', CHALLENGE),
  /** Whoever asks is somebody, and it is not for them. */
  notPermitted: (text: string) => message(403, text),
  userAgentMissing: () => message(403, 'Every request must carry a User-Agent header that says what client it is.'),
  sameOriginOnly: () => message(403, 'From another site only a Bearer token is accepted, neither Basic nor cookies.'),
  foreignForm: (root: string) =>
    message(
      403,
      `This did not come from a page of ours, so nothing was done. Open ${root} in your browser, log in there, and send it once more.`,
    ),
  blocked: (seconds: number, headers?: Record<string, string>) =>
    message(403, 'This client is blocked for an hour because it went on after it was told to slow down.', {
      ...headers,
      ...retryAfter(seconds),
    }),
  notFound: (what: string) => message(404, `${what} was not found.`),
  methodNotAllowed: (allow: string) => message(405, `This address does not know that method. Allowed: ${allow}.`, { allow }),
  keyInFlight: () => message(409, 'A request with this Idempotency-Key is still being answered: ask again shortly.', retryAfter(1)),
  /** What comes too slowly is not waited for: the connection ends with the answer. */
  tooSlow: () => message(408, 'The request took too long to arrive.', { connection: 'close' }),
  tooLarge: (text: string) => message(413, text),
  uriTooLong: () => message(414, 'The address is longer than 8,000 characters.'),
  unsupportedMediaType: () =>
    message(415, 'The body must be application/json, application/x-www-form-urlencoded or multipart/form-data.'),
  partNotThere: (bytes: number) =>
    message(416, `The file has ${bytes} bytes, and none of those that were asked for.`, { 'content-range': `bytes */${bytes}` }),
  headersTooLarge: () => message(431, 'The address and the headers are too long.'),
  rateLimited: (seconds: number, headers?: Record<string, string>) =>
    message(429, `Too many requests: try again in ${wholeSeconds(seconds)}.`, { ...headers, ...retryAfter(seconds) }),
  tooManyRegistrations: (seconds: number) =>
    message(429, 'Too many accounts were registered from this address within an hour: try again later.', retryAfter(seconds)),
  internal: () => message(500, 'Something went wrong on our side. The request id helps us to find it.'),
  tookTooLong: () =>
    message(503, 'This takes too long to find: ask for a smaller area or an earlier page, or try again later.', retryAfter(30)),
  geocoderAway: () =>
    message(503, 'The geocoder does not answer as it should: try again later, or send lat and lng.', retryAfter(30)),
  tooManyUploads: () => message(503, 'Too many files are being sent just now: try again shortly.', retryAfter(5)),
  unavailable: () => message(503, 'The service cannot answer just now: try again shortly.', retryAfter(5)),
} as const

/** Rounded up, since who comes back earlier is refused again. */
const whole = (seconds: number) => Math.max(1, Math.ceil(seconds))

const wholeSeconds = (seconds: number) => (whole(seconds) === 1 ? '1 second' : `${whole(seconds)} seconds`)

function retryAfter(seconds: number): Record<string, string> {
  return { 'retry-after': String(whole(seconds)) }
}
