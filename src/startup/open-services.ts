import type { FastifyBaseLogger } from 'fastify'
import type { JobQueue } from '../queue/queue.ts'
import { enqueueDeliveries } from '../outbox/enqueue.ts'
import type { Config } from '../config.ts'
import type { EmbeddedDatabase } from '../database/embedded.ts'
import type { PostgresDatabase } from '../database/postgres.ts'
import { openFileStore } from '../storage/open-file-store.ts'
import { createGeocoder } from '../geo/geocoder.ts'
import { createRegistrationLimit } from '../http/auth/registration-limit.ts'
import { createCredentialCheck } from '../http/identity/credentials.ts'
import { createTrustedDevices } from '../http/identity/trusted-devices.ts'
import { createLoginThrottle } from '../http/login-throttle/login-throttle.ts'
import { openRateLimitStore } from '../http/rate-limit/rate-limit-store.ts'
import { createRateLimit } from '../http/rate-limit/rate-limit.ts'
import { urlsFrom } from '../http/request/urls.ts'
import { openMailer } from '../mail/mailer.ts'
import type { Services } from '../services.ts'
import { areaLookup } from './area-lookup.ts'

export interface ServicesOptions {
  readonly config: Config
  readonly db: EmbeddedDatabase | PostgresDatabase
  readonly log: FastifyBaseLogger
  /** What absolute URLs start with where PUBLIC_URL is not set: the address that is served. */
  readonly servedAt: () => string
  /** Where effects are queued; without it they wait for the sweep. */
  readonly queue?: JobQueue | undefined
  readonly clock?: () => Date
  /** See `Services`; tests, whose machine is busy with other tests, give a higher one. */
  readonly eventLoopDelayMaxMs?: number
}

/** Beyond a second on the mean of five the process has more to do than it can. */
const EVENT_LOOP_DELAY_MAX_MS = 1_000

export function openServices({
  config,
  db,
  log,
  servedAt,
  queue,
  clock = () => new Date(),
  eventLoopDelayMaxMs = EVENT_LOOP_DELAY_MAX_MS,
}: ServicesOptions): Services {
  const reader = { query: db.read }
  const counting = openRateLimitStore(config.rateLimit, {
    redisUrl: config.redisUrl,
    pool: db.engine === 'server' ? db.pool : undefined,
    onRedisUnavailable: (error) =>
      log.warn({ err: error }, 'Redis is away: each process limits the rate by itself until it is back'),
  })
  const urls = urlsFrom(() => config.publicUrl ?? servedAt())
  const mailer = openMailer(config, urls)
  return {
    config,
    db,
    urls,
    areas: areaLookup(reader, createGeocoder(config.geocoderUrl)),
    credentials: createCredentialCheck(db),
    rateLimit: createRateLimit(config.rateLimit, counting.store),
    registrations: createRegistrationLimit(config.registrationLimit, counting.store),
    loginThrottle: createLoginThrottle(counting.store),
    trustedDevices: createTrustedDevices(db),
    files: openFileStore(config),
    mailer,
    dispatchDeliveries(deliveries) {
      if (!queue || deliveries.length === 0) return
      enqueueDeliveries(queue, deliveries).catch((error: unknown) => {
        log.warn({ err: error }, 'the queue did not take what follows from a change: the next sweep will')
      })
    },
    queue,
    log,
    clock,
    // The embedded database works in this very loop, and may keep it for longer.
    eventLoopDelayMaxMs: db.engine === 'server' ? eventLoopDelayMaxMs : Infinity,
    close: async () => {
      mailer.close()
      await counting.close()
    },
  }
}
