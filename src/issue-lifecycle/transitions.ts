import type { Status } from './status.ts'

/** What somebody may ask for; `POST /issues/:id/<move>`. */
export const moves = ['open', 'close', 'acknowledge'] as const
export type Move = (typeof moves)[number]

/** As what a caller meets an issue: an `employee` acts for its organisation or, where it has none, for the place where it is. */
export type Standing = 'nobody' | 'resident' | 'employee'

export interface Transition {
  readonly from: Status
  readonly to: Status
  readonly by: { readonly move: Move; readonly needs: 'resident' | 'employee' } | { readonly days: number }
}

/**
 * The states of an issue (interface.md, States and transitions), complete: every other move is refused. The checks, the `transitions` of
 * an answer, the archive and docs/STATES.md are made from this.
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

/** Whether the move is allowed, and if not, whose fault it is: of who asks, or of the state that the issue is in. */
export type Verdict = { readonly to: Status } | { readonly refused: 'needs an employee' | 'not from this state' }

/** An employee's move, tried by another, is refused for that and not for the state. */
export function judge(move: Move, from: Status, standing: Standing): Verdict {
  const ways = ofMove(move)
  const way = ways.find((one) => one.from === from)
  const needs = way?.needs ?? (ways.every((one) => one.needs === 'employee') ? 'employee' : 'resident')
  if (ranks[standing] < ranks[needs]) return { refused: 'needs an employee' }
  return way ? { to: way.to } : { refused: 'not from this state' }
}

/** The moves that a caller may make now. */
export function movesFrom(from: Status, standing: Standing): Move[] {
  return moves.filter((move) => standing !== 'nobody' && 'to' in judge(move, from, standing))
}

/** In words, for who asked for a move that the state does not allow. */
export function refusalOf(move: Move, from: Status): string {
  if (from === 'Archived') return 'This issue is archived: its status cannot change any more.'
  const states = ofMove(move).map((way) => way.from)
  return `This issue is ${from}: only an issue that is ${states.join(' or ')} can be ${done[move]}.`
}

const done: Readonly<Record<Move, string>> = { open: 'opened again', close: 'closed', acknowledge: 'acknowledged' }

/** For how long an issue stays in a state before time itself moves it, in milliseconds. */
export function lifeOf(from: Status): number | undefined {
  const days = transitions.flatMap((one) => (one.from === from && 'days' in one.by ? [one.by.days] : []))[0]
  return days === undefined ? undefined : days * 24 * 60 * 60 * 1000
}
