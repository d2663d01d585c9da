import { archiveClosedIssues } from './archive-closed-issues.ts'
import type { JobName, Payload } from '../../src/queue/contracts.ts'
import { deliver } from './deliver.ts'
import { rollUpCells } from './roll-up-cells.ts'
import { dispatchOutbox } from './dispatch-outbox.ts'
import { sendDigests } from './send-digests.ts'
import { sendNotifications } from './send-notifications.ts'
import type { JobServices } from './services.ts'
import { clearDeviceFields } from './clear-device-fields.ts'
import { deleteExpiredTrustedDevices } from './delete-expired-trusted-devices.ts'
import { deleteExpiredIdempotencyKeys } from './delete-expired-idempotency-keys.ts'
import { deleteOldMailFiles } from './delete-old-mail-files.ts'
import { deleteOrphanedFiles } from './delete-orphaned-files.ts'
import { purgeRemovedEmails } from './purge-removed-emails.ts'
import { deleteOldWatchMatches } from './delete-old-watch-matches.ts'

/** Jobs may run twice or be interrupted anywhere, so handlers are idempotent. `signal` is aborted when the process stops. */
export type Handler<Name extends JobName> = (payload: Payload<Name>, services: JobServices, signal: AbortSignal) => Promise<void>

export const handlers: { readonly [Name in JobName]: Handler<Name> } = {
  'archive-closed-issues': archiveClosedIssues,
  deliver,
  'roll-up-cells': rollUpCells,
  'dispatch-outbox': dispatchOutbox,
  'send-digests': sendDigests,
  'send-notifications': sendNotifications,
  'clear-device-fields': clearDeviceFields,
  'delete-expired-trusted-devices': deleteExpiredTrustedDevices,
  'delete-expired-idempotency-keys': deleteExpiredIdempotencyKeys,
  'delete-old-mail-files': deleteOldMailFiles,
  'delete-orphaned-files': deleteOrphanedFiles,
  'purge-removed-emails': purgeRemovedEmails,
  'delete-old-watch-matches': deleteOldWatchMatches,
}
