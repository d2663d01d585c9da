import { rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

const BEAT_EVERY_MS = 5_000

/** The file whose time says when the worker with that process id was last well; it says so to `worker-health.ts`. */
export const heartbeatFile = (pid: number): string => join(tmpdir(), `fixpoint-worker-${pid}`)

/**
 * Writes the file again and again for as long as `ping` resolves: a process that hangs, or does not see its queue, lets it grow old.
 * @param ping resolves when the queue answers; it may wait for it as long as it likes
 * @returns what ends it and removes the file
 */
export function startHeartbeat(ping: () => Promise<unknown>, file = heartbeatFile(process.pid), every_ms = BEAT_EVERY_MS) {
  const stopping = new AbortController()
  const beat = async () => {
    while (!stopping.signal.aborted) {
      // What is wrong with the queue, its own connection tells.
      const isThere = await ping().then(
        () => true,
        () => false,
      )
      if (isThere && !stopping.signal.aborted) writeFileSync(file, '')
      await pause(every_ms, undefined, { signal: stopping.signal, ref: false }).catch(() => undefined)
    }
  }
  void beat()
  return () => {
    stopping.abort()
    rmSync(file, { force: true })
  }
}
