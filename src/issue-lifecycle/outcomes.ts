/** Why an issue was closed. Residents only say that it is fixed. */
export const outcomes = ['fixed', 'duplicate', 'passed_on', 'not_ours', 'cannot_fix', 'not_found', 'reported_fixed'] as const
export type Outcome = (typeof outcomes)[number]
