import type { Status } from './status.ts'
import { text, type Text } from '../errors/texts/text.ts'

/** A move is the last segment of `POST /issues/:id/<move>`. */
export const moves = ['open', 'close', 'acknowledge'] as const
export type Move = (typeof moves)[number]

/**
 * An `employee` acts for the organisation of the issue or, for a community request type, for an organisation whose area covers it.
 */
export const standings = ['nobody', 'resident', 'employee'] as const
export type Standing = (typeof standings)[number]

export interface Transition {
  readonly from: Status
  readonly to: Status
  readonly by: { readonly move: Move; readonly needs: 'resident' | 'employee' } | { readonly days: number }
}

/**
 * This table is the complete state machine: every other move is refused. The checks, the
 * field `transitions`, the archive job and docs/STATES.md are derived from it.
 */
export const transitions: readonly Transition[] = [
  { from: 'Open', to: 'Closed', by: { move: 'close', needs: 'resident' } },
  { from: 'Closed', to: 'Open', by: { move: 'open', needs: 'resident' } },
  { from: 'Open', to: 'Acknowledged', by: { move: 'acknowledge', needs: 'employee' } },
  { from: 'Acknowledged', to: 'Closed', by: { move: 'close', needs: 'employee' } },
  { from: 'Closed', to: 'Archived', by: { days: 7 } },
]

const ranks: Readonly<Record<Standing, number>> = { nobody: 0, resident: 1, employee: 2 }

const ofMove = (move: Move) =>
  transitions.flatMap(({ from, to, by }) => ('move' in by && by.move === move ? [{ from, to, needs: by.needs }] : []))

export type Verdict = { readonly to: Status } | { readonly refused: 'needs an employee' | 'not from this state' }

/** Decides whether a caller with this role may make the move. A missing role is reported before a wrong status. */
export function judge(move: Move, from: Status, standing: Standing): Verdict {
  const ways = ofMove(move)
  const way = ways.find((one) => one.from === from)
  const needs = way?.needs ?? (ways.every((one) => one.needs === 'employee') ? 'employee' : 'resident')
  if (ranks[standing] < ranks[needs]) return { refused: 'needs an employee' }
  return way ? { to: way.to } : { refused: 'not from this state' }
}

/** Returns the moves that the caller may make now. */
export function movesFrom(from: Status, standing: Standing): Move[] {
  return moves.filter((move) => standing !== 'nobody' && 'to' in judge(move, from, standing))
}

/** Returns the message for a move that the status does not allow. */
export function refusalOf(move: Move, from: Status): Text {
  if (from === 'Archived') return text('issue_archived')
  const [one = from, other] = ofMove(move).map((way) => way.from)
  const parameters = { state: from, done: text(done[move]) }
  return other === undefined
    ? text('issue_in_other_state', { ...parameters, needed: one })
    : text('issue_in_neither_state', { ...parameters, one, other })
}

const done = { open: 'opened_again', close: 'closed', acknowledge: 'acknowledged' } as const

/** Returns the time in milliseconds after which the status changes automatically; undefined if it does not. */
export function lifeOf(from: Status): number | undefined {
  const days = transitions.flatMap((one) => (one.from === from && 'days' in one.by ? [one.by.days] : []))[0]
  return days === undefined ? undefined : days * 24 * 60 * 60 * 1000
}
