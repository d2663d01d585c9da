import { createWriteStream, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

import { processName } from './run-log.ts'
import { keepAlive, type RestartedProcess } from './keep-alive.ts'
import { freePort, spawnLogged } from './servers.ts'
import type { Sink } from './mail-server.ts'

export interface ServiceOptions {
  readonly folder: string
  readonly databaseUrl: string
  readonly redisUrl: string | undefined
  readonly sink: Pick<Sink, 'urlFor'>
  readonly web: number
  readonly workers: number
  readonly env?: Readonly<Record<string, string>>
}

const READY_MAX_MS = 60_000
const ROOT = new URL('../../', import.meta.url)

/** Starts web processes and workers that share a data folder, as in docker-compose.yml. */
export async function startService({ folder, databaseUrl, redisUrl, sink, web, workers, env: more = {} }: ServiceOptions) {
  const ports = await Promise.all(Array.from({ length: web }, freePort))
  const urls = ports.map((port) => `http://127.0.0.1:${port}`)
  const data = join(folder, 'data')
  mkdirSync(data)
  const common = {
    PATH: process.env['PATH'],
    TMPDIR: folder,
    // A killed process writes no compiled code, so its successor needs that of earlier processes.
    NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'] ?? join(folder, 'compiled'),
    NO_COLOR: '1',
    ...{
      DATABASE_URL: databaseUrl,
      MIGRATE_ON_START: 'on',
      PUBLIC_URL: urls[0] ?? '',
      DATA_DIR: data,
      DEMO: 'off',
      LOG_LEVEL: 'info',
      DRAIN_SECONDS: '0',
    },
    ...{ RATE_LIMIT: '1000000000', MAIL_FROM: 'no-reply@example.org', FORWARD_ALLOW: '127.0.0.0/8' },
    ...(redisUrl === undefined ? {} : { REDIS_URL: redisUrl }),
    ...more,
  }
  const keep = (name: string, file: string, ready: string, env: Readonly<Record<string, string>>): RestartedProcess => {
    const log = createWriteStream(join(folder, `${name}.log`), { flags: 'a' })
    const begin = (generation: number) =>
      spawnLogged(process.execPath, [fileURLToPath(new URL(file, ROOT))], {
        ...{ log, cwd: ROOT },
        env: { ...common, ...env, SMTP_URL: sink.urlFor(processName(name, generation)) },
      })
    return keepAlive(name, { begin, ready })
  }
  return {
    urls,
    web: ports.map((port, n) => keep(`web-${n + 1}`, 'src/server.ts', 'Ready after', { PORT: String(port) })),
    worker: Array.from({ length: workers }, (_, n) => keep(`worker-${n + 1}`, 'jobs/worker.ts', 'worker started', {})),
  }
}

/** @throws Error if a web process does not respond in time */
export async function waitUntilReady(urls: readonly string[]): Promise<void> {
  const until = Date.now() + READY_MAX_MS
  for (const url of urls) {
    while (!(await isReady(url))) {
      if (Date.now() > until) throw new Error(`${url} did not become ready`)
      await pause(50)
    }
  }
}

const isReady = (url: string) =>
  fetch(`${url}/health/ready`).then(
    (response) => response.ok,
    () => false,
  )
