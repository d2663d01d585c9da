import { problems } from '../errors/problems.ts'
import { BoundedMemory, CALLERS_MAX } from '../http/rate-limit/rate-limit-store.ts'
import { type Limiter, limitConcurrencyByKey } from '../http/request/concurrency-limit.ts'

/** A fifth of one processor. Fifty pictures of phones take less than a minute. */
const DECODING_MAX_MS = 120_000
const WINDOW_S = 600

/** One picture of a client is queued at a time, so clients take turns in the queues of all. */
const limitClient = limitConcurrencyByKey({ concurrency: 1, queueMax: 20, waitMaxMs: 30_000 })
const spent = new BoundedMemory({ points: DECODING_MAX_MS, duration: WINDOW_S }, CALLERS_MAX)

/**
 * Runs `work` when no other picture of the client is decoded. What `work` passes to `timed` counts as decoding time of the client.
 * @throws Problem 429 if the client has used up its decoding time, 503 if too many of its pictures wait
 */
export function decodeInTurn<Result>(client: string, work: (timed: Limiter) => Promise<Result>): Promise<Result> {
  return limitClient(client)(async () => {
    const state = await spent.get(client)
    if (state && state.consumedPoints >= DECODING_MAX_MS) throw problems.rateLimited(state.msBeforeNext / 1_000)
    return work((decode) => countTime(client, decode))
  })
}

async function countTime<Result>(client: string, decode: () => Promise<Result>): Promise<Result> {
  const startedAt = performance.now()
  try {
    return await decode()
  } finally {
    await countDecodingTime(client, performance.now() - startedAt)
  }
}

/** The last picture may exceed the limit. */
export async function countDecodingTime(client: string, ms: number): Promise<void> {
  await spent.consume(client, Math.ceil(ms)).catch(() => undefined)
}
