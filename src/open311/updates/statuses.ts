import { text } from '../../errors/texts/text.ts'
import { knownStates, readState, type UpdateStatus } from '../../georeport/update-states.ts'
import type { Status } from '../../issue-lifecycle/status.ts'
import type { TransitionName } from '../../issue-lifecycle/transitions.ts'
import { mustBe } from '../input/parameters.ts'

/** @throws Problem 422 for an unknown state */
export function readTarget(state: string): UpdateStatus {
  const target = readState(state)
  if (!target) throw mustBe('status', text('one_of', { values: knownStates.join(', ') }))
  return target
}

const transitionNames: Readonly<Record<UpdateStatus, TransitionName>> = {
  Open: 'open',
  Acknowledged: 'acknowledge',
  Closed: 'close',
}

/**
 * Returns the transition that an update asks for, or undefined if the issue has this state already. `open` leaves an acknowledged issue as it
 * is, because senders without other states call it open, and `closed` an archived one. The transition may not be allowed.
 */
export function findTransition(target: UpdateStatus, status: Status): TransitionName | undefined {
  const isReached =
    target === status || (target === 'Open' && status === 'Acknowledged') || (target === 'Closed' && status === 'Archived')
  return isReached ? undefined : transitionNames[target]
}
