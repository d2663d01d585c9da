import { categoryProfiles, type Category } from './categories.ts'
import type { Random } from './random.ts'
import { DAY_MS, type DraftComment, type Lifecycle } from './drafts.ts'
import { wholeSecond } from './lifecycle.ts'
import type { Organization } from './organizations.ts'
import type { Person } from './person.ts'
import { officialComments, reporterComments, residentComments } from './phrases/phrases.ts'
import type { Spot } from './spots.ts'
import { fillTemplate } from './texts.ts'

export interface EngagementContext {
  readonly createdAt: number
  readonly now: number
  readonly category: Category
  readonly spot: Spot
  readonly organization: Organization
  readonly lifecycle: Lifecycle
  readonly knownReporter: Person | undefined
  readonly resident: () => Person
}

const COMMENT_PROBABILITY = 0.15
const VOTES_MEDIAN = 1.75

export function draftComments(random: Random, context: EngagementContext): DraftComment[] {
  const { lifecycle, createdAt, now } = context
  const comments = lifecycle.statusChanges.flatMap((change) => change.comment ?? [])
  const last = Math.min(lifecycle.status === 'Archived' ? (lifecycle.closedAt ?? now) + 3 * DAY_MS : now, now)
  while (random.chance(COMMENT_PROBABILITY * categoryProfiles[context.category].interest)) {
    const at = wholeSecond(createdAt + 120_000 + random.next() ** 1.6 * (last - createdAt))
    if (at >= now) break
    const { by, texts } = pickCommenter(random, context)
    comments.push({ by, at, text: fillTemplate(random, context.spot, texts), locale: 'en' })
  }
  return comments.sort((one, other) => one.at - other.at)
}

function pickCommenter(random: Random, { lifecycle, organization, knownReporter, resident }: EngagementContext) {
  const roll = random.next()
  if (roll < 0.14 && lifecycle.acknowledgedAt !== null) return { by: random.pick(organization.employees), texts: officialComments }
  if (roll < 0.36 && knownReporter) return { by: knownReporter, texts: reporterComments }
  return { by: resident(), texts: residentComments }
}

export function draftVotes(random: Random, context: EngagementContext, reporter: Person): Map<Person, number> {
  const age_days = (context.now - context.createdAt) / DAY_MS
  const youth = Math.min(1, 0.25 + age_days / 6)
  const voters = Math.floor(random.logNormal(VOTES_MEDIAN, 1) * categoryProfiles[context.category].interest * youth)
  const votes = new Map<Person, number>()
  for (let attempt = 0; attempt < voters * 2 && votes.size < voters; attempt++) {
    const person = context.resident()
    const at = wholeSecond(context.createdAt + 60_000 + random.logNormal(3, 1.3) * DAY_MS)
    if (person !== reporter && at < context.now && !votes.has(person)) votes.set(person, at)
  }
  return votes
}

export function draftFollows(
  random: Random,
  { createdAt }: EngagementContext,
  reporter: Person,
  comments: readonly DraftComment[],
  votes: ReadonlyMap<Person, number>,
): Map<Person, number> {
  const follows = new Map([[reporter, createdAt]])
  const addFollower = (person: Person, at: number, probability: number) => {
    if (!follows.has(person) && random.chance(probability)) follows.set(person, at)
  }
  for (const { by, at } of comments) if (by.role === 'Registered User') addFollower(by, at, 0.3)
  for (const [person, at] of votes) addFollower(person, at, 0.06)
  return follows
}
