import perfHooks from 'node:perf_hooks'

/*
 * Import this before the app. It replaces the measurement of the event loop delay, so that a test does not have to keep the machine
 * busy.
 */

let late_ms = 0

export const letLoopBeLate = (ms: number): void => void (late_ms = ms)

const measured = {
  enable: () => true,
  disable: () => true,
  reset: () => undefined,
  /** Nanoseconds, as in Node. */
  get mean() {
    return late_ms * 1e6
  },
}
Object.assign(perfHooks, { monitorEventLoopDelay: () => measured })
