import { type Random, weightedPicker } from '../../prisma/seeds/random.ts'
import { type Person, CENTER, FORWARDED_TYPE, type World } from './create-world.ts'

export type WriteKind = 'report' | 'comment' | 'close' | 'open' | 'acknowledge' | 'follow' | 'vote'

/** A write that is sent with the same key until there is a response. */
export interface Write {
  readonly kind: WriteKind
  readonly by: Person
  /** Null for a report. */
  readonly issue: number | null
  readonly key: string
  /** A unique text; empty for a follow or a vote, of which each user has one per issue. */
  readonly text: string
  /** True if the content policy holds it for review. */
  readonly needsReview: boolean
  readonly path: string
  readonly body: object
}

const WEIGHTS: Readonly<Record<WriteKind, number>> = {
  ...{ report: 8, comment: 30, close: 22, open: 18, acknowledge: 6, follow: 8, vote: 8 },
}
/** A word that needs review (src/content-policy/words.ts). */
const REVIEW = { share: 0.04, word: 'asshole' }
/** Number of newest issues that get writes, which limits their followers and mails. */
const ACTIVE_ISSUES = 40

/** Creates random writes. `knows` adds an issue that a report created. No user follows or votes twice. */
export function createWrites(random: Random, world: World) {
  const issues = world.issues.map(({ id }) => id)
  // Reporters follow their issues.
  const done = new Set(world.issues.map(({ id, reporter }) => `follow ${id} ${reporter}`))
  let count = 0
  const pickKind = weightedPicker(Object.keys(WEIGHTS) as WriteKind[], (kind) => WEIGHTS[kind])
  const employees = world.people.filter((person) => person.isEmployee)

  const next = (): Write => {
    const kind = pickKind(random)
    const number = ++count
    const issue = kind === 'report' ? null : random.pick(issues.slice(-ACTIVE_ISSUES))
    const by = random.pick(kind === 'acknowledge' || (kind === 'close' && random.chance(0.5)) ? employees : world.people)
    const key = `write-${number}`
    if (kind === 'follow' || kind === 'vote') {
      const once = `${kind} ${issue} ${by.id}`
      if (done.has(once)) return next()
      done.add(once)
      return { kind, by, issue, key, text: '', needsReview: false, path: `/issues/${issue}/${kind}`, body: {} }
    }
    const needsReview = (kind === 'report' || kind === 'comment') && random.chance(REVIEW.share)
    const text = `Text of write ${number}${needsReview ? `, ${REVIEW.word}` : ''}`
    const common = { kind, by, issue, key, text, needsReview }
    if (kind === 'report') return { ...common, path: '/issues', body: createReport(text, random) }
    const segment = kind === 'comment' ? 'comments' : kind
    return { ...common, path: `/issues/${issue}/${segment}`, body: { comment: text } }
  }
  return {
    next,
    addIssue(issue: number, reporter: Person) {
      issues.push(issue)
      done.add(`follow ${issue} ${reporter.id}`)
    },
  }
}

const createReport = (summary: string, random: Random) => ({
  lng: CENTER.lng + random.between(-0.05, 0.05),
  lat: CENTER.lat + random.between(-0.05, 0.05),
  address: '1437 Bannock St',
  request_type_id: random.chance(0.7) ? FORWARDED_TYPE : 'other',
  answers: { summary },
})
