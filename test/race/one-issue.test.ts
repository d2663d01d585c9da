import { afterEach, beforeEach, describe, expect, it } from 'vitest'

import { stopTimers } from '../helpers/stopped-timers.ts'
import { useApp } from '../helpers/use-app.ts'
import { sendConcurrently, readCounts, USERS, deadlocks, createUsers, countByStatus } from './concurrent-users.ts'

describe('concurrent requests for one issue', () => {
  const app = useApp()
  stopTimers()
  const comment = (n: number) => ({ comment: `Comment number ${n}.` })
  let before: number
  beforeEach(async () => {
    before = await deadlocks(app)
  })
  afterEach(async () => expect(await deadlocks(app), 'deadlocks').toBe(before))

  it.each([
    { move: 'close', from: 'Open', history: 'Open to Closed', type: 'issue.closed', role: undefined },
    { move: 'close', from: 'Acknowledged', history: 'Acknowledged to Closed', type: 'issue.closed', role: 'employee' },
    { move: 'open', from: 'Closed', history: 'Closed to Open', type: 'issue.reopened', role: undefined },
    { move: 'acknowledge', from: 'Open', history: 'Open to Acknowledged', type: 'issue.acknowledged', role: 'employee' },
  ] as const)('$move an issue with the status $from once', async ({ move, from, history, type, role }) => {
    const people = await createUsers(app, role)
    const issue = await app.create.issue({ status: from, acknowledged_at: from === 'Acknowledged' ? '2026-01-02T00:00:00Z' : null })

    const answers = await sendConcurrently(app, people, `/issues/${issue}/${move}`, comment)

    expect(countByStatus(answers)).toEqual({ '201': 1, '422 base': USERS - 1 })
    const rating = history.includes('Acknowledged') ? 2 : 1
    expect(await readCounts(app, issue)).toEqual({
      ...{ status: history.split(' ').at(-1), vote_count: 0, votes: 0, follows: 0, rating },
      ...{ comments: 1, points: 5, history: [history], events: { [type]: 1 } },
    })
  })

  it('count every vote', async () => {
    const people = await createUsers(app)
    const issue = await app.create.issue()

    const answers = await sendConcurrently(app, people, `/issues/${issue}/vote`)

    expect(countByStatus(answers)).toEqual({ '201': USERS })
    expect(await readCounts(app, issue)).toEqual({
      ...{ status: 'Open', vote_count: USERS, votes: USERS, follows: 0, rating: 1 + USERS },
      ...{ comments: 0, points: 5 * USERS, history: null, events: { 'issue.voted': USERS } },
    })
  })

  it('add every follower', async () => {
    const people = await createUsers(app)
    const issue = await app.create.issue()

    const answers = await sendConcurrently(app, people, `/issues/${issue}/follow`)

    expect(countByStatus(answers)).toEqual({ '201': USERS })
    expect(await readCounts(app, issue)).toMatchObject({ follows: USERS, points: 0, events: { 'issue.followed': USERS } })
  })

  it('count one vote and reject all but the first follow, if one user sends them', async () => {
    const [ada] = await createUsers(app, undefined, 1)
    const issue = await app.create.issue()
    const times = USERS / 2
    const same = Array.from({ length: times }, () => ada).filter((person) => person !== undefined)

    const [votes, follows] = await Promise.all([
      sendConcurrently(app, same, `/issues/${issue}/vote`),
      sendConcurrently(app, same, `/issues/${issue}/follow`),
    ])

    expect(countByStatus(votes)).toEqual({ '201': times })
    expect(countByStatus(follows)).toEqual({ '201': 1, '422 base': times - 1 })
    expect(await readCounts(app, issue)).toMatchObject({
      ...{ vote_count: 1, votes: 1, rating: 2, follows: 1, points: 5, events: { 'issue.voted': 1, 'issue.followed': 1 } },
    })
  })

  it('apply each accepted action once, with actions of all kinds', async () => {
    const employees = await createUsers(app, 'employee')
    const issue = await app.create.issue()
    const paths = ['close', 'acknowledge', 'open', 'comments', 'vote', 'follow']

    const answers = await Promise.all(
      employees.map((person, n) => {
        const path = `/issues/${issue}/${paths[n % paths.length]}`
        return app.as.user(person).send('POST', `/api/v2${path}`, { body: comment(n) })
      }),
    )

    const sent = paths.map((_, p) => answers.filter((_, n) => n % paths.length === p).length)
    const accepted = paths.map((_, p) => answers.filter(({ status }, n) => n % paths.length === p && status === 201).length)
    const [close = 0, acknowledge = 0, open = 0, comments = 0, votes = 0, follows = 0] = accepted
    expect(Object.keys(countByStatus(answers)).toSorted()).toEqual(['201', '422 base'])
    expect([comments, votes, follows]).toEqual(sent.slice(3))
    const counts = await readCounts(app, issue)
    expect(counts).toMatchObject({
      ...{
        vote_count: votes,
        votes,
        follows,
        comments: comments + close + acknowledge + open,
        rating: 1 + votes + Number(acknowledge > 0),
      },
      points: 5 * (comments + close + acknowledge + open + votes),
    })
    const history = counts?.['history'] as string[]
    expect(history).toHaveLength(close + acknowledge + open)
    // Each status change begins with the status at which the previous one ended; the last one is the current status.
    expect(history.map((step) => step.split(' to ')[0])).toEqual([
      'Open',
      ...history.slice(0, -1).map((step) => step.split(' to ')[1]),
    ])
    expect(counts?.['status']).toBe(history.at(-1)?.split(' to ')[1])
  })
})
