import { setTimeout as pause } from 'node:timers/promises'

import type { Random } from '../../prisma/seeds/random.ts'
import type { Write } from './writes.ts'

/** The response to a write, stored outside of the service. */
export interface ConfirmedWrite {
  readonly write: Write
  readonly status: number
  /** The id of the issue that a report created. */
  readonly id: number | undefined
  readonly attempts: number
  readonly answered_at: number
  /** Address of the web process. */
  readonly by: string
}

export interface WriterOptions {
  readonly urls: readonly string[]
  readonly random: Random
  readonly next: () => Write
  readonly onConfirmed: (confirmed: ConfirmedWrite) => void
  /** Number of concurrent writers, each with a pause of about this time. */
  readonly concurrency: number
  readonly pause_ms: number
  readonly retry_ms?: number
  readonly responseMax_ms?: number
}

const RESPONSE_MAX_MS = 20_000
const RETRY_MS = 150
/** A key whose request was killed is free after its lease; other writes continue meanwhile. */
const IN_FLIGHT_RETRY_MS = 1_000

/** Writes until it is stopped, and then waits for the response to each write. */
export function startWriter({
  urls,
  random,
  next,
  onConfirmed,
  concurrency,
  pause_ms,
  retry_ms = RETRY_MS,
  responseMax_ms = RESPONSE_MAX_MS,
}: WriterOptions) {
  const postponed: { write: Write; attempts: number; at: number }[] = []
  let isStopping = false
  let isGivingUp = false
  const failures: Record<string, number> = {}
  const fail = (name: string) => (failures[name] = (failures[name] ?? 0) + 1)

  const send = async (write: Write, attemptsBefore: number) => {
    for (let attempts = attemptsBefore + 1; !isGivingUp; attempts++) {
      const by = random.pick(urls)
      const answer = await sendOnce(by, write, responseMax_ms)
      if (answer?.status === 409) {
        postponed.push({ write, attempts, at: Date.now() + IN_FLIGHT_RETRY_MS })
        return
      }
      if (!answer || answer.status >= 500) fail(answer ? String(answer.status) : 'no answer')
      if (answer && answer.status < 500 && answer.status !== 429) {
        onConfirmed({ write, ...answer, attempts, answered_at: Date.now(), by })
        return
      }
      await pause(random.between(retry_ms / 2, retry_ms * 2))
    }
  }
  const loop = async () => {
    while (!isGivingUp && (!isStopping || postponed.length > 0)) {
      const due = postponed.findIndex(({ at }) => at <= Date.now())
      const [again] = due < 0 ? [] : postponed.splice(due, 1)
      if (again) await send(again.write, again.attempts)
      else if (!isStopping) await send(next(), 0)
      await pause(random.between(0, 2 * pause_ms))
    }
  }
  const loops = Promise.all(Array.from({ length: concurrency }, loop))
  return {
    /** Number of requests without a response, or with 5xx, by status. */
    failures,
    finish(): Promise<unknown> {
      isStopping = true
      return loops
    },
    giveUp: () => void (isGivingUp = true),
  }
}

async function sendOnce(
  url: string,
  { by, key, path, body }: Write,
  responseMax_ms: number,
): Promise<{ status: number; id: number | undefined } | undefined> {
  try {
    const response = await fetch(`${url}/api/v2${path}`, {
      method: 'POST',
      headers: {
        ...{ 'user-agent': 'fixpoint-kill-test', 'content-type': 'application/json' },
        ...{ authorization: `Bearer ${by.token}`, 'idempotency-key': key },
      },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(responseMax_ms),
    })
    const answer = (await response.json()) as { id?: number }
    return { status: response.status, id: answer.id }
  } catch {
    // The result is unknown, so the same request is repeated.
    return undefined
  }
}
