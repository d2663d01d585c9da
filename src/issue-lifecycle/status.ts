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

/** The name of a transition is the last segment of `POST /issues/:id/<name>`. */
export const transitionNames = ['open', 'close', 'acknowledge'] as const
export type TransitionName = (typeof transitionNames)[number]

/** An `employee` acts for the organisation of the issue or, for a community request type, for one whose area covers it. */
export const actorRoles = ['none', 'resident', 'employee'] as const
export type ActorRole = (typeof actorRoles)[number]

export interface Transition {
  readonly from: Status
  readonly to: Status
  readonly trigger: { readonly transition: TransitionName; readonly role: 'resident' | 'employee' } | { readonly days: number }
}

/** This table is the complete state machine: checks, `transitions` fields, the archive job and docs/STATES.md derive from it. */
export const transitions: readonly Transition[] = [
  { from: 'Open', to: 'Closed', trigger: { transition: 'close', role: 'resident' } },
  { from: 'Closed', to: 'Open', trigger: { transition: 'open', role: 'resident' } },
  { from: 'Open', to: 'Acknowledged', trigger: { transition: 'acknowledge', role: 'employee' } },
  { from: 'Acknowledged', to: 'Closed', trigger: { transition: 'close', role: 'employee' } },
  { from: 'Closed', to: 'Archived', trigger: { days: 7 } },
]

const ranks: Readonly<Record<ActorRole, number>> = { none: 0, resident: 1, employee: 2 }

const transitionsNamed = (name: TransitionName) =>
  transitions.flatMap(({ from, to, trigger }) =>
    'transition' in trigger && trigger.transition === name ? [{ from, to, role: trigger.role }] : [],
  )

type TransitionCheck = { readonly to: Status } | { readonly refused: 'employee required' | 'wrong status' }

/** Decides whether a caller with this role may make the transition. A wrong status is reported before a missing role. */
export function checkTransition(name: TransitionName, from: Status, role: ActorRole): TransitionCheck {
  const match = transitionsNamed(name).find((one) => one.from === from)
  if (!match) return { refused: 'wrong status' }
  return ranks[role] < ranks[match.role] ? { refused: 'employee required' } : { to: match.to }
}

export function allowedTransitions(from: Status, role: ActorRole): TransitionName[] {
  return transitionNames.filter((name) => role !== 'none' && 'to' in checkTransition(name, from, role))
}

export function refusalMessage(name: TransitionName, from: Status): Text {
  if (from === 'Archived') return text('issue_archived')
  const [one = statusText(from), other] = transitionsNamed(name).map((candidate) => statusText(candidate.from))
  const parameters = { state: statusText(from), done: text(participleCodes[name]) }
  return other === undefined
    ? text('issue_in_other_state', { ...parameters, needed: one })
    : text('issue_in_neither_state', { ...parameters, one, other })
}

const participleCodes = { open: 'opened_again', close: 'closed', acknowledge: 'acknowledged' } as const

/** Returns the time in milliseconds after which the status changes automatically; undefined if it does not. */
export function statusLifetimeMs(from: Status): number | undefined {
  const days = transitions.flatMap((one) => (one.from === from && 'days' in one.trigger ? [one.trigger.days] : []))[0]
  return days === undefined ? undefined : days * 24 * 60 * 60 * 1000
}

export const IssueParams = Type.Object({ id: { ...Id, description: 'The id of the issue.' } })
