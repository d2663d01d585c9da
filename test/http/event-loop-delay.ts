import perfHooks from 'node:perf_hooks'

/* Import this before the app: it replaces the measurement of the event loop delay, so that no test has to keep the machine busy. */

let delay_ms = 0

export const setEventLoopDelay = (ms: number): void => void (delay_ms = ms)

const measured = {
  enable: () => true,
  disable: () => true,
  reset: () => undefined,
  /** Nanoseconds, as in Node. */
  get mean() {
    return delay_ms * 1e6
  },
}
Object.assign(perfHooks, { monitorEventLoopDelay: () => measured })
