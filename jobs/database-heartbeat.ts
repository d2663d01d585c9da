import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'

import type { Database } from '../src/database/database.ts'
import { HEARTBEAT_EVERY_MS, recordHeartbeat, recordWorkerEnd } from '../src/queue/worker-queries.ts'
import type { QueueName } from '../src/queue/job-definitions.ts'
import type { JobLog } from '../src/queue/log.ts'

const END_MAX_MS = 500

/** Records a heartbeat while the queue replies, for the whole service; `file-heartbeat.ts` serves one container. */
export function startDatabaseHeartbeat(db: Database, queues: readonly QueueName[], ping: () => Promise<unknown>, log: JobLog) {
  const worker = { id: randomUUID(), queues, host: hostname(), process_id: process.pid }
  const shutdown = new AbortController()
  const recordHeartbeats = async () => {
    while (!shutdown.signal.aborted) {
      try {
        await ping()
        if (!shutdown.signal.aborted) await recordHeartbeat(db, worker)
      } catch (error) {
        log.debug({ err: error }, 'heartbeat failed')
      }
      await pause(HEARTBEAT_EVERY_MS, undefined, { signal: shutdown.signal, ref: false }).catch(() => undefined)
    }
  }
  const stopped = recordHeartbeats()
  return {
    async end(): Promise<void> {
      shutdown.abort()
      const recorded = stopped.then(() => recordWorkerEnd(db, worker.id)).catch(() => undefined)
      await Promise.race([recorded, pause(END_MAX_MS, undefined, { ref: false })])
    },
  }
}
