import { rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

const HEARTBEAT_EVERY_MS = 5_000

/** Returns the heartbeat file of a worker process. `worker-health.ts` reads its modification time. */
export const heartbeatFile = (pid: number): string => join(tmpdir(), `fixpoint-worker-${pid}`)

/**
 * Writes the heartbeat file at an interval while `ping` resolves, so that it becomes stale if the process hangs or loses its
 * queue. Returns a function that stops it and deletes the file.
 * @param ping resolves when the queue replies, without a time limit
 */
export function startHeartbeat(ping: () => Promise<unknown>, file = heartbeatFile(process.pid), every_ms = HEARTBEAT_EVERY_MS) {
  const stopping = new AbortController()
  const beat = async () => {
    while (!stopping.signal.aborted) {
      // The connection of the queue logs its own errors.
      const isUp = await ping().then(
        () => true,
        () => false,
      )
      if (isUp && !stopping.signal.aborted) writeFileSync(file, '')
      await pause(every_ms, undefined, { signal: stopping.signal, ref: false }).catch(() => undefined)
    }
  }
  void beat()
  return () => {
    stopping.abort()
    rmSync(file, { force: true })
  }
}
