import type { Status } from '../issue-lifecycle/status.ts'

/** Statuses of a service request in GeoReport v2. */
export const toRequestStatus = (status: Status): 'open' | 'closed' =>
  status === 'Open' || status === 'Acknowledged' ? 'open' : 'closed'

/**
 * Returns the status of an update, in the form of FixMyStreet. An endpoint that does not know its extended statuses gets OPEN for an
 * acknowledged issue.
 */
export function toUpdateStatus(status: Status, isExtended: boolean): string {
  if (status === 'Acknowledged') return isExtended ? 'INVESTIGATING' : 'OPEN'
  return status === 'Open' ? 'OPEN' : 'CLOSED'
}

type ReceivedStatus = Exclude<Status, 'Archived'>

/** Statuses that endpoints send: those of GeoReport v2, of FixMyStreet's extension, and our own. */
const received: Readonly<Record<string, ReceivedStatus>> = {
  open: 'Open',
  reopened: 'Open',
  confirmed: 'Open',
  acknowledged: 'Acknowledged',
  investigating: 'Acknowledged',
  in_progress: 'Acknowledged',
  planned: 'Acknowledged',
  action_scheduled: 'Acknowledged',
  closed: 'Closed',
  archived: 'Closed',
  fixed: 'Closed',
  fixed_council: 'Closed',
  fixed_user: 'Closed',
  unable_to_fix: 'Closed',
  no_further_action: 'Closed',
  not_councils_responsibility: 'Closed',
  not_responsible: 'Closed',
  duplicate: 'Closed',
  internal_referral: 'Closed',
}

/** Returns undefined for a status that is not known. Letter case, spaces and hyphens do not matter. */
export function fromReceivedStatus(text: string | undefined): ReceivedStatus | undefined {
  const name =
    text
      ?.trim()
      .toLowerCase()
      .replaceAll(/[\s-]+/g, '_') ?? ''
  return Object.hasOwn(received, name) ? received[name] : undefined
}
