/** States of GeoReport v2, of FixMyStreet's extension and of this service, and what they mean here. */
const states = {
  Open: ['open', 'reopened', 'confirmed'],
  Acknowledged: ['acknowledged', 'received', 'investigating', 'in_progress', 'planned', 'action_scheduled'],
  Closed: [
    ...[
      'closed',
      'archived',
      'cancelled',
      'fixed',
      'fixed_council',
      'fixed_user',
      'no_further_action',
      'unable_to_fix',
      'duplicate',
    ],
    ...['internal_referral', 'not_responsible', 'not_councils_responsibility'],
  ],
} as const satisfies Readonly<Record<string, readonly string[]>>

export type UpdateStatus = keyof typeof states

export const knownStates: readonly string[] = Object.values(states).flat()

const statusByState = new Map<string, UpdateStatus>(
  (Object.keys(states) as UpdateStatus[]).flatMap((status) =>
    states[status].map((state): [string, UpdateStatus] => [state, status]),
  ),
)

/** Returns undefined for a state that is not known. Only the letters matter, in either case. */
export function readState(text: string | undefined): UpdateStatus | undefined {
  const state = (text ?? '')
    .toLowerCase()
    .replaceAll(/[^a-z]+/g, '_')
    .replaceAll(/^_|_$/g, '')
  return statusByState.get(state)
}

/**
 * Returns the state of an update, in the capitals of FixMyStreet. GeoReport v2 has two states, so that an acknowledged issue is open for receivers
 * without extended states.
 */
export function toState(status: UpdateStatus | 'Archived', isExtended = false): string {
  if (status === 'Acknowledged') return isExtended ? 'INVESTIGATING' : 'OPEN'
  return status === 'Open' ? 'OPEN' : 'CLOSED'
}
