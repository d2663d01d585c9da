import { setTimeout } from 'node:timers/promises'

/** This limits a response of the geocoder; one place with all its names takes a few kilobytes. */
const RESPONSE_BYTES_MAX = 64 * 1024

export type RequestJson = (url: string, timeoutMs: number) => Promise<unknown>

/** Part of the timeout that a request may wait for its turn. */
const WAIT_SHARE = 0.5

/**
 * Returns `requestJson` with a limit for all callers: requests start at regular distances. One that would wait for more than half of its
 * timeout is not sent, so the queue stays short, and its result is undefined like that of a geocoder that does not answer.
 */
export function createLimitedRequest(perSecond: number, send: RequestJson = requestJson): RequestJson {
  const distanceMs = 1_000 / perSecond
  let nextAt = 0
  return async (url, timeoutMs) => {
    const now = performance.now()
    const startAt = Math.max(nextAt, now)
    if (startAt - now > timeoutMs * WAIT_SHARE) return undefined
    nextAt = startAt + distanceMs
    if (startAt > now) await setTimeout(startAt - now)
    return send(url, timeoutMs)
  }
}

/**
 * Returns the JSON that a geocoder answers, or undefined if it fails or is too slow. The timeout covers the whole response.
 * Redirects are errors because the operator chose this server.
 */
export async function requestJson(url: string, timeoutMs: number): Promise<unknown> {
  try {
    const response = await fetch(url, {
      headers: { 'user-agent': 'Fixpoint', accept: 'application/json' },
      signal: AbortSignal.timeout(timeoutMs),
      redirect: 'error',
    })
    const body = await readText(response)
    return response.ok && body !== undefined ? (JSON.parse(body) as unknown) : undefined
  } catch {
    return undefined
  }
}

async function readText({ body }: Response): Promise<string | undefined> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of body ?? []) {
    bytes += chunk.byteLength
    if (bytes > RESPONSE_BYTES_MAX) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}
