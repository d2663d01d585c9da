import { DAY_MS, HOUR_MS, type DraftClosingAnswer, type DraftIssue, type StatusChange } from './drafts.ts'
import { officeTime, wholeSecond } from './lifecycle.ts'
import type { Organization } from './organizations.ts'
import type { Person } from './person.ts'
import { staffTexts, templateFor } from './phrases/phrases.ts'
import { distance, projection } from './plane.ts'
import type { Random } from './random.ts'

const NOTE_PROBABILITY = 0.1
const ANSWER_PROBABILITY = 0.4
const FIXED_PROBABILITY = 0.8
/** Residents are asked three days after a closing. */
const ASKED_AFTER_MS = 3 * DAY_MS
const ANSWERED_WITHIN_MS = 10 * DAY_MS
const BULK_CLOSED = 6
const MERGED = 3
const DUPLICATE_WITHIN_M = 800
const ACCEPTED = 3

/** Adds what the staff of the organisations do: priorities, notes, transfers, duplicates, one run that closes many issues, and the answers of residents. */
export function addStaffWork(made: readonly DraftIssue[], organizations: readonly Organization[], random: Random, now: number) {
  const issues = made.map((issue) => (issue.requestType?.organization && !issue.isHeld ? workOn(random, issue, now) : issue))
  const changed = new Map<DraftIssue, DraftIssue>()
  const cities = Map.groupBy(organizations, ({ city }) => city).values()
  for (const [first, second, third] of cities) {
    if (!first || !second || !third) continue
    const idle = issues.filter(({ city, ...issue }) => city === first.city && isIdle(issue, now))
    const take = (organization: Organization, count: number): DraftIssue[] =>
      idle.filter((issue) => issue.requestType?.organization === organization && !changed.has(issue)).slice(-count)
    const replace = (taken: readonly DraftIssue[], change: (issue: DraftIssue) => Partial<DraftIssue>) => {
      for (const issue of taken) changed.set(issue, { ...issue, ...change(issue) })
    }
    for (const [issue, original] of findDuplicates(idle).slice(0, MERGED)) {
      const merged = close(issue, { by: official(first), at: recently(random, first, now), outcome: 'duplicate' })
      const at = merged.closedAt ?? now
      const follows = new Map([[issue.reporter, at], ...original.follows])
      changed.set(original, { ...original, follows })
      changed.set(issue, {
        ...merged,
        merge: { into: changed.get(original) ?? original, at, by: official(first), carried: !original.follows.has(issue.reporter) },
      })
    }
    const offer = (from: Organization, to: Organization, state: 'offered' | 'accepted' | 'refused') => () => {
      const offeredAt = officeTime(random, now - random.between(1.5, 4) * DAY_MS, from.city.utcOffset)
      return { transfer: { from, to, state, offeredAt, reason: random.pick(staffTexts.transferReasons) } }
    }
    replace(take(second, 1), offer(second, first, 'offered'))
    replace(take(first, 1), offer(first, third, 'offered'))
    replace(take(first, 1), offer(first, second, 'refused'))
    replace(take(first, ACCEPTED), offer(third, first, 'accepted'))
    const bulkAt = recently(random, first, now)
    replace(take(first, BULK_CLOSED), (issue) => close(issue, { by: official(first), at: bulkAt, outcome: 'not_found' }))
  }
  return issues.map((issue) => changed.get(issue) ?? issue)
}

/** The login of the organisation, if it has one. */
const official = ({ employees }: Organization): Person => {
  const [employee] = employees
  if (!employee) throw new Error('An organisation has no employees')
  return employee
}

const recently = (random: Random, { city }: Organization, now: number): number =>
  Math.min(officeTime(random, now - random.between(2, 4) * DAY_MS, city.utcOffset), wholeSecond(now - HOUR_MS))

/** An idle issue is open, and nothing has happened to it since its report. */
const isIdle = (
  { status, statusChanges, isHeld, anonymous, createdAt, requestType }: Omit<DraftIssue, 'city'>,
  now: number,
): boolean =>
  requestType?.organization !== undefined &&
  status === 'Open' &&
  statusChanges.length === 1 &&
  !isHeld &&
  !anonymous &&
  createdAt < now - 6 * DAY_MS

function workOn(random: Random, issue: DraftIssue, now: number): DraftIssue {
  const roll = random.next()
  const employees = issue.requestType?.organization?.employees ?? []
  const isOpen = issue.status === 'Open' || issue.status === 'Acknowledged'
  const at = wholeSecond(issue.createdAt + random.between(0.1, 0.9) * (now - issue.createdAt))
  const note = { by: random.pick(employees), at, text: random.pick(staffTexts.notes) }
  return {
    ...issue,
    priority: roll < 0.02 ? 3 : roll < 0.1 ? 2 : roll > 0.95 ? 0 : 1,
    notes: isOpen && random.chance(NOTE_PROBABILITY) ? [note] : [],
    closingAnswers: isOpen ? [] : answerClosing(random, issue, now),
  }
}

/** A reporter who says that it is not fixed opens the issue again, so the reporter of a closed one says that it is. */
function answerClosing(random: Random, { statusChanges, follows, votes, reporter }: DraftIssue, now: number): DraftClosingAnswer[] {
  const closing = statusChanges.findLast(({ to }) => to === 'Closed')
  if (closing?.by?.role !== 'Verified Official') return []
  const asked = new Set([...follows.keys(), ...votes.keys()])
  return [...asked].flatMap((by) => {
    const at = wholeSecond(closing.at + ASKED_AFTER_MS + random.next() * ANSWERED_WITHIN_MS)
    const isFixed = by === reporter || random.chance(FIXED_PROBABILITY)
    return at < now && random.chance(ANSWER_PROBABILITY) ? [{ closing, by, at, isFixed }] : []
  })
}

interface StaffClosing {
  readonly by: Person
  readonly at: number
  readonly outcome: 'duplicate' | 'not_found'
}

function close(issue: DraftIssue, { by, at, outcome }: StaffClosing): DraftIssue {
  const { locale } = issue.report
  const text = outcome === 'duplicate' ? staffTexts.merged[locale] : templateFor(outcome).texts[locale]
  const comment = { by, at, text, locale }
  const change: StatusChange = { from: 'Open', to: 'Closed', at, by, comment, outcome }
  const comments = [...issue.comments.filter((other) => other.at < at), comment]
  return { ...issue, status: 'Closed', closedAt: at, statusChanges: [...issue.statusChanges, change], comments, notes: [] }
}

/** Pairs of issues of the same type that are near each other: the later one has no votes of its own. No issue is in two pairs. */
function findDuplicates(issues: readonly DraftIssue[]): [DraftIssue, DraftIssue][] {
  const paired = new Set<DraftIssue>()
  return issues.flatMap((issue): [DraftIssue, DraftIssue][] => {
    const toMetres = projection(issue.city.center)
    const place = ({ spot }: DraftIssue) => toMetres([spot.lng, spot.lat])
    const original = issues.find(
      (other) =>
        other.requestType === issue.requestType &&
        other.createdAt < issue.createdAt &&
        other.reporter !== issue.reporter &&
        !paired.has(other) &&
        distance(place(other), place(issue)) < DUPLICATE_WITHIN_M,
    )
    if (!original || issue.votes.size > 0 || paired.has(issue)) return []
    paired.add(issue).add(original)
    return [[issue, original]]
  })
}
