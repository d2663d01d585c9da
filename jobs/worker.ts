import { parseArgs } from 'node:util'

import closeWithGrace from 'close-with-grace'

import { ConfigError, readConfig } from '../src/config.ts'
import { connect } from '../src/database/connect.ts'
import { createEndpointClient } from '../src/georeport/endpoint-client.ts'
import { openFileStore } from '../src/storage/open-file-store.ts'
import { openRateLimitStore } from '../src/http/rate-limit/rate-limit-store.ts'
import { urlsFrom } from '../src/http/request/urls.ts'
import { unsentMailsWarning } from '../src/environment/exposure.ts'
import { openMailer } from '../src/mail/mailer.ts'
import { openLog } from '../src/process/log.ts'
import { observeProcess } from '../src/process/observe.ts'
import { runCommand } from '../src/process/run-command.ts'
import { isQueueName } from '../src/queue/job-definitions.ts'
import { queueOptions } from '../src/queue/queue.ts'
import { startWorker } from './run-worker.ts'
import { openWorkerPort } from './worker-port.ts'

const STOP_MAX_MS = 10_000

/** `npm run worker` starts a process that only runs jobs. Several of them may run at once. */
async function run(): Promise<void> {
  parseArgs()
  const config = readConfig(process.env)
  if (config.databaseUrl === undefined) {
    throw new ConfigError(
      'A worker of its own needs DATABASE_URL. On the embedded database, which only one process may open, ' +
        '`npm start` does the jobs itself.',
    )
  }
  const log = openLog(config.logLevel)
  const observer = await observeProcess(config, log, 'fixpoint-worker')
  const { database } = await connect(config, {
    activity: 'npm run worker',
    say: (line) => log.info(line),
    onConnectionLost: (error) => log.warn({ err: error }, 'a database connection was lost'),
    onStatement: observer.onStatement,
  })
  const warning = unsentMailsWarning(config)
  if (warning !== undefined) log.warn(warning)
  const urls = urlsFrom(() => config.publicUrl ?? '')
  const limits = openRateLimitStore({
    ...(config.mailDomainRate === 0 ? {} : { redisUrl: config.redisUrl, redisSentinels: config.redisSentinels }),
    pool: database.engine === 'server' ? database.pool : undefined,
  })
  const mailer = openMailer(config, urls, undefined, limits.store)
  const closers = [observer.close, () => database.close(), limits.close, () => Promise.resolve(mailer.close())]
  closeWithGrace({ delay: STOP_MAX_MS, logger: log }, async ({ signal, err }) => {
    if (err) log.fatal({ err }, 'stopping after an error')
    else log.info({ signal }, 'stopping')
    for (const close of closers.reverse()) await close()
  })
  try {
    const worker = await startWorker(
      {
        ...{ db: database, log, files: await openFileStore(config), mailer, urls, clock: () => new Date() },
        endpoints: createEndpointClient({ allow: config.forwardAllow }),
        traceMail: observer.traceMail,
      },
      queueOptions(config, database, observer.telemetry),
      { queues: config.workerQueues?.filter(isQueueName) },
    )
    closers.push(worker.close)
    if (config.workerPort > 0) closers.push(await openWorkerPort(config, database, worker.ping))
  } catch (error) {
    await database.close()
    throw error
  }
  log.info('worker started')
}

await runCommand(new URL('../src/cli/help/worker.txt', import.meta.url), run, { isService: true })
