import { rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'

const HEARTBEAT_EVERY_MS = 5_000

export const heartbeatFile = (pid: number): string => join(tmpdir(), `fixpoint-worker-${pid}`)

/** Keeps the heartbeat file fresh while the queue replies to `ping`. Returns a function that stops it and deletes the file. */
export function startFileHeartbeat(ping: () => Promise<unknown>, file = heartbeatFile(process.pid), every_ms = HEARTBEAT_EVERY_MS) {
  const shutdown = new AbortController()
  const beat = async () => {
    while (!shutdown.signal.aborted) {
      const isUp = await ping().then(
        () => true,
        () => false,
      )
      if (isUp && !shutdown.signal.aborted) writeFileSync(file, '')
      await pause(every_ms, undefined, { signal: shutdown.signal, ref: false }).catch(() => undefined)
    }
  }
  void beat()
  return () => {
    shutdown.abort()
    rmSync(file, { force: true })
  }
}
