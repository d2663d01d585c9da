import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'

import type { Database } from '../src/database/database.ts'
import { HEARTBEAT_EVERY_MS, recordHeartbeat, recordWorkerEnd } from '../src/queue/worker-queries.ts'
import type { QueueName } from '../src/queue/contracts.ts'
import type { JobLog } from '../src/queue/log.ts'

const END_MAX_MS = 500

/**
 * Records a heartbeat of this worker and its queues in the database every few seconds, while the process is alive and reaches
 * its queue. A crashed, hanging or disconnected process disappears within seconds.
 * The file of `heartbeat.ts` serves the health check of one container; these rows serve the health of the whole service.
 * @param ping resolves when the queue replies
 */
export function startPresence(db: Database, queues: readonly QueueName[], ping: () => Promise<unknown>, log: JobLog) {
  const worker = { id: randomUUID(), queues, host: hostname(), process_id: process.pid }
  const ending = new AbortController()
  const beats = async () => {
    while (!ending.signal.aborted) {
      try {
        await ping()
        if (!ending.signal.aborted) await recordHeartbeat(db, worker)
      } catch (error) {
        // The row becomes stale, and the database logs its own errors.
        log.debug({ err: error }, 'heartbeat failed')
      }
      await pause(HEARTBEAT_EVERY_MS, undefined, { signal: ending.signal, ref: false }).catch(() => undefined)
    }
  }
  const beating = beats()
  return {
    async end(): Promise<void> {
      ending.abort()
      const recorded = beating.then(() => recordWorkerEnd(db, worker.id)).catch(() => undefined)
      await Promise.race([recorded, pause(END_MAX_MS, undefined, { ref: false })])
    },
  }
}
