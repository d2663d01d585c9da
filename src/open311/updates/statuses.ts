import { text } from '../../errors/texts/text.ts'
import type { Status } from '../../issue-lifecycle/status.ts'
import type { TransitionName } from '../../issue-lifecycle/transitions.ts'
import { mustBe } from '../input/parameters.ts'

const targets = ['open', 'acknowledged', 'closed'] as const
type Target = (typeof targets)[number]

/** The states of FixMyStreet and of GeoReport v2, and what they mean here. */
const states: Readonly<Record<Target, readonly string[]>> = {
  open: ['open', 'reopened', 'confirmed'],
  acknowledged: ['acknowledged', 'received', 'investigating', 'in_progress', 'planned', 'action_scheduled'],
  closed: [
    ...['closed', 'fixed', 'fixed_council', 'fixed_user', 'no_further_action', 'unable_to_fix', 'internal_referral', 'duplicate'],
    ...['not_responsible', 'not_councils_responsibility', 'cancelled'],
  ],
}

/** @throws Problem 422 for an unknown state */
export function readTarget(status: string): Target {
  const name = status
    .toLowerCase()
    .replaceAll(/[^a-z]+/g, '_')
    .replaceAll(/^_|_$/g, '')
  const target = targets.find((one) => states[one].includes(name))
  if (!target) throw mustBe('status', text('one_of', { values: Object.values(states).flat().join(', ') }))
  return target
}

const transitionNames: Readonly<Record<Target, TransitionName>> = { open: 'open', acknowledged: 'acknowledge', closed: 'close' }

/**
 * Returns the transition that an update asks for, or undefined if the issue has this state already. `open` leaves an acknowledged issue as it
 * is, because senders without other states call it open, and `closed` an archived one. The transition may not be allowed.
 */
export function findTransition(target: Target, status: Status): TransitionName | undefined {
  const isReached =
    target === 'open'
      ? status === 'Open' || status === 'Acknowledged'
      : target === 'acknowledged'
        ? status === 'Acknowledged'
        : status === 'Closed' || status === 'Archived'
  return isReached ? undefined : transitionNames[target]
}

/** GeoReport v2 has two states, and FixMyStreet writes them in capitals in updates. */
export const toUpdateStatus = (status: Status): string => (status === 'Open' || status === 'Acknowledged' ? 'OPEN' : 'CLOSED')
