/** Why an issue was closed. Residents only say that it is fixed. */
export const outcomes = ['fixed', 'duplicate', 'passed_on', 'not_ours', 'cannot_fix', 'not_found', 'reported_fixed'] as const
export type Outcome = (typeof outcomes)[number]

/** The outcomes that employees choose from. */
export const employeeOutcomes = ['fixed', 'duplicate', 'passed_on', 'not_ours', 'cannot_fix', 'not_found'] as const

/** A closing has an outcome besides its comment. */
export interface Closing {
  /** Null if an employee gave none. */
  readonly outcome: Outcome | null
  readonly passed_on_to: string | null
  readonly duplicate_of_id: number | null
}

export const REPORTED_FIXED: Closing = { outcome: 'reported_fixed', passed_on_to: null, duplicate_of_id: null }

/** Returns what is stored: a resident never speaks for the organisation. */
export const closingBy = (isEmployee: boolean, closing: Closing): Closing => (isEmployee ? closing : REPORTED_FIXED)
