import type { FastifyBaseLogger } from 'fastify'

import type { JobQueue } from './queue/queue.ts'
import type { Config } from './config.ts'
import type { Database } from './database/database.ts'
import type { PendingDelivery } from './outbox/queries.ts'
import type { AreaLookup } from './geo/area-query.ts'
import type { FileStore } from './storage/file-store.ts'
import type { CredentialCheck } from './http/identity/credentials.ts'
import type { TrustedDevices } from './http/identity/trusted-devices.ts'
import type { LoginThrottle } from './http/login-throttle/login-throttle.ts'
import type { RateLimit } from './http/rate-limit/rate-limit.ts'
import type { RegistrationLimit } from './http/auth/registration-limit.ts'
import type { Urls } from './http/request/urls.ts'
import type { Mailer } from './mail/mailer.ts'

/** Dependencies that are opened once at start and passed to every plugin as options. */
export interface Services {
  readonly config: Config
  readonly db: Database
  readonly urls: Urls
  readonly areas: AreaLookup
  readonly credentials: CredentialCheck
  readonly rateLimit: RateLimit
  readonly registrations: RegistrationLimit
  readonly loginThrottle: LoginThrottle
  readonly trustedDevices: TrustedDevices
  readonly files: FileStore
  readonly mailer: Mailer
  /**
   * Queues outbox deliveries after the commit, without waiting. If the queue is unavailable, the job `dispatch-outbox` finds
   * the rows in the database within seconds.
   */
  readonly dispatchDeliveries: (deliveries: readonly PendingDelivery[]) => void
  readonly queue: JobQueue | undefined
  readonly log: FastifyBaseLogger
  /** Returns the current time. Tests pass another clock. */
  readonly clock: () => Date
  /** Limit in milliseconds for the mean event loop delay over five seconds. Above it, requests get 503. */
  readonly eventLoopDelayMaxMs: number
  /** Closes everything except the database: the caller that opened the database closes it last. */
  close(): Promise<void>
}
