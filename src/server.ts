import closeWithGrace from 'close-with-grace'
import type { AddressInfo } from 'node:net'
import { pino } from 'pino'

import { queueOptions } from '../jobs/queue.ts'
import { startWorker } from '../jobs/run-worker.ts'
import { demoIsDue } from '../prisma/seeds/due.ts'
import { buildApp } from './app.ts'
import { type Config, ConfigError, readConfig } from './config.ts'
import { connect } from './database/connect.ts'
import { FolderInUse } from './database/folder-lock.ts'
import { openServices } from './services.ts'

const STOP_MAX_MS = 10_000

/** Starts the web process: config → database → services → app → listen. On the embedded engine the jobs run here as well. */
async function start(config: Config): Promise<void> {
  const began = performance.now()
  const say = (line: string) => process.stdout.write(`${line}\n`)
  const log = pino({ level: config.logLevel, redact: ['req.headers.authorization', 'req.headers.cookie'] })
  const { database, lock } = await connect(config, {
    doing: 'npm start',
    say,
    onConnectionLost: (error) => log.warn({ err: error }, 'a database connection was lost'),
  })
  let served = `http://${hostInUrl(config.host)}:${config.port}`
  const services = openServices({ config, db: database, log, servedAt: () => served })
  const app = await buildApp(services)
  const closers: (() => Promise<unknown>)[] = [() => app.close(), () => services.close()]
  closeWithGrace({ delay: STOP_MAX_MS, logger: log }, async ({ err }) => {
    if (err) log.fatal({ err }, 'stopping after an error')
    for (const close of closers) await close()
    await database.close()
  })
  if (await demoIsDue(database, config.demo)) await seedDemo(database, say)
  if (database.engine === 'embedded') {
    const worker = await startWorker(services, queueOptions(config, database))
    closers.splice(1, 0, () => worker.close())
  }
  await app.listen({ port: config.port, host: config.host })
  served = `http://${hostInUrl(config.host)}:${(app.server.address() as AddressInfo).port}`
  lock?.describe(`npm start at ${served}`)
  say(readyText(services.urls.root, (performance.now() - began) / 1000))
}

async function seedDemo(database: Parameters<typeof openServices>[0]['db'], say: (line: string) => void): Promise<void> {
  // Only the first start needs it, and boundaries and texts are large.
  const demo = await import('../prisma/seeds/demo.ts')
  await demo.seedDemo(database, { say })
}

/** IPv6 addresses stand in brackets; whoever listens on all addresses is reached on the loopback one. */
function hostInUrl(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1'
  return host.includes(':') ? `[${host}]` : host
}

function readyText(root: string, seconds: number): string {
  return [
    `Ready after ${seconds.toFixed(1)} s at ${root} (API: ${root}/api/v2, reference: ${root}/docs). Try:`,
    `  curl '${root}/api/v2/issues?place_url=denver&status=open&sort=rating'`,
    `  curl '${root}/api/v2/issues?lat=39.7392&lng=-104.9903&zoom=15&search=pothole'`,
    `  curl '${root}/api/v2/places?lat=39.7392&lng=-104.9903'`,
    'Stop with Ctrl+C.',
  ].join('\n')
}

try {
  await start(readConfig(process.env))
} catch (error) {
  const known = error instanceof ConfigError || error instanceof FolderInUse || (error as { code?: string }).code === 'EADDRINUSE'
  process.stderr.write(`${known ? (error as Error).message : ((error as Error).stack ?? String(error))}\n`)
  process.exit(1)
}
