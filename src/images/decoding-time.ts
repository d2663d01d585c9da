import { problems } from '../errors/problems.ts'
import { BoundedMemory } from '../http/rate-limit/rate-limit-store.ts'
import { type Limiter, limitConcurrencyByKey } from '../http/request/request-limit.ts'

/** A fifth of one processor. Fifty pictures of phones take less than a minute. */
const CLIENT_MAX_MS = 120_000
/** One processor for all clients, so that others answer requests meanwhile. */
const TOTAL_MAX_MS = 600_000
const WINDOW_S = 600
const ALL_CLIENTS = 'all'

interface DecodingTime {
  /**
   * Runs `work` when no other picture of the client is decoded. What `work` passes to `timed` counts as decoding time of the client and of all.
   * @throws Problem 429 if the client has used up its decoding time; 503 if all clients together have, or if too many of its pictures wait
   */
  decodeInTurn<Result>(client: string, work: (timed: Limiter) => Promise<Result>): Promise<Result>
  /** The last picture may exceed a limit. */
  count(client: string, ms: number): Promise<void>
}

export function createDecodingTime(): DecodingTime {
  // One picture of a client is queued at a time, so clients take turns in the queues of all.
  const limitClient = limitConcurrencyByKey({ concurrency: 1, queueMax: 20, waitMaxMs: 30_000 })
  const spent = new BoundedMemory({ duration: WINDOW_S })

  const count = async (client: string, ms: number) => {
    for (const key of [client, ALL_CLIENTS]) await spent.consume(key, Math.ceil(ms))
  }
  const countTime = async <Result>(client: string, decode: () => Promise<Result>) => {
    const startedAt = performance.now()
    try {
      return await decode()
    } finally {
      await count(client, performance.now() - startedAt)
    }
  }
  return {
    decodeInTurn: (client, work) =>
      limitClient(client)(async () => {
        const [own, all] = [await spent.get(client), await spent.get(ALL_CLIENTS)]
        if (own && own.consumedPoints >= CLIENT_MAX_MS) throw problems.rateLimited(own.msBeforeNext / 1_000)
        if (all && all.consumedPoints >= TOTAL_MAX_MS) throw problems.unavailable(all.msBeforeNext / 1_000)
        return work((decode) => countTime(client, decode))
      }),
    count,
  }
}

export const { decodeInTurn } = createDecodingTime()
