import { type Chance, weighted } from '../../prisma/seeds/chance.ts'
import { type Person, SPOT, type World } from './people.ts'

export type DeedKind = 'report' | 'comment' | 'close' | 'open' | 'acknowledge' | 'follow' | 'vote'

/** A write that somebody asks for, once and again under the same key, until it is answered. */
export interface Deed {
  readonly kind: DeedKind
  readonly by: Person
  /** Null for a report. */
  readonly issue: number | null
  readonly key: string
  /** Stands nowhere else; empty for a follow or a vote, of which each person has one on an issue. */
  readonly text: string
  /** The policy will hold it. */
  readonly willBeHeld: boolean
  readonly path: string
  readonly body: object
}

const WEIGHTS: Readonly<Record<DeedKind, number>> = {
  ...{ report: 8, comment: 30, close: 22, open: 18, acknowledge: 6, follow: 8, vote: 8 },
}
/** The policy holds a text with a word that is not published unseen (src/content-policy/words.ts). */
const HELD = { share: 0.04, word: 'asshole' }
/** Of so many issues the latest are talked about: their followers, and with them the mails, stay few enough. */
const TALKED_ABOUT = 40

/** Invents writes; the issues that reports made are told with `knows`. Follows and votes are new ones each: nobody does them twice. */
export function deedsOf(chance: Chance, world: World) {
  const issues = world.issues.map(({ id }) => id)
  // Whoever reported an issue follows it.
  const done = new Set(world.issues.map(({ id, reporter }) => `follow ${id} ${reporter}`))
  let count = 0
  const kindOf = weighted(Object.keys(WEIGHTS) as DeedKind[], (kind) => WEIGHTS[kind])
  const employees = world.people.filter((person) => person.isEmployee)

  const next = (): Deed => {
    const kind = kindOf(chance)
    const number = ++count
    const issue = kind === 'report' ? null : chance.among(issues.slice(-TALKED_ABOUT))
    const by = chance.among(kind === 'acknowledge' || (kind === 'close' && chance.yes(0.5)) ? employees : world.people)
    const key = `deed-${number}`
    if (kind === 'follow' || kind === 'vote') {
      const once = `${kind} ${issue} ${by.id}`
      if (done.has(once)) return next()
      done.add(once)
      return { kind, by, issue, key, text: '', willBeHeld: false, path: `/issues/${issue}/${kind}`, body: {} }
    }
    const willBeHeld = (kind === 'report' || kind === 'comment') && chance.yes(HELD.share)
    const text = `Words of deed ${number}${willBeHeld ? `, ${HELD.word}` : ''}`
    const common = { kind, by, issue, key, text, willBeHeld }
    if (kind === 'report') return { ...common, path: '/issues', body: reportOf(text, chance) }
    const segment = kind === 'comment' ? 'comments' : kind
    return { ...common, path: `/issues/${issue}/${segment}`, body: { comment: text } }
  }
  return {
    next,
    knows(issue: number, reporter: Person) {
      issues.push(issue)
      done.add(`follow ${issue} ${reporter.id}`)
    },
  }
}

const reportOf = (summary: string, chance: Chance) => ({
  lng: SPOT.lng + chance.between(-0.05, 0.05),
  lat: SPOT.lat + chance.between(-0.05, 0.05),
  address: '1437 Bannock St',
  request_type_id: 'other',
  answers: { summary },
})
