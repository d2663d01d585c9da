import type { Database } from '../../src/database/database.ts'
import type { FileStore } from '../../src/storage/file-store.ts'
import type { EndpointClient } from '../../src/georeport/endpoint-client.ts'
import type { Urls } from '../../src/http/request/urls.ts'
import type { Mailer } from '../../src/mail/mailer.ts'
import type { JobLog } from '../../src/queue/log.ts'
import type { JobQueue } from '../../src/queue/queue.ts'

export interface WorkerServices {
  readonly db: Database
  readonly log: JobLog
  readonly files: FileStore
  readonly mailer: Mailer
  readonly urls: Urls
  /** Sends requests to Open311 endpoints. */
  readonly endpoints: EndpointClient
  readonly clock: () => Date
  /** Sends a mail in a span. */
  readonly traceMail?: (<Result>(id: string, send: () => Promise<Result>) => Promise<Result>) | undefined
}

export interface JobServices extends WorkerServices {
  readonly queue: Pick<JobQueue, 'enqueue'>
}
