import { statSync } from 'node:fs'

import { heartbeatFile } from './heartbeat.ts'

const SILENCE_MAX_MS = 20_000

/**
 * `node jobs/worker-health.ts [PID]` is the health check of a container, where the worker is process 1. The exit code is 0 if
 * the worker is alive and reaches its queue, 1 otherwise.
 */
const pid = Number(process.argv[2] ?? 1)
const beat = statSync(heartbeatFile(pid), { throwIfNoEntry: false })
if (!beat || Date.now() - beat.mtimeMs > SILENCE_MAX_MS) {
  process.stderr.write(
    `The worker with the process id ${pid} has not reached its queue for ${SILENCE_MAX_MS / 1000} seconds, or has stopped.\n`,
  )
  process.exitCode = 1
}
