import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, beforeAll, vi } from 'vitest'

/**
 * Stops the timers of this process during a file or `describe`: on a busy machine too, no request is refused because it waits for long. Call it after
 * `useApp`. Pauses of `node:timers/promises` go on. Returns a function that lets milliseconds pass.
 */
export function stopTimers(): (ms: number) => void {
  beforeAll(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
  afterAll(() => void vi.useRealTimers())
  return (ms) => void vi.advanceTimersByTime(ms)
}

/** Waits without letting time pass, unlike `expect.poll`. */
export async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await pause(10)
}
