import type { FastifyBaseLogger } from 'fastify'

import { type JobQueue, queueEffects } from '../jobs/queue.ts'
import { areaLookup } from './area-lookup.ts'
import type { Config } from './config.ts'
import type { Database } from './database/database.ts'
import type { EmbeddedDatabase } from './database/embedded.ts'
import type { PostgresDatabase } from './database/postgres.ts'
import type { OwedEffect } from './events/queries.ts'
import type { AreaLookup } from './geo/area-query.ts'
import { openFileStore } from './files/store.ts'
import type { FileStore } from './files/file-store.ts'
import { geocoderAt } from './geo/geocoder.ts'
import { type CredentialCheck, credentialCheck } from './http/identity/credentials.ts'
import { type FamiliarClients, familiarClients } from './http/identity/trusted-devices.ts'
import { type Guesses, guessesOf } from './http/login-throttle/login-throttle.ts'
import { type RateLimit, rateLimitOf } from './http/rate-limit/rate-limit.ts'
import { type RegistrationLimit, registrationLimitOf } from './http/auth/registration-limit.ts'
import { openRateLimitStore } from './http/rate-limit/rate-limit-store.ts'
import { type Urls, urlsFrom } from './http/request/urls.ts'
import { type Mailer, openMailer } from './mails/mailer.ts'

/** What the program works with; opened once at start and given to every feature as the options of its plugin. */
export interface Services {
  readonly config: Config
  readonly db: Database
  readonly urls: Urls
  readonly areas: AreaLookup
  readonly credentials: CredentialCheck
  readonly rateLimit: RateLimit
  readonly registrations: RegistrationLimit
  readonly guesses: Guesses
  readonly familiar: FamiliarClients
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
  /** Closes everything but the database, which whoever opened it closes last. */
  close(): Promise<void>
}

export interface ServicesOptions {
  readonly config: Config
  readonly db: EmbeddedDatabase | PostgresDatabase
  readonly log: FastifyBaseLogger
  /** What absolute URLs start with where PUBLIC_URL is not set: the address that is served. */
  readonly servedAt: () => string
  /** Where effects are queued; without it they wait for the sweep. */
  readonly queue?: JobQueue | undefined
  readonly clock?: () => Date
}

export function openServices({ config, db, log, servedAt, queue, clock = () => new Date() }: ServicesOptions): Services {
  const reader = { query: db.read }
  const counting = openRateLimitStore(config.rateLimit, {
    redisUrl: config.redisUrl,
    pool: db.engine === 'server' ? db.pool : undefined,
    onRedisAway: (error) => log.warn({ err: error }, 'Redis is away: each process limits the rate by itself until it is back'),
  })
  const urls = urlsFrom(() => config.publicUrl ?? servedAt())
  const mailer = openMailer(config, urls)
  return {
    config,
    db,
    urls,
    areas: areaLookup(reader, geocoderAt(config.geocoderUrl)),
    credentials: credentialCheck(db),
    rateLimit: rateLimitOf(config.rateLimit, counting.store),
    registrations: registrationLimitOf(config.registrationLimit, counting.store),
    guesses: guessesOf(counting.store),
    familiar: familiarClients(db),
    files: openFileStore(config),
    mailer,
    wakeEffects(owed) {
      if (!queue || owed.length === 0) return
      queueEffects(queue, owed).catch((error: unknown) => {
        log.warn({ err: error }, 'the queue did not take what follows from a change: the next sweep will')
      })
    },
    queue,
    log,
    clock,
    close: async () => {
      mailer.close()
      await counting.close()
    },
  }
}
