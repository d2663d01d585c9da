import type { FastifyBaseLogger } from 'fastify'
import type { JobQueue } from '../queue/queue.ts'
import { createDeliveryQueue, queueAfterCommit } from '../outbox/delivery-jobs.ts'
import type { Config } from '../config.ts'
import type { EmbeddedDatabase } from '../database/embedded.ts'
import type { PostgresDatabase } from '../database/postgres.ts'
import { openFileStore } from '../storage/open-file-store.ts'
import { problems } from '../errors/problems.ts'
import { createAddressSearch, createGeocoder, type Geocode, createLimitedRequest } from '../geo/geocoder.ts'
import { readStreetIndex } from '../basemap/extract-archive.ts'
import type { StreetMap } from '../geo/street-map.ts'
import { createEndpointClient } from '../georeport/endpoint-client.ts'
import { createClientLimit } from '../http/auth/login.ts'
import { createCredentialCheck } from '../http/identity/credentials.ts'
import { createTrustedDevices } from '../http/identity/trusted-devices.ts'
import { createLoginThrottle } from '../http/login-throttle/login-throttle.ts'
import { createByteQuota } from '../http/rate-limit/byte-quota.ts'
import { openRateLimitStore } from '../http/rate-limit/rate-limit-store.ts'
import { createLinks } from '../html/links.ts'
import { urlsFrom } from '../http/request/urls.ts'
import { openMailer } from '../mail/mailer.ts'
import type { Services } from '../services.ts'
import type { Queryable } from '../database/database.ts'
import type { AreaLookup } from '../geo/area-query.ts'
import { limitConcurrency } from '../http/request/request-limit.ts'
import { findPlaceByUrlName } from '../places/queries.ts'
import { findWatchAreaByToken, validatePolygon } from '../watch-areas/queries.ts'

interface ServicesOptions {
  readonly config: Config
  readonly db: EmbeddedDatabase | PostgresDatabase
  readonly log: FastifyBaseLogger
  /** Root of absolute URLs if PUBLIC_URL is not set. */
  readonly servedUrl: () => string
  /** Without a queue, deliveries wait for the job `dispatch-outbox`. */
  readonly queue?: JobQueue | undefined
  readonly clock?: () => Date
  /** The streets of the demo; the process reads them at most once. */
  readonly readStreetMaps?: (() => Promise<readonly StreetMap[]>) | undefined
  /** Tests pass higher limits, because their machine is busy. */
  readonly eventLoopDelayMaxMs?: number
  readonly eventLoopSampleMs?: number
  readonly apiWaitMaxMs?: number
}

/** Thousands of customers of a mobile carrier share a client address. */
const DRAFTS_PER_HOUR = 300
const DRAFT_CHANGES_PER_HOUR = 3 * DRAFTS_PER_HOUR
/** These mails carry the words of strangers. An author above the limit can still log in. An address has a limit of its own (mail/limit-queries.ts). */
const DRAFT_MAILS_PER_HOUR = 60
const DRAFT_MAILS_PER_DAY = 300
/** They carry no words. One app may send the reports of many residents. */
const RECEIPTS_PER_HOUR = 600
/** A tenth of the default of `DRAFT_LIMIT`. */
const DRAFT_MEGABYTES_PER_HOUR = 1_000

/** The process is overloaded above this mean over the time of a sample. */
const EVENT_LOOP_DELAY_MAX_MS = 1_000
const EVENT_LOOP_SAMPLE_MS = 5_000
const API_WAIT_MAX_MS = 500

export async function openServices({
  config,
  db,
  log,
  servedUrl,
  queue,
  clock = () => new Date(),
  readStreetMaps,
  eventLoopDelayMaxMs = EVENT_LOOP_DELAY_MAX_MS,
  eventLoopSampleMs = EVENT_LOOP_SAMPLE_MS,
  apiWaitMaxMs = API_WAIT_MAX_MS,
}: ServicesOptions): Promise<Services> {
  const rateLimits = openRateLimitStore({
    redisUrl: config.redisUrl,
    redisSentinels: config.redisSentinels,
    pool: db.engine === 'server' ? db.pool : undefined,
    onRedisUnavailable: (error) =>
      log.warn({ err: error }, 'Redis is down: each process limits the rate by itself until it is back'),
  })
  const urls = urlsFrom(() => config.publicUrl ?? servedUrl())
  const addresses = createAddressSearch(config.geocoderUrl, createLimitedRequest(config.geocoderLimit))
  const mailer = openMailer(config, urls)
  const enqueueDeliveries = createDeliveryQueue(queue, log)
  const refusal = problems.tooManyDraftMails
  const draftMailsOfHour = createClientLimit({ name: 'draft-mails', points: DRAFT_MAILS_PER_HOUR, refusal }, rateLimits.store)
  const ofDay = { name: 'draft-mails-of-day', points: DRAFT_MAILS_PER_DAY, seconds: 86_400 }
  const draftMailsOfDay = createClientLimit({ ...ofDay, refusal }, rateLimits.store)
  return {
    config,
    db: queueAfterCommit(db, enqueueDeliveries),
    urls,
    links: createLinks(urls),
    areas: areaLookup(db.reader, createGeocoder(addresses)),
    addresses,
    readStreetMaps: readStreetMaps && readOnce(readStreetMaps),
    readNamedStreets: readOnce(() => readStreetIndex(config.basemapPmtiles)),
    endpoints: createEndpointClient({ allow: config.forwardAllow }),
    credentials: createCredentialCheck(db),
    rateLimitStore: rateLimits.store,
    registrations: createClientLimit(
      {
        name: 'registrations',
        points: config.registrationLimit,
        refusal: config.registrationLimit === 0 ? problems.registrationClosed : problems.tooManyRegistrations,
      },
      rateLimits.store,
    ),
    drafts: createClientLimit({ name: 'drafts', points: DRAFTS_PER_HOUR, refusal: problems.tooManyDrafts }, rateLimits.store),
    draftChanges: createClientLimit(
      { name: 'draft-changes', points: DRAFT_CHANGES_PER_HOUR, refusal: problems.tooManyDrafts },
      rateLimits.store,
    ),
    draftBytes: createByteQuota(
      {
        name: 'draft-kilobytes',
        clientMegabytes: DRAFT_MEGABYTES_PER_HOUR,
        totalMegabytes: config.draftLimit,
        clientRefusal: (seconds) => problems.tooManyDraftBytes(seconds, DRAFT_MEGABYTES_PER_HOUR),
        totalRefusal: problems.draftQuotaUsed,
      },
      rateLimits.store,
    ),
    draftMails: {
      count: (request, work) => draftMailsOfHour.count(request, () => draftMailsOfDay.count(request, work)),
    },
    receipts: createClientLimit(
      { name: 'receipts', points: RECEIPTS_PER_HOUR, refusal: problems.tooManyDraftMails },
      rateLimits.store,
    ),
    loginThrottle: createLoginThrottle(rateLimits.store),
    trustedDevices: createTrustedDevices(db),
    files: await openFileStore(config),
    mailer,
    enqueueDeliveries,
    queue,
    log,
    clock,
    // The embedded database runs in this event loop and may block it for longer.
    eventLoopDelayMaxMs: db.engine === 'server' ? eventLoopDelayMaxMs : Infinity,
    eventLoopSampleMs,
    apiWaitMaxMs,
    close: async () => {
      mailer.close()
      await rateLimits.close()
    },
  }
}

/** A failure is not kept: the next call reads again. */
function readOnce<Result>(read: () => Promise<Result>): () => Promise<Result> {
  let result: Promise<Result> | undefined
  return () =>
    (result ??= read().catch((error: unknown) => {
      result = undefined
      throw error
    }))
}

/** A polygon may take half a second; the limit leaves connections for lists. */
const POLYGON_LIMITS = { concurrency: 4, queueMax: 100, waitMaxMs: 5_000 }

export function areaLookup(db: Queryable, geocode: Geocode): AreaLookup {
  const limitPolygons = limitConcurrency(POLYGON_LIMITS)
  return {
    async findPlaceByUrlName(urlName) {
      const place = await findPlaceByUrlName(db, urlName)
      return place && { id: place.id, centre: { lng: place.center_lng, lat: place.center_lat } }
    },
    findWatchAreaByToken: (token) => findWatchAreaByToken(db, token),
    validatePolygon: (geojson) => limitPolygons(() => validatePolygon(db, geojson)),
    geocode,
  }
}
