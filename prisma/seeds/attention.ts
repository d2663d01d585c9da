import { habits, type Category } from './categories.ts'
import type { Chance } from './chance.ts'
import { DAY_MS, type DraftComment, type Life } from './drafts.ts'
import { wholeSecond } from './lives.ts'
import type { Organization } from './organizations.ts'
import type { Person } from './person.ts'
import { officialsSay, reportersSay, residentsSay } from './phrases/conversation.ts'
import type { Spot } from './spots.ts'
import { sayAbout } from './texts.ts'

export interface Circumstances {
  readonly createdAt: number
  readonly now: number
  readonly category: Category
  readonly spot: Spot
  readonly organization: Organization
  readonly life: Life
  /** Undefined if the reporter is anonymous. */
  readonly knownReporter: Person | undefined
  readonly resident: () => Person
}

const ONE_MORE_COMMENT = 0.15
const VOTES_MEDIAN = 1.75

/** Returns the comments of an issue in order of time, those of its transitions included. */
export function comment(chance: Chance, given: Circumstances): DraftComment[] {
  const { life, createdAt, now } = given
  const comments = life.moves.flatMap((move) => move.comment ?? [])
  const last = Math.min(life.status === 'Archived' ? (life.closedAt ?? now) + 3 * DAY_MS : now, now)
  while (chance.yes(ONE_MORE_COMMENT * habits[given.category].interest)) {
    const at = wholeSecond(createdAt + 120_000 + chance.next() ** 1.6 * (last - createdAt))
    if (at >= now) break
    const { by, texts } = speaker(chance, given)
    comments.push({ by, at, text: sayAbout(chance, given.spot, texts), locale: 'en' })
  }
  return comments.sort((one, other) => one.at - other.at)
}

function speaker(chance: Chance, { life, organization, knownReporter, resident }: Circumstances) {
  const mood = chance.next()
  if (mood < 0.14 && life.acknowledgedAt !== null) return { by: chance.among(organization.employees), texts: officialsSay }
  if (mood < 0.36 && knownReporter) return { by: knownReporter, texts: reportersSay }
  return { by: resident(), texts: residentsSay }
}

/** Returns the voters of an issue with the time of each vote. The reporter does not vote. */
export function vote(chance: Chance, given: Circumstances, reporter: Person): Map<Person, number> {
  const age_days = (given.now - given.createdAt) / DAY_MS
  const youth = Math.min(1, 0.25 + age_days / 6)
  const wanted = Math.floor(chance.wait(VOTES_MEDIAN, 1) * habits[given.category].interest * youth)
  const votes = new Map<Person, number>()
  for (let attempt = 0; attempt < wanted * 2 && votes.size < wanted; attempt++) {
    const person = given.resident()
    const at = wholeSecond(given.createdAt + 60_000 + chance.wait(3, 1.3) * DAY_MS)
    if (person !== reporter && at < given.now && !votes.has(person)) votes.set(person, at)
  }
  return votes
}

/** The reporter follows from the start; some of those who comment or vote do so too. */
export function follow(
  chance: Chance,
  { createdAt }: Circumstances,
  reporter: Person,
  comments: readonly DraftComment[],
  votes: ReadonlyMap<Person, number>,
): Map<Person, number> {
  const follows = new Map([[reporter, createdAt]])
  const join = (person: Person, at: number, probability: number) => {
    if (!follows.has(person) && chance.yes(probability)) follows.set(person, at)
  }
  for (const { by, at } of comments) if (by.role === 'Registered User') join(by, at, 0.3)
  for (const [person, at] of votes) join(person, at, 0.06)
  return follows
}
