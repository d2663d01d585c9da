import type { FastifyBaseLogger } from 'fastify'
import type { RateLimiterAbstract } from 'rate-limiter-flexible'

import type { JobQueue } from './queue/queue.ts'
import type { Config } from './config.ts'
import type { Database, RecordedDelivery } from './database/database.ts'
import type { AddressSearch } from './geo/geocoder.ts'
import type { NamedStreet } from './basemap/extract-archive.ts'
import type { StreetMap } from './geo/street-map.ts'
import type { EndpointClient } from './georeport/endpoint-client.ts'
import type { AreaLookup } from './geo/area-query.ts'
import type { FileStore } from './storage/file-store.ts'
import type { CredentialCheck } from './http/identity/credentials.ts'
import type { TrustedDevices } from './http/identity/trusted-devices.ts'
import type { LoginThrottle } from './http/login-throttle/login-throttle.ts'
import type { ByteQuota } from './http/rate-limit/byte-quota.ts'
import type { ClientLimit } from './http/auth/login.ts'
import type { Links } from './html/links.ts'
import type { Urls } from './http/request/urls.ts'
import type { Mailer } from './mail/mailer.ts'

export interface Services {
  readonly config: Config
  readonly db: Database
  readonly urls: Urls
  readonly links: Links
  readonly areas: AreaLookup
  /** The value is undefined without a geocoder. */
  readonly addresses: AddressSearch | undefined
  /** Reads the invented streets once; undefined in processes without pages. */
  readonly readStreetMaps: (() => Promise<readonly StreetMap[]>) | undefined
  /** Reads the streets of the PMTiles file once. */
  readonly readNamedStreets: () => Promise<readonly NamedStreet[]>
  /** Sends requests to Open311 endpoints. */
  readonly endpoints: EndpointClient
  readonly credentials: CredentialCheck
  readonly rateLimitStore: RateLimiterAbstract
  readonly registrations: ClientLimit
  readonly drafts: ClientLimit
  readonly draftChanges: ClientLimit
  readonly draftBytes: ByteQuota
  readonly draftMails: ClientLimit
  readonly receipts: ClientLimit
  readonly loginThrottle: LoginThrottle
  readonly trustedDevices: TrustedDevices
  readonly files: FileStore
  readonly mailer: Mailer
  /** Queues deliveries that were recorded outside a transaction. It does not wait; `db.transaction` does it by itself after the commit. */
  readonly enqueueDeliveries: (deliveries: readonly RecordedDelivery[]) => void
  readonly queue: JobQueue | undefined
  readonly log: FastifyBaseLogger
  readonly clock: () => Date
  /** Limit in milliseconds for the mean delay over a sample. Above it, requests get 503. */
  readonly eventLoopDelayMaxMs: number
  readonly eventLoopSampleMs: number
  /** Limit in milliseconds for the wait of an API request for its turn. */
  readonly apiWaitMaxMs: number
  /** The database stays open: the caller that opened it closes it last. */
  close(): Promise<void>
}
