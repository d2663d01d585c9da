import {
  archiveClosedIssues,
  askClosings,
  computeTargets,
  createDailyMails,
  createDigests,
  dispatchOutbox,
  noticeFailover,
  runBulk,
} from './batch-jobs.ts'
import type { JobName, Payload } from '../../src/queue/job-definitions.ts'
import { deliver } from './deliver.ts'
import { sendMails } from './send-mails.ts'
import { pollEndpoints } from '../../src/forwarding/poll-endpoints.ts'
import { rollUpCellChanges } from '../../src/geo/pyramid/roll-up.ts'
import { addWords, countWords } from '../../src/search/dictionary.ts'
import { areaLookup } from '../../src/startup/open-services.ts'
import { createGeocoder } from '../../src/geo/geocoder.ts'
import { deliverWebhooks } from '../../src/webhooks/deliver.ts'
import type { JobServices } from './services.ts'
import { deleteOrphanedFiles, sweepBy } from './delete-expired.ts'

/** Jobs may run twice or be interrupted anywhere, so job handlers are idempotent. `signal` is aborted when the process stops. */
type JobHandler<Name extends JobName> = (payload: Payload<Name>, services: JobServices, signal: AbortSignal) => Promise<void>

export const jobHandlers: { readonly [Name in JobName]: JobHandler<Name> } = {
  'archive-closed-issues': archiveClosedIssues,
  deliver,
  'roll-up-cells': async (_payload, { db }, signal) => void (await rollUpCellChanges(db, signal)),
  'add-search-words': (_payload, { db }) => addWords(db),
  'count-search-words': (_payload, { db }) => countWords(db),
  'dispatch-outbox': dispatchOutbox,
  'notice-failover': noticeFailover,
  'create-digests': createDigests,
  'poll-endpoints': (_payload, services, signal) => pollEndpoints(services, signal),
  'deliver-webhooks': (_payload, services, signal) =>
    deliverWebhooks({ ...services, areas: areaLookup(services.db, createGeocoder(undefined)) }, signal),
  'compute-targets': computeTargets,
  'run-bulk': runBulk,
  'create-daily-mails': createDailyMails,
  'ask-closings': askClosings,
  'send-mails': sendMails,
  'clear-device-fields': sweepBy('clear-device-fields'),
  'delete-expired-trusted-devices': sweepBy('delete-expired-trusted-devices'),
  'delete-expired-drafts': sweepBy('delete-expired-drafts'),
  'delete-expired-idempotency-keys': sweepBy('delete-expired-idempotency-keys'),
  'delete-old-mail-files': sweepBy('delete-old-mail-files'),
  'delete-orphaned-files': deleteOrphanedFiles,
  'purge-removed-emails': sweepBy('purge-removed-emails'),
  'delete-old-changes': sweepBy('delete-old-changes'),
  'delete-old-watch-matches': sweepBy('delete-old-watch-matches'),
}
