import type { JobLog } from './log.ts'

const SAME_AGAIN_MS = 10_000

/**
 * Returns a listener that logs connection errors without repetitions: an outage breaks all connections and all attempts to
 * reconnect.
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
