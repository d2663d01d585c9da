import type { Database } from '../src/database/database.ts'
import type { FileStore } from '../src/files/store.ts'
import type { Urls } from '../src/http/urls.ts'
import type { Mailer } from '../src/mails/mailer.ts'
import type { JobQueue } from './queue.ts'

/** What is told of jobs; the log of Fastify (pino) is one. */
export interface JobLog {
  debug(details: object, message: string): void
  info(details: object, message: string): void
  warn(details: object, message: string): void
  error(details: object, message: string): void
}

/** What a worker is given to work with. */
export interface WorkerServices {
  readonly db: Database
  readonly log: JobLog
  readonly files: FileStore
  readonly mailer: Mailer
  readonly urls: Urls
  /** The present moment; tests give another one. */
  readonly clock: () => Date
}

/** What a handler works with. */
export interface JobServices extends WorkerServices {
  /** For further jobs: the worker's own queue. */
  readonly queue: Pick<JobQueue, 'enqueue'>
}
