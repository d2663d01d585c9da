import { statSync } from 'node:fs'

import { heartbeatFile } from './file-heartbeat.ts'

const SILENCE_MAX_MS = 20_000

/** The health check of a container, where the worker is process 1: `node jobs/worker-health.ts [PID]`. */
const pid = Number(process.argv[2] ?? 1)
const beat = statSync(heartbeatFile(pid), { throwIfNoEntry: false })
if (!beat || Date.now() - beat.mtimeMs > SILENCE_MAX_MS) {
  process.stderr.write(
    `The worker with the process id ${pid} has not reached its queue for ${SILENCE_MAX_MS / 1000} seconds, or has stopped.\n`,
  )
  process.exitCode = 1
}
