import type { FastifyInstance } from 'fastify'
import perfHooks from 'node:perf_hooks'

import { problems } from '../../errors/problems.ts'

export interface OverloadOptions {
  /** Limit in milliseconds for the mean delay over a sample. Above it, requests get 503. */
  readonly eventLoopDelayMaxMs: number
  readonly eventLoopSampleMs: number
}

declare module 'fastify' {
  interface FastifyInstance {
    isOverloaded(): boolean
  }
}

const RESOLUTION_MS = 10
/** One error for all, because a stack for each refusal would cost time when there is none. */
const UNAVAILABLE = problems.unavailable()

/** Measures the delay of the event loop. It opens no file: `process.memoryUsage()` throws once the process has no file descriptor left. */
export function measureLoad(app: FastifyInstance, { eventLoopDelayMaxMs, eventLoopSampleMs }: OverloadOptions): void {
  let isOverloaded = false
  app.decorate('isOverloaded', () => isOverloaded)
  if (eventLoopDelayMaxMs === Infinity) return
  const delays = perfHooks.monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  delays.enable()
  const sample = setInterval(() => {
    const delayMs = delays.mean / 1e6 - RESOLUTION_MS
    // The mean is NaN if the event loop was blocked for the whole time.
    isOverloaded = !(delayMs <= eventLoopDelayMaxMs)
    delays.reset()
  }, eventLoopSampleMs)
  sample.unref()
  app.addHook('onClose', (_app, done) => {
    clearInterval(sample)
    delays.disable()
    done()
  })
}

/** Refuses requests to routes that are added afterwards while the process is overloaded. Call it first. @throws Problem 503 */
export function shedLoad(app: FastifyInstance): void {
  app.addHook('onRequest', (_request, _reply, done) => done(app.isOverloaded() ? UNAVAILABLE : undefined))
}
