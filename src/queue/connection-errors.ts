import type { JobLog } from './log.ts'

const SAME_AGAIN_MS = 10_000

/**
 * Tells of faults of the queue's connections. A server that goes away breaks all of them at once and every attempt to come
 * back, so what was just told is not told again.
 */
export function tellFaults(log: JobLog): (error: Error) => void {
  let told = ''
  let toldAt = 0
  return (error) => {
    if (error.message === told && Date.now() - toldAt < SAME_AGAIN_MS) return
    told = error.message
    toldAt = Date.now()
    log.warn({ err: error }, 'the queue has a fault')
  }
}
