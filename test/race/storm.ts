import { type Chance, weighted } from '../../prisma/seeds/chance.ts'
import { GREEN, type TestUser } from '../helpers/factories.ts'
import type { TestApp } from '../helpers/use-app.ts'
import { givenCrowd, tally } from './crowd.ts'

export interface Storm {
  readonly people: readonly TestUser[]
  readonly issues: readonly number[]
  /** One of the issues was reported without a name, by this person. */
  readonly unnamed: { readonly issue: number; readonly by: number }
}

export async function givenStorm(app: TestApp): Promise<Storm> {
  const people = [...(await givenCrowd(app, undefined, 16)), ...(await givenCrowd(app, 'employee', 4))]
  const [reporter] = people
  if (!reporter) throw new Error('nobody is there')
  const issues = [await app.create.issue({ at: GREEN, reporter, anonymous: true })]
  while (issues.length < 5) issues.push(await app.create.issue({ at: GREEN }))
  return { people, issues, unnamed: { issue: issues[0] ?? 0, by: reporter.id } }
}

/** What there must be of an issue. */
export interface IssueDue {
  /** Ids of people. */
  readonly votes: Set<number>
  readonly follows: Set<number>
  comments: number
  moves: number
  acknowledged: boolean
}

/** And what a person must have for what they did for everybody to see. */
export interface PersonDue {
  reports: number
  comments: number
  /** Ids of issues, as often as they were closed. */
  readonly closed: number[]
  /** Ids of issues. */
  readonly votes: Set<number>
  readonly follows: Set<number>
}

/** What there must be by the answers alone, kept outside of the service. */
export interface Blown {
  /** How often each status was answered; of 422 with the field. */
  readonly answers: Record<string, number>
  readonly issues: ReadonlyMap<number, IssueDue>
  readonly people: ReadonlyMap<number, PersonDue>
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
  open: { weight: 12, method: 'POST', path: '/open', event: 'issue.opened' },
  acknowledge: { weight: 6, method: 'POST', path: '/acknowledge', event: 'issue.acknowledged' },
} as const
type Kind = keyof typeof kinds
const kindOf = weighted(Object.keys(kinds) as Kind[], (kind) => kinds[kind].weight)

/** All people at the same time, each doing one thing after the other, so that of each it is known in which order they did theirs. */
export async function blow(app: TestApp, { people, issues }: Storm, chance: Chance, deedsOfEach: number): Promise<Blown> {
  const due = {
    issues: new Map(issues.map((id): [number, IssueDue] => [id, newIssueDue()])),
    people: new Map(people.map(({ id }): [number, PersonDue] => [id, newPersonDue()])),
  }
  const answers: Parameters<typeof tally>[0][number][] = []
  const events: Record<string, number> = {}
  let count = 0

  const oneDeed = async (person: TestUser) => {
    const kind = kindOf(chance)
    const issue = chance.among(issues)
    const { method, path, event } = kinds[kind]
    const url = `/api/v2/issues${kind === 'report' ? '' : `/${issue}${path}`}`
    const body = kind === 'report' ? reportOf(++count) : { comment: `Storm, word ${++count}.` }
    const answer = await app.as.user(person).send(method, url, method === 'POST' ? { body } : {})
    answers.push(answer)
    const [ofIssue, ofPerson] = [due.issues.get(issue), due.people.get(person.id)]
    if (answer.status >= 300 || !ofIssue || !ofPerson) return
    // A second vote is answered like the first and does nothing.
    if (kind === 'vote' && ofIssue.votes.has(person.id)) return
    events[event] = (events[event] ?? 0) + 1
    note(kind, { ofIssue, ofPerson, issue, person: person.id, made: (answer.body as { id?: number } | undefined)?.id ?? 0 })
  }
  await Promise.all(
    people.map(async (person) => {
      for (let n = 0; n < deedsOfEach; n++) await oneDeed(person)
    }),
  )
  return { answers: tally(answers), ...due, events }
}

const newIssueDue = (): IssueDue => ({ votes: new Set(), follows: new Set(), comments: 0, moves: 0, acknowledged: false })
const newPersonDue = (): PersonDue => ({ reports: 0, comments: 0, closed: [], votes: new Set(), follows: new Set() })

const reportOf = (number: number) => ({
  ...{ lat: GREEN.lat, lng: GREEN.lng, address: '1437 Bannock St', request_type_id: 'other' },
  answers: { summary: `Storm damage ${number}` },
})

interface Done {
  readonly ofIssue: IssueDue
  readonly ofPerson: PersonDue
  readonly issue: number
  readonly person: number
  /** The id of a new issue. */
  readonly made: number
}

function note(kind: Kind, { ofIssue, ofPerson, issue, person, made }: Done): void {
  switch (kind) {
    case 'report':
      ofPerson.reports += 1
      ofPerson.follows.add(made)
      return
    case 'vote':
      ofIssue.votes.add(person)
      ofPerson.votes.add(issue)
      return
    case 'unvote':
      ofIssue.votes.delete(person)
      ofPerson.votes.delete(issue)
      return
    case 'follow':
      ofIssue.follows.add(person)
      ofPerson.follows.add(issue)
      return
    case 'unfollow':
      ofIssue.follows.delete(person)
      ofPerson.follows.delete(issue)
      return
    case 'comment':
    case 'close':
    case 'open':
    case 'acknowledge':
      ofIssue.comments += 1
      ofPerson.comments += 1
      if (kind !== 'comment') ofIssue.moves += 1
      if (kind === 'close') ofPerson.closed.push(issue)
      if (kind === 'acknowledge') ofIssue.acknowledged = true
  }
}
