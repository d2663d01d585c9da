import type { Database } from '../../src/database/database.ts'
import type { FileStore } from '../../src/storage/file-store.ts'
import type { Urls } from '../../src/http/request/urls.ts'
import type { Mailer } from '../../src/mail/mailer.ts'
import type { JobLog } from '../../src/queue/log.ts'
import type { JobQueue } from '../../src/queue/queue.ts'

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
