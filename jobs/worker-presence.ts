import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'

import type { Database } from '../src/database/database.ts'
import { BEAT_EVERY_MS, noteWorker, noteWorkerEnd } from '../src/queue/worker-queries.ts'
import type { QueueName } from '../src/queue/contracts.ts'
import type { JobLog } from '../src/queue/log.ts'

const END_MAX_MS = 500

/**
 * Writes every few seconds, where everybody can read it, that this process does the jobs of these queues: for as long as it is alive, sees
 * its queue and the database. A process that is killed, hangs or is cut off vanishes within seconds.
 * @param ping resolves when the queue answers
 */
export function startPresence(db: Database, queues: readonly QueueName[], ping: () => Promise<unknown>, log: JobLog) {
  const worker = { id: randomUUID(), queues, host: hostname(), process_id: process.pid }
  const ending = new AbortController()
  const beats = async () => {
    while (!ending.signal.aborted) {
      try {
        await ping()
        if (!ending.signal.aborted) await noteWorker(db, worker)
      } catch (error) {
        // Whoever looks sees the row grow old; the database tells its own faults.
        log.debug({ err: error }, 'the worker could not say that it is there')
      }
      await pause(BEAT_EVERY_MS, undefined, { signal: ending.signal, ref: false }).catch(() => undefined)
    }
  }
  const beating = beats()
  return {
    /** Says that the process ends, if that can be said now. */
    async end(): Promise<void> {
      ending.abort()
      const said = beating.then(() => noteWorkerEnd(db, worker.id)).catch(() => undefined)
      await Promise.race([said, pause(END_MAX_MS, undefined, { ref: false })])
    },
  }
}
