import closeWithGrace from 'close-with-grace'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'

import { openQueue, queueOptions } from './queue/queue.ts'
import { noticeFailover } from '../jobs/handlers/batch-jobs.ts'
import { startWorker } from '../jobs/run-worker.ts'
import { shouldAddDemo } from '../prisma/seeds/demo/should-add-demo.ts'
import { hasStreets } from './basemap/has-streets.ts'
import { buildApp } from './app.ts'
import { readConfig } from './config.ts'
import { connect } from './database/connect.ts'
import { startGenerationAfterRestore } from './geo/pyramid/roll-up.ts'
import { hostInUrl, explainListenError, holdPort } from './startup/check-port.ts'
import { hasDevMails, isExposed, unsentMailsWarning } from './environment/exposure.ts'
import { toTrustProxy } from './http/request/client-address.ts'
import { limitConnections } from './http/request/connection-limits.ts'
import { limitHeapGrowth } from './process/heap-growth.ts'
import { openLog } from './process/log.ts'
import { observeProcess } from './process/observe.ts'
import { runCommand } from './process/run-command.ts'
import type { Services } from './services.ts'
import { openServices } from './startup/open-services.ts'
import { startupBanner } from './startup/startup-banner.ts'

const STOP_MAX_MS = 10_000
/** A request that waits for longer is refused. Workers and commands wait for longer. */
const LOCK_MAX_MS = 2_000

async function start(): Promise<void> {
  parseArgs()
  const startedAt = performance.now()
  limitHeapGrowth()
  const config = readConfig(process.env)
  const log = openLog(config.logLevel)
  const observer = await observeProcess(config, log, 'fixpoint-web')
  // Collectors of logs read JSON.
  const print = (line: string) => (process.stdout.isTTY ? process.stdout.write(`${line}\n`) : log.info(line))
  const freePort = await holdPort(config)
  const { database, lock } = await connect(config, {
    activity: 'npm start',
    say: print,
    lockMaxMs: LOCK_MAX_MS,
    onConnectionLost: (error) => log.warn({ err: error }, 'a database connection was lost'),
    onStatement: observer.onStatement,
  })
  let address = `http://${reachableHost(config.host)}:${config.port}`
  const queue = await openQueue(queueOptions(config, database, observer.telemetry), log)
  const services = await openServices({ config, db: database, log, servedUrl: () => address, queue, readStreetMaps })
  // The job of the workers tries again if the storage is away.
  await noticeFailover({}, { db: database, files: services.files, log })
    .then(() => startGenerationAfterRestore(database))
    .catch((error: unknown) => log.warn({ err: error }, 'a failover of the database could not be recorded'))
  const app = await buildApp(services)
  const isTrusted = toTrustProxy(config.trustProxy)
  limitConnections(app.server, { isProxy: (address) => isTrusted !== false && isTrusted(address, 0), log })
  let stopWorker = (): Promise<void> => Promise.resolve()
  const drainMs = config.drainSeconds * 1_000
  closeWithGrace({ delay: drainMs + STOP_MAX_MS, logger: log }, async ({ err, signal }) => {
    if (err) log.fatal({ err }, 'stopping after an error')
    const close = async () => {
      app.refuseReadiness()
      // A person at a terminal sends SIGINT and does not wait for a load balancer.
      if (signal === 'SIGTERM') await pause(drainMs)
      await app.close()
    }
    // Both stop in parallel because each may need most of the shutdown time.
    await Promise.all([close(), stopWorker()])
    await services.close()
    await queue.close()
    await database.close()
    await observer.close()
  })
  if (await shouldAddDemo(database, config.demo)) await seedDemo(services, print)
  await freePort()
  await app.listen({ port: config.port, host: config.host }).catch((error: unknown) => {
    throw explainListenError(error, config)
  })
  address = `http://${reachableHost(config.host)}:${(app.server.address() as AddressInfo).port}`
  lock?.describe(`npm start at ${address}`)
  const notices = { hasMails: hasDevMails(config), hasStreets: await hasStreets(services) }
  print(await startupBanner(database, services.urls.root, (performance.now() - startedAt) / 1000, notices))
  const warning = unsentMailsWarning(config)
  if (warning !== undefined) print(`Warning: ${warning}`)
  if (isExposed(config)) await warnAboutPublicPasswords(services, print)
  if (database.engine === 'embedded') {
    const starting = startWorker(
      { ...services, db: database, traceMail: observer.traceMail },
      queueOptions(config, database, observer.telemetry),
    )
    stopWorker = () => starting.then((worker) => worker.close())
    await starting
  }
}

async function seedDemo({ db, files }: Services, print: (line: string) => void): Promise<void> {
  // The dynamic import saves memory: only the first start needs the demo data.
  const demo = await import('../prisma/seeds/demo/demo.ts')
  await demo.seedDemo(db, { files, say: print })
}

async function readStreetMaps() {
  const { readStreetMaps: read } = await import('../prisma/seeds/demo/street-maps.ts')
  return read()
}

async function warnAboutPublicPasswords({ db, credentials }: Services, print: (line: string) => void): Promise<void> {
  const { publicPasswordWarning } = await import('../prisma/seeds/demo/public-password-warning.ts')
  const warning = await publicPasswordWarning(db, async (email, password) => Boolean(await credentials.byPassword(email, password)))
  if (warning !== undefined) print(warning)
}

const reachableHost = (host: string) => hostInUrl(host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host)

await runCommand(new URL('./cli/help/start.txt', import.meta.url), start, { isService: true })
