import { LRUCache } from 'lru-cache'

import { type Problem, problems } from '../../errors/problems.ts'

export interface ConcurrencyLimits {
  readonly concurrency: number
  readonly queueMax: number
  /** Time after which a waiting request is refused and leaves the queue. */
  readonly waitMaxMs: number
  readonly refusal?: () => Problem
}

/** Work that waits calls `whenLeft`, and leaves the queue once its promise is fulfilled. */
export type Limiter = <Result>(work: () => Promise<Result>, whenLeft?: () => Promise<void>) => Promise<Result>

export interface QueueLimiter extends Limiter {
  /** Returns true while further work would be refused at once. */
  isFull(): boolean
}

/** Limit for the callers with a limiter of their own. Beyond it the least recently used one starts anew. */
const KEYS_MAX = 10_000

/** One error for all, because each stack would take a tenth of the time of a refusal. */
const UNAVAILABLE = problems.unavailable()

/** Returns a function that runs costly work within the limits, and rejects if too much work waits or it waits too long. */
export function limitConcurrency(limits: ConcurrencyLimits): QueueLimiter {
  const { concurrency, queueMax, waitMaxMs, refusal = () => UNAVAILABLE } = limits
  let active = 0
  // The package p-limit cannot remove one waiting entry.
  const waiting = new Set<() => void>()

  function occupy(whenLeft: (() => Promise<void>) | undefined): Promise<void> {
    if (active < concurrency) {
      active += 1
      return Promise.resolve()
    }
    return new Promise((resolve, reject) => {
      if (waiting.size >= queueMax) return reject(refusal())
      const enter = () => {
        clearTimeout(timer)
        waiting.delete(enter)
        resolve()
      }
      const leave = () => {
        clearTimeout(timer)
        if (waiting.delete(enter)) reject(refusal())
      }
      const timer = setTimeout(leave, waitMaxMs)
      waiting.add(enter)
      void whenLeft?.().then(leave)
    })
  }

  /** The next one gets the slot directly, so that no later request is faster. */
  function release(): void {
    const [next] = waiting
    if (next) next()
    else active -= 1
  }

  const limit = async <Result>(work: () => Promise<Result>, whenLeft?: () => Promise<void>) => {
    await occupy(whenLeft)
    try {
      return await work()
    } finally {
      release()
    }
  }
  return Object.assign(limit, { isFull: () => active >= concurrency && waiting.size >= queueMax })
}

/** Returns a function for the limiter of a key, such as a client address. */
export function limitConcurrencyByKey(limits: ConcurrencyLimits): (key: string) => Limiter {
  const limiters = new LRUCache<string, Limiter>({ maxSize: KEYS_MAX, sizeCalculation: () => 1 })
  return (key) => {
    const current = limiters.get(key)
    if (current) return current
    const limiter = limitConcurrency(limits)
    limiters.set(key, limiter)
    return limiter
  }
}

/** Resolves when there is a slot, which stays occupied until `end`. */
export function acquireSlot(limiter: Limiter, end: Promise<void>): Promise<void> {
  return new Promise((resolve, reject) => {
    limiter(() => {
      resolve()
      return end
    }).catch(reject)
  })
}
