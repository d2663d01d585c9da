import type { FastifyBaseLogger } from 'fastify'

import type { JobQueue } from './queue/queue.ts'
import type { Config } from './config.ts'
import type { Database } from './database/database.ts'
import type { OwedEffect } from './outbox/queries.ts'
import type { AreaLookup } from './geo/area-query.ts'
import type { FileStore } from './storage/file-store.ts'
import type { CredentialCheck } from './http/identity/credentials.ts'
import type { TrustedDevices } from './http/identity/trusted-devices.ts'
import type { LoginThrottle } from './http/login-throttle/login-throttle.ts'
import type { RateLimit } from './http/rate-limit/rate-limit.ts'
import type { RegistrationLimit } from './http/auth/registration-limit.ts'
import type { Urls } from './http/request/urls.ts'
import type { Mailer } from './mail/mailer.ts'

/** What the program works with; opened once at start and given to every feature as the options of its plugin. */
export interface Services {
  readonly config: Config
  readonly db: Database
  readonly urls: Urls
  readonly areas: AreaLookup
  readonly credentials: CredentialCheck
  readonly rateLimit: RateLimit
  readonly registrations: RegistrationLimit
  readonly guesses: LoginThrottle
  readonly familiar: TrustedDevices
  readonly files: FileStore
  readonly mailer: Mailer
  /**
   * Queues what a change owes, after its commit, and waits for nothing: where the queue is away, the sweep of a worker finds it within
   * seconds, since it stands in the database.
   */
  readonly wakeEffects: (owed: readonly OwedEffect[]) => void
  /** The queues, for those who look at them; undefined where none are open. */
  readonly queue: JobQueue | undefined
  readonly log: FastifyBaseLogger
  /** The present moment; tests give another one. */
  readonly clock: () => Date
  /** Requests get 503 while the event loop is later than this, in milliseconds on the mean of five seconds. */
  readonly eventLoopDelayMaxMs: number
  /** Closes everything but the database, which whoever opened it closes last. */
  close(): Promise<void>
}
