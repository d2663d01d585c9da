import { type Random, weightedPicker } from '../../prisma/seeds/random.ts'
import { GREEN, type TestUser } from '../helpers/factories.ts'
import type { TestApp } from '../helpers/use-app.ts'
import { createUsers, countByStatus } from './concurrent-users.ts'

export interface Scene {
  readonly people: readonly TestUser[]
  readonly issues: readonly number[]
  /** The issue that was reported anonymously, and its reporter. */
  readonly anonymous: { readonly issue: number; readonly by: number }
}

export async function createScene(app: TestApp): Promise<Scene> {
  const people = [...(await createUsers(app, undefined, 16)), ...(await createUsers(app, 'employee', 4))]
  const [reporter] = people
  if (!reporter) throw new Error('no users were created')
  const issues = [await app.create.issue({ at: GREEN, reporter, anonymous: true })]
  while (issues.length < 5) issues.push(await app.create.issue({ at: GREEN }))
  return { people, issues, anonymous: { issue: issues[0] ?? 0, by: reporter.id } }
}

export interface ExpectedIssue {
  /** User ids. */
  readonly votes: Set<number>
  readonly follows: Set<number>
  comments: number
  moves: number
  acknowledged: boolean
}

export interface ExpectedPerson {
  reports: number
  comments: number
  /** Issue ids, repeated for each close. */
  readonly closed: number[]
  /** Issue ids. */
  readonly votes: Set<number>
  readonly follows: Set<number>
}

/** The expected state, computed from the responses only. */
export interface ActionLog {
  readonly answers: Record<string, number>
  readonly issues: ReadonlyMap<number, ExpectedIssue>
  readonly people: ReadonlyMap<number, ExpectedPerson>
  readonly events: Record<string, number>
}

const kinds = {
  report: { weight: 3, method: 'POST', path: '', event: 'issue.reported' },
  comment: { weight: 15, method: 'POST', path: '/comments', event: 'comment.added' },
  vote: { weight: 18, method: 'POST', path: '/vote', event: 'issue.voted' },
  unvote: { weight: 12, method: 'DELETE', path: '/vote', event: 'issue.unvoted' },
  follow: { weight: 12, method: 'POST', path: '/follow', event: 'issue.followed' },
  unfollow: { weight: 8, method: 'DELETE', path: '/follow', event: 'issue.unfollowed' },
  close: { weight: 14, method: 'POST', path: '/close', event: 'issue.closed' },
  open: { weight: 12, method: 'POST', path: '/open', event: 'issue.reopened' },
  acknowledge: { weight: 6, method: 'POST', path: '/acknowledge', event: 'issue.acknowledged' },
} as const
type Kind = keyof typeof kinds
const pickKind = weightedPicker(Object.keys(kinds) as Kind[], (kind) => kinds[kind].weight)

/** Users act concurrently, but each user sequentially, so that the order of each user’s actions is known. */
export async function performActions(
  app: TestApp,
  { people, issues }: Scene,
  random: Random,
  actionsPerUser: number,
): Promise<ActionLog> {
  const due = {
    issues: new Map(issues.map((id): [number, ExpectedIssue] => [id, newExpectedIssue()])),
    people: new Map(people.map(({ id }): [number, ExpectedPerson] => [id, newExpectedPerson()])),
  }
  const answers: Parameters<typeof countByStatus>[0][number][] = []
  const events: Record<string, number> = {}
  let count = 0

  const performOne = async (person: TestUser) => {
    const kind = pickKind(random)
    const issue = random.pick(issues)
    const { method, path, event } = kinds[kind]
    const url = `/api/v2/issues${kind === 'report' ? '' : `/${issue}${path}`}`
    const body = kind === 'report' ? createReport(++count) : { comment: `Scene, word ${++count}.` }
    const answer = await app.as.user(person).send(method, url, method === 'POST' ? { body } : {})
    answers.push(answer)
    const [expectedIssue, expectedPerson] = [due.issues.get(issue), due.people.get(person.id)]
    if (answer.status >= 300 || !expectedIssue || !expectedPerson) return
    // A second vote returns 201 but changes nothing.
    if (kind === 'vote' && expectedIssue.votes.has(person.id)) return
    events[event] = (events[event] ?? 0) + 1
    recordAction(kind, {
      expectedIssue,
      expectedPerson,
      issue,
      person: person.id,
      createdId: (answer.body as { id?: number } | undefined)?.id ?? 0,
    })
  }
  await Promise.all(
    people.map(async (person) => {
      for (let n = 0; n < actionsPerUser; n++) await performOne(person)
    }),
  )
  return { answers: countByStatus(answers), ...due, events }
}

const newExpectedIssue = (): ExpectedIssue => ({ votes: new Set(), follows: new Set(), comments: 0, moves: 0, acknowledged: false })
const newExpectedPerson = (): ExpectedPerson => ({ reports: 0, comments: 0, closed: [], votes: new Set(), follows: new Set() })

const createReport = (number: number) => ({
  ...{ lat: GREEN.lat, lng: GREEN.lng, address: '1437 Bannock St', request_type_id: 'other' },
  answers: { summary: `Scene damage ${number}` },
})

interface Action {
  readonly expectedIssue: ExpectedIssue
  readonly expectedPerson: ExpectedPerson
  readonly issue: number
  readonly person: number
  /** The id of a new issue, or 0. */
  readonly createdId: number
}

function recordAction(kind: Kind, { expectedIssue, expectedPerson, issue, person, createdId }: Action): void {
  switch (kind) {
    case 'report':
      expectedPerson.reports += 1
      expectedPerson.follows.add(createdId)
      return
    case 'vote':
      expectedIssue.votes.add(person)
      expectedPerson.votes.add(issue)
      return
    case 'unvote':
      expectedIssue.votes.delete(person)
      expectedPerson.votes.delete(issue)
      return
    case 'follow':
      expectedIssue.follows.add(person)
      expectedPerson.follows.add(issue)
      return
    case 'unfollow':
      expectedIssue.follows.delete(person)
      expectedPerson.follows.delete(issue)
      return
    case 'comment':
    case 'close':
    case 'open':
    case 'acknowledge':
      expectedIssue.comments += 1
      expectedPerson.comments += 1
      if (kind !== 'comment') expectedIssue.moves += 1
      if (kind === 'close') expectedPerson.closed.push(issue)
      if (kind === 'acknowledge') expectedIssue.acknowledged = true
  }
}
