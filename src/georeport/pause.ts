import type { EndpointResponse } from './endpoint-client.ts'

const PAUSE_DEFAULT_S = 60
const PAUSE_MAX_S = 3_600
/** The other statuses of a server that is busy: a blocked client, a key in use, and maintenance. */
const PAUSING: ReadonlySet<number> = new Set([403, 409, 503])

/**
 * Returns the seconds for which the endpoint is to be left alone, from 1 to 3,600: those of `Retry-After` (RFC 9110), or a minute after 429
 * without it. Returns undefined for other responses.
 */
export function findPause({ status, retryAfter }: EndpointResponse, now = Date.now()): number | undefined {
  const seconds = retryAfter === undefined ? undefined : toSeconds(retryAfter, now)
  if (status !== 429 && (seconds === undefined || !PAUSING.has(status))) return undefined
  return Math.min(Math.max(Math.ceil(seconds ?? PAUSE_DEFAULT_S), 1), PAUSE_MAX_S)
}

function toSeconds(text: string, now: number): number | undefined {
  if (/^\d{1,9}$/.test(text)) return Number(text)
  const time = Date.parse(text)
  return Number.isNaN(time) ? undefined : (time - now) / 1_000
}
