import { statSync } from 'node:fs'

import { heartbeatFile } from './heartbeat.ts'

/** Three beats may be missed: a busy machine is no reason to call a worker dead. */
const QUIET_MAX_MS = 20_000

/**
 * `node jobs/worker-health.ts [PID]`, for the health check of a container, where the worker is process 1: exit code 0 when the worker
 * lives and sees its queue, 1 otherwise.
 */
const pid = Number(process.argv[2] ?? 1)
const beat = statSync(heartbeatFile(pid), { throwIfNoEntry: false })
if (!beat || Date.now() - beat.mtimeMs > QUIET_MAX_MS) {
  process.stderr.write(
    `The worker with the process id ${pid} has not seen its queue for ${QUIET_MAX_MS / 1000} seconds, or is gone.\n`,
  )
  process.exitCode = 1
}
