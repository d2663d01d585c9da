import type { JobLog } from './log.ts'

const REPEAT_AFTER_MS = 10_000

/** Returns a listener that logs connection errors without repetitions, because an outage breaks all connections. */
export function logConnectionErrors(log: JobLog): (error: Error) => void {
  let lastMessage = ''
  let loggedAt = 0
  return (error) => {
    if (error.message === lastMessage && Date.now() - loggedAt < REPEAT_AFTER_MS) return
    lastMessage = error.message
    loggedAt = Date.now()
    log.warn({ err: error }, 'error of the connection to the queue')
  }
}
