import { archiveClosedIssues } from './archive-closed-issues.ts'
import type { JobName, Payload } from '../../src/queue/contracts.ts'
import { deliver } from './deliver.ts'
import { rollUpCells } from './roll-up-cells.ts'
import { dispatchOutbox } from './dispatch-outbox.ts'
import { sendDigests } from './send-digests.ts'
import { sendNotifications } from './send-notifications.ts'
import type { JobServices } from './services.ts'
import { sweepDeviceFields } from './sweep-device-fields.ts'
import { sweepTrustedDevices } from './sweep-trusted-devices.ts'
import { sweepIdempotencyKeys } from './sweep-idempotency-keys.ts'
import { sweepMailFolder } from './sweep-mail-folder.ts'
import { sweepOrphans } from './sweep-orphans.ts'
import { sweepRemovedEmails } from './sweep-removed-emails.ts'
import { sweepWatchMatches } from './sweep-watch-matches.ts'

/**
 * Runs one job. Jobs may run twice or be interrupted anywhere, so handlers are idempotent. A rejection is retried as often as
 * the contract says. `stopping` tells long work that the process will exit.
 */
export type Handler<Name extends JobName> = (payload: Payload<Name>, services: JobServices, stopping: AbortSignal) => Promise<void>

export const handlers: { readonly [Name in JobName]: Handler<Name> } = {
  'archive-closed-issues': archiveClosedIssues,
  deliver,
  'roll-up-cells': rollUpCells,
  'dispatch-outbox': dispatchOutbox,
  'send-digests': sendDigests,
  'send-notifications': sendNotifications,
  'sweep-device-fields': sweepDeviceFields,
  'sweep-trusted-devices': sweepTrustedDevices,
  'sweep-idempotency-keys': sweepIdempotencyKeys,
  'sweep-mail-folder': sweepMailFolder,
  'sweep-orphans': sweepOrphans,
  'sweep-removed-emails': sweepRemovedEmails,
  'sweep-watch-matches': sweepWatchMatches,
}
