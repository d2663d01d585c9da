import { beforeEach, describe, expect, it } from 'vitest'

import { sql } from '../../src/database/database.ts'
import type { ExtendedIssue } from '../../src/issues/schema.ts'
import type { TestUser } from '../helpers/factories.ts'
import { queryRows } from '../helpers/query-rows.ts'
import { useApp } from '../helpers/use-app.ts'

const app = useApp()
let [type, original, duplicate] = [0, 0, 0]
let [ada, both, voter, reporter]: TestUser[] = []

beforeEach(async () => {
  const roads = await app.create.organization({ name: 'Roads' })
  type = await app.create.requestType({ organization: roads })
  ada = await app.create.user({ name: 'Ada Park', memberOf: [{ organization: roads }] })
  both = await app.create.user({ civic_points: 10 })
  voter = await app.create.user({ civic_points: 5 })
  reporter = await app.create.user()
  original = await app.create.issue({ request_type: type })
  duplicate = await app.create.issue({ request_type: type, reporter })
  await app.create.vote({ on: original, by: both })
  await app.create.vote({ on: duplicate, by: both })
  await app.create.vote({ on: duplicate, by: voter })
  await app.create.follow({ on: duplicate, by: reporter })
  await app.create.follow({ on: duplicate, by: both })
  await app.create.follow({ on: original, by: both })
})

const post = (path: string, body: object = {}, version = '*') =>
  app.as.user(ada as TestUser).send('POST', `/api/v2/issues/${path}`, { body, headers: { 'if-match': version } })
const merge = (id = duplicate, duplicate_of: unknown = original, version = '*') => post(`${id}/merge`, { duplicate_of }, version)
const unmerge = (id = duplicate) => post(`${id}/unmerge`)
const issue = (id: number) => app.db.prisma.issue.findUniqueOrThrow({ where: { id } })
const people = () =>
  queryRows(
    app.db,
    sql`
    SELECT i.id, i.vote_count, i.rating,
      (SELECT coalesce(json_agg(v.user_id ORDER BY v.user_id), '[]') FROM votes v WHERE v.issue_id = i.id) AS votes,
      (SELECT coalesce(json_agg(f.user_id ORDER BY f.user_id), '[]') FROM follows f WHERE f.issue_id = i.id) AS follows
    FROM issues i ORDER BY i.id`,
  )

describe('POST /issues/:id/merge', () => {
  it('closes the duplicate, links the other issue, and carries votes and followers, each user once', async () => {
    const answer = await merge(duplicate, original, '"1"')

    expect(answer).toMatchObject({ status: 200, body: { status: 'Closed', outcome: 'duplicate', version: 3 } })
    expect(await people()).toEqual([
      { id: original, vote_count: 2, rating: 3, votes: [both?.id, voter?.id], follows: [both?.id, reporter?.id] },
      { id: duplicate, vote_count: 1, rating: 2, votes: [both?.id], follows: [both?.id, reporter?.id] },
    ])
    expect((await app.as.anonymous.get(`/issues/${duplicate}`)).body).toMatchObject({
      outcome: 'duplicate',
      duplicate_of: original,
      comments: [{ comment: `This report is a duplicate of #${original}. Its votes and followers count there.` }],
    })
  })

  it.each([
    ['itself', () => duplicate],
    ['an unknown issue', () => 999_999],
    ['an archived one', () => app.create.issue({ status: 'Archived' })],
    ['one that is held', () => app.create.issue({ moderation_state: 'held' })],
  ])('refuses %s', async (_, other) => {
    const answer = await merge(duplicate, await other())

    expect([answer.status, Object.keys(answer.body as object)]).toEqual([422, ['duplicate_of']])
  })

  it('refuses chains, circles, a second merge and a closed issue', async () => {
    const third = await app.create.issue({ request_type: type })
    const closed = await app.create.issue({ request_type: type, status: 'Closed' })
    await merge()

    const answers = [await merge(third, duplicate), await merge(original, third), await merge(), await merge(closed)]

    expect(answers.map(({ status, body }) => [status, Object.keys(body as object)])).toEqual([
      [422, ['duplicate_of']],
      [422, ['base']],
      [422, ['base']],
      [422, ['base']],
    ])
  })

  it('merges one of two issues that are merged into each other at once', async () => {
    const answers = await Promise.all([merge(duplicate, original), merge(original, duplicate)])

    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 422])
  })
})

describe('POST /issues/:id/unmerge', () => {
  it.each(['Open', 'Acknowledged'] as const)('restores votes, followers, points and the status %s', async (status) => {
    await app.db.prisma.issue.update({ where: { id: duplicate }, data: { status } })
    const before = await people()
    await merge()

    const answer = await unmerge()

    expect([answer.status, await people()]).toEqual([200, before])
    expect(await issue(duplicate)).toMatchObject({ status, outcome: null })
    expect((await unmerge()).body).toEqual({ base: 'This issue is not merged with another one.' })
  })

  it('leaves what users have changed since: a withdrawn vote, a new follow and another status', async () => {
    await merge()
    await app.as.user(voter as TestUser).send('DELETE', `/api/v2/issues/${original}/vote`)
    await app.as.user(reporter as TestUser).send('DELETE', `/api/v2/issues/${original}/follow`)
    await app.as.user(reporter as TestUser).send('POST', `/api/v2/issues/${original}/follow`)
    await post(`${duplicate}/open`, { comment: 'Still there.' })

    await unmerge()

    expect(await people()).toEqual([
      { id: original, vote_count: 1, rating: 2, votes: [both?.id], follows: [both?.id, reporter?.id] },
      { id: duplicate, vote_count: 1, rating: 2, votes: [both?.id], follows: [both?.id, reporter?.id] },
    ])
    expect([
      (await issue(duplicate)).status,
      (await app.db.prisma.user.findUniqueOrThrow({ where: { id: voter?.id ?? 0 } })).civic_points,
    ]).toEqual(['Open', 0])
  })

  it('keeps one vote, and its points, of a user who voted for the duplicate again', async () => {
    await merge()
    await app.as.user(voter as TestUser).send('POST', `/api/v2/issues/${duplicate}/vote`)

    await unmerge()

    expect(await people()).toMatchObject([
      { vote_count: 1, votes: [both?.id] },
      { vote_count: 2, votes: [both?.id, voter?.id] },
    ])
    expect((await app.db.prisma.user.findUniqueOrThrow({ where: { id: voter?.id ?? 0 } })).civic_points).toBe(5)
  })

  it('loses no vote that is cast, withdrawn or carried at the same time', async () => {
    const voters = await Promise.all(Array.from({ length: 6 }, () => app.create.user()))
    const vote = (user: TestUser, id: number, method: 'POST' | 'DELETE') =>
      app.as.user(user).send(method, `/api/v2/issues/${id}/vote`)
    const statuses: number[] = []

    for (let round = 0; round < 5; round++) {
      const answers = await Promise.all([
        merge(),
        ...voters.flatMap((user) => [vote(user, duplicate, 'POST'), vote(user, original, 'POST'), vote(user, original, 'DELETE')]),
      ])
      statuses.push(...answers.map(({ status }) => status), (await unmerge()).status)
    }

    expect(statuses.filter((status) => ![200, 201, 204, 422].includes(status))).toEqual([])
    const rows = await people()
    expect(rows.map(({ vote_count }) => vote_count)).toEqual(rows.map(({ votes }) => (votes as number[]).length))
    expect(((await app.as.anonymous.get(`/issues/${original}`)).body as ExtendedIssue).rating).toBe(
      String(Number(rows[0]?.['vote_count']) + 1),
    )
  })
})
