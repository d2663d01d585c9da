import type { Database } from '../src/database/database.ts'

/** What is told of jobs; the log of Fastify (pino) is one. */
export interface JobLog {
  debug(details: object, message: string): void
  info(details: object, message: string): void
  warn(details: object, message: string): void
  error(details: object, message: string): void
}

/** What a handler works with. */
export interface JobServices {
  readonly db: Database
  readonly log: JobLog
  /** The present moment; tests give another one. */
  readonly clock: () => Date
}
