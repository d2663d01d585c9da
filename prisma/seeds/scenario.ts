import { findBoundary, type Boundaries } from './boundaries.ts'
import { createRandom, type Random } from './random.ts'
import { cities } from './cities/index.ts'
import type { City } from './cities/city.ts'
import { makeQuestions, type DraftQuestion } from './community.ts'
import { DAY_MS, type DraftIssue } from './drafts.ts'
import { makeIssues } from './issues.ts'
import { wholeSecond } from './lifecycle.ts'
import { makeRequestTypes, type RequestType } from './organizations.ts'
import { addStaffWork } from './staff-work.ts'
import { recordAction, makePeople, type People } from './people.ts'
import type { Person } from './person.ts'

export interface Scenario {
  readonly now: number
  readonly people: People
  readonly requestTypes: readonly RequestType[]
  /** The oldest issue is the first, so that ids increase with time. */
  readonly issues: readonly DraftIssue[]
  readonly questions: readonly DraftQuestion[]
  /** Unix times in milliseconds at which accounts were created, before their first actions. */
  readonly joinedAt: ReadonlyMap<Person, number>
}

export interface ScenarioOptions {
  readonly seed: number
  readonly now: Date
  readonly issuesPerCity: number
}

const POINTS = { report: 10, comment: 5, vote: 5 } as const

/** Returns the rows of the demo without writing them. The same options give the same scenario. */
export function makeScenario(boundaries: Boundaries, { seed, now: date, issuesPerCity }: ScenarioOptions): Scenario {
  // Rounding to the day gives everyone who seeds on that day the same demo.
  const now = Math.floor(date.getTime() / DAY_MS) * DAY_MS
  const people = makePeople(createRandom(seed, 'people'))
  const requestTypes = makeRequestTypes(people.organizations)
  const made = cities.flatMap((city) =>
    makeIssues(createRandom(seed, `issues ${city.urlName}`), {
      ...{ city, people, requestTypes, now, count: issuesPerCity },
      boundary: findBoundary(boundaries, city.fips),
    }),
  )
  const questions = cities.flatMap((city) => {
    const random = createRandom(seed, `questions ${city.urlName}`)
    return makeQuestions(random, city, () => residentPicker(people, city)(random), now)
  })
  const byTime = addPendingContent(made, createRandom(seed, 'held'), people).sort((one, other) => one.createdAt - other.createdAt)
  const issues = addStaffWork(byTime, people.organizations, createRandom(seed, 'staff'), now)
  for (const issue of issues) recordIssueActions(issue)
  for (const question of questions) recordQuestionActions(question)
  const accounts = createRandom(seed, 'accounts')
  const joinedAt = new Map(people.all.map((person) => [person, joinTime(accounts, person, now)]))
  return { now, people, requestTypes, issues, questions: [...questions, createPendingQuestion(people, now)], joinedAt }
}

const residentPicker = (people: People, city: City): ((random: Random) => Person) => {
  const choose = people.residentPickers.get(city)
  if (!choose) throw new Error(`${city.name} has no residents`)
  return choose
}

function recordIssueActions({ reporter, anonymous, isHeld, createdAt, comments, votes, statusChanges }: DraftIssue): void {
  // Points for an anonymous report would reveal its reporter.
  recordAction(reporter, createdAt, anonymous || isHeld ? 0 : POINTS.report, !anonymous && !isHeld)
  for (const { by, at, isHeld } of comments) recordAction(by, at, isHeld ? 0 : POINTS.comment, !isHeld)
  for (const [person, at] of votes) recordAction(person, at, POINTS.vote)
  const isKnown = !anonymous && !isHeld
  for (const { by, at } of statusChanges) if (by) recordAction(by, at, 0, isKnown || by !== reporter)
}

function recordQuestionActions({ by, at, answers }: DraftQuestion): void {
  recordAction(by, at, 0)
  for (const answer of answers) {
    recordAction(answer.by, answer.at, 0)
    for (const [person, votedAt] of answer.votes) recordAction(person, votedAt, 0)
  }
}

function joinTime(random: Random, person: Person, now: number): number {
  const before = person.firstSeen ?? now - DAY_MS
  return wholeSecond(before - random.between(0.01, person.role === 'Registered User' ? 90 : 400) * DAY_MS)
}

const spam = 'Cheap flats!! Look at http://flats.example, http://loans.example and http://watches.example now'

/** Makes one report held and adds a held comment, both in Denver, so that the demo shows moderation. */
function addPendingContent(issues: DraftIssue[], random: Random, people: People): DraftIssue[] {
  const [denver] = cities.filter(({ urlName }) => urlName === 'denver')
  const fresh = issues.filter((issue) => issue.city === denver && issue.status === 'Open' && issue.statusChanges.length === 1)
  const [report, commented] = fresh.sort((one, other) => other.createdAt - one.createdAt)
  if (!denver || !report || !commented) return issues
  const comment = {
    by: residentPicker(people, denver)(random),
    at: commented.createdAt + 60_000,
    text: spam,
    locale: 'en',
    isHeld: true,
  } as const
  const heldReport: DraftIssue = {
    ...report,
    report: { ...report.report, summary: 'Cheap flats downtown', description: spam, locale: 'en' },
    isHeld: true,
    answers: [],
    comments: [],
    votes: new Map(),
    follows: new Map([[report.reporter, report.createdAt]]),
  }
  const withComment = { ...commented, comments: [...commented.comments, comment].sort((one, other) => one.at - other.at) }
  return issues.map((issue) => (issue === report ? heldReport : issue === commented ? withComment : issue))
}

function createPendingQuestion({ all }: People, now: number): DraftQuestion {
  const [asker] = all.filter(({ city, role }) => city?.urlName === 'denver' && role === 'Registered User')
  if (!asker?.city) throw new Error('Denver has no residents')
  return { city: asker.city, by: asker, at: now - DAY_MS, text: spam, isHeld: true, answers: [] }
}
