import { boundaryOf, type Boundaries } from './boundaries.ts'
import { openChance, type Chance } from './chance.ts'
import { cities } from './cities/index.ts'
import type { City } from './cities/city.ts'
import { makeQuestions, type DraftQuestion } from './community.ts'
import { DAY_MS, type DraftIssue } from './drafts.ts'
import { makeIssues } from './issues.ts'
import { wholeSecond } from './lives.ts'
import { makeRequestTypes, type RequestType } from './organizations.ts'
import { acted, makePeople, type People } from './people.ts'
import type { Person } from './person.ts'

export interface Scenario {
  readonly now: number
  readonly people: People
  readonly requestTypes: readonly RequestType[]
  /** Oldest first, so that ids grow with time. */
  readonly issues: readonly DraftIssue[]
  readonly questions: readonly DraftQuestion[]
  /** When an account was made: before its first action. Milliseconds since 1970. */
  readonly joinedAt: ReadonlyMap<Person, number>
}

export interface ScenarioOptions {
  readonly seed: number
  readonly now: Date
  readonly issuesPerCity: number
}

const POINTS = { report: 10, comment: 5, vote: 5 } as const

/** Makes everything up; nothing is written yet. The same options give the same scenario. */
export function makeScenario(boundaries: Boundaries, { seed, now: date, issuesPerCity }: ScenarioOptions): Scenario {
  // The day and not the hour of seeding decides, so that two people who seed on one day get the same demo.
  const now = Math.floor(date.getTime() / DAY_MS) * DAY_MS
  const people = makePeople(openChance(seed, 'people'))
  const requestTypes = makeRequestTypes(people.organizations)
  const made = cities.flatMap((city) =>
    makeIssues(openChance(seed, `issues ${city.urlName}`), {
      ...{ city, people, requestTypes, now, count: issuesPerCity },
      boundary: boundaryOf(boundaries, city.fips),
    }),
  )
  const questions = cities.flatMap((city) => {
    const chance = openChance(seed, `questions ${city.urlName}`)
    return makeQuestions(chance, city, () => residentOf(people, city)(chance), now)
  })
  const issues = hold(made, openChance(seed, 'held'), people).sort((one, other) => one.createdAt - other.createdAt)
  for (const issue of issues) recordActions(issue)
  for (const question of questions) noteTalk(question)
  const accounts = openChance(seed, 'accounts')
  const joinedAt = new Map(people.all.map((person) => [person, joined(accounts, person, now)]))
  return { now, people, requestTypes, issues, questions: [...questions, heldQuestion(people, now)], joinedAt }
}

const residentOf = (people: People, city: City): ((chance: Chance) => Person) => {
  const choose = people.residentOf.get(city)
  if (!choose) throw new Error(`${city.name} has no residents`)
  return choose
}

function recordActions({ reporter, anonymous, held, createdAt, comments, votes, moves }: DraftIssue): void {
  // Points for an anonymous report would reveal its reporter.
  acted(reporter, createdAt, anonymous || held ? 0 : POINTS.report, !anonymous && !held)
  for (const { by, at, held: notShown } of comments) acted(by, at, notShown ? 0 : POINTS.comment, !notShown)
  for (const [person, at] of votes) acted(person, at, POINTS.vote)
  const isKnown = !anonymous && !held
  for (const { by, at } of moves) if (by) acted(by, at, 0, isKnown || by !== reporter)
}

function noteTalk({ by, at, answers }: DraftQuestion): void {
  acted(by, at, 0)
  for (const answer of answers) {
    acted(answer.by, answer.at, 0)
    for (const [person, votedAt] of answer.votes) acted(person, votedAt, 0)
  }
}

function joined(chance: Chance, person: Person, now: number): number {
  const before = person.firstSeen ?? now - DAY_MS
  return wholeSecond(before - chance.between(0.01, person.role === 'Registered User' ? 90 : 400) * DAY_MS)
}

const spam = 'Cheap flats!! Look at http://flats.example, http://loans.example and http://watches.example now'

/** One report and one comment of Denver wait for a moderator, so that everybody can see that they are not to be seen. */
function hold(issues: DraftIssue[], chance: Chance, people: People): DraftIssue[] {
  const [denver] = cities.filter(({ urlName }) => urlName === 'denver')
  const fresh = issues.filter((issue) => issue.city === denver && issue.status === 'Open' && issue.moves.length === 1)
  const [report, commented] = fresh.sort((one, other) => other.createdAt - one.createdAt)
  if (!denver || !report || !commented) return issues
  const comment = {
    by: residentOf(people, denver)(chance),
    at: commented.createdAt + 60_000,
    text: spam,
    locale: 'en',
    held: true,
  } as const
  const heldReport: DraftIssue = {
    ...report,
    report: { ...report.report, summary: 'Cheap flats downtown', description: spam, locale: 'en' },
    held: true,
    answers: [],
    comments: [],
    votes: new Map(),
    follows: new Map([[report.reporter, report.createdAt]]),
  }
  const withComment = { ...commented, comments: [...commented.comments, comment].sort((one, other) => one.at - other.at) }
  return issues.map((issue) => (issue === report ? heldReport : issue === commented ? withComment : issue))
}

function heldQuestion({ all }: People, now: number): DraftQuestion {
  const [asker] = all.filter(({ city, role }) => city?.urlName === 'denver' && role === 'Registered User')
  if (!asker?.city) throw new Error('Denver has no residents')
  return { city: asker.city, by: asker, at: now - DAY_MS, text: spam, held: true, answers: [] }
}
