import { spawn } from 'node:child_process'
import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'

export interface ServerProcess {
  readonly url: string
  readonly pid: number
  stop(): Promise<void>
}

const READY_MAX_MS = 60_000
/** The limit is counted but never reached. */
const RATE_LIMIT = '1000000000'

/** Starts the service like `npm start` on a free port of the loopback interface. */
export async function startServer(databaseUrl: string, env: Readonly<Record<string, string>> = {}): Promise<ServerProcess> {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const child = spawn(process.execPath, ['src/server.ts'], {
    cwd: fileURLToPath(new URL('../../', import.meta.url)),
    env: {
      ...process.env,
      PORT: String(port),
      HOST: '127.0.0.1',
      DATABASE_URL: databaseUrl,
      MIGRATE_ON_START: 'on',
      PUBLIC_URL: url,
      RATE_LIMIT,
      LOG_LEVEL: 'warn',
      DEMO: 'off',
      DRAIN_SECONDS: '0',
      ...env,
    },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const until = Date.now() + READY_MAX_MS
  while (!(await isReady(url))) {
    if (child.exitCode !== null || Date.now() > until) throw new Error('The server did not start.')
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  return {
    url,
    pid: child.pid ?? 0,
    stop: async () => {
      child.kill('SIGTERM')
      await ended
    },
  }
}

const isReady = (url: string) =>
  fetch(`${url}/health/ready`).then(
    (response) => response.ok,
    () => false,
  )

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo
      server.close(() => resolve(port))
    })
  })
}
