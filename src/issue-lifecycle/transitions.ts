import { text, type Text } from '../locales/texts.ts'
import type { Status } from './status.ts'
import { statusText } from './status.ts'

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
