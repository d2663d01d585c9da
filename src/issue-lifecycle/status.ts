import Type from 'typebox'

import { Id } from '../http/schema/fields.ts'
import { inLanguage, type Language, text, type Text, textsIn } from '../locales/texts.ts'

export const statuses = ['Open', 'Acknowledged', 'Closed', 'Archived'] as const
export type Status = (typeof statuses)[number]

export const IssueStatus = Type.Unsafe<Status>({ type: 'string', enum: statuses })

export const IssueRating = Type.String({
  pattern: '^\\d+$',
  description:
    'The base rating, plus 1 for each vote, plus 1 once the issue is acknowledged. The base rating is 1 or comes from an import.',
  examples: ['2'],
})

/**
 * Issues, comments, questions and answers share these states. Only `passed` is public. What is `held` waits for automatic checks or a
 * moderator; responses of the API say `moderated: true` for it.
 */
export const moderationStates = ['passed', 'held', 'rejected'] as const

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

const codes = {
  Open: 'status_open',
  Acknowledged: 'status_acknowledged',
  Closed: 'status_closed',
  Archived: 'status_archived',
} as const satisfies Record<Status, string>

export const statusText = (status: Status): Text => text(codes[status])

export const statusName = (status: Status, language: Language): string => inLanguage(statusText(status), language)

export const outcomeName = (outcome: Outcome, language: Language): string => textsIn(language)(`outcome.${outcome}`)

export const IssueParams = Type.Object({ id: { ...Id, description: 'The id of the issue.' } })
