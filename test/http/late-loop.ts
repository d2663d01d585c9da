import perfHooks from 'node:perf_hooks'

/*
 * Import this before the app. It stands in for the measure of the event loop's delay, so that a test need not keep the machine busy
 * for as long as an overload takes to be one.
 */

let late_ms = 0

export const letLoopBeLate = (ms: number): void => void (late_ms = ms)

const measured = {
  enable: () => true,
  disable: () => true,
  reset: () => undefined,
  /** In nanoseconds, as Node has it. */
  get mean() {
    return late_ms * 1e6
  },
}
Object.assign(perfHooks, { monitorEventLoopDelay: () => measured })
