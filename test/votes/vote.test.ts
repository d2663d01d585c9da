import { describe, expect, it } from 'vitest'

import { sql } from '../../src/database/database.ts'
import type { ExtendedIssue } from '../../src/issues/schema.ts'
import type { TestUser } from '../helpers/factories.ts'
import { backdateChanges } from '../helpers/backdate-changes.ts'
import { useApp } from '../helpers/use-app.ts'
import { queryRows } from '../helpers/query-rows.ts'

const app = useApp()

const vote = (person: TestUser, issue: number, more: object = {}) =>
  app.as.user(person).send('POST', `/api/v2/issues/${issue}/vote`, more)
const unvote = (person: TestUser, issue: number) => app.as.user(person).send('DELETE', `/api/v2/issues/${issue}/vote`)
const issueAs = async (person: TestUser, id: number) => (await app.as.user(person).get(`/issues/${id}`)).body as ExtendedIssue
const getUserCounts = async ({ id }: TestUser) => {
  const { civic_points, voted_issue_count } = (await app.as.anonymous.get(`/users/${id}`)).body as Record<string, number>
  return { civic_points, voted_issue_count }
}
const events = () =>
  queryRows(app.db, sql`SELECT e.type, e.subject_type, e.subject_id, e.actor_id, e.payload FROM events e ORDER BY e.id`)

describe('POST /issues/:id/vote', () => {
  it('returns 201 {vote: 1}, raises the rating, and records five points and an event', async () => {
    const [ada, bob] = [await app.create.user(), await app.create.user()]
    const issue = await app.create.issue({ reporter: bob, base_rating: 7 })

    const answer = await vote(ada, issue)

    expect(answer).toMatchObject({ status: 201, body: { vote: 1 } })
    expect(await issueAs(ada, issue)).toMatchObject({
      vote_count: 1,
      rating: '8',
      votes: [{ created_at: expect.any(String) as string }],
      current_user_relationship: { voted: true },
    })
    expect((await issueAs(bob, issue)).current_user_relationship).toMatchObject({ voted: false })
    expect(await getUserCounts(ada)).toEqual({ civic_points: 5, voted_issue_count: 1 })
    expect(await events()).toEqual([
      { type: 'issue.voted', subject_type: 'issue', subject_id: issue, actor_id: ada.id, payload: {} },
    ])
  })

  it('returns 201 for a second vote and changes nothing, not even the ETag', async () => {
    const [ada, bob] = [await app.create.user(), await app.create.user()]
    const issue = await app.create.issue()
    await vote(ada, issue)
    const snapshot = async () => {
      const { headers, text } = await app.as.user(bob).get(`/issues/${issue}`)
      return [headers['etag'], text, await getUserCounts(ada), await events()]
    }
    const before = await snapshot()

    const again = await vote(ada, issue)

    expect(again).toMatchObject({ status: 201, body: { vote: 1 } })
    expect(await snapshot()).toEqual(before)
  })

  it('keeps updated_at, but changes ETag and Last-Modified', async () => {
    const ada = await app.create.user()
    const issue = await app.create.issue()
    await backdateChanges(app.db)
    const before = await app.as.anonymous.get(`/issues/${issue}`)
    const { etag, 'last-modified': date } = before.headers

    await vote(ada, issue)

    const conditions = [{ 'if-none-match': String(etag) }, { 'if-modified-since': String(date) }]
    const after = await Promise.all(conditions.map((headers) => app.as.anonymous.get(`/issues/${issue}`, headers)))
    const { updated_at } = before.body as ExtendedIssue
    expect(after.map(({ status }) => status)).toEqual([200, 200])
    expect(after.map(({ body }) => (body as ExtendedIssue).updated_at)).toEqual([updated_at, updated_at])
  })

  it.each(['Open', 'Acknowledged', 'Closed', 'Archived'] as const)('counts for the status %s', async (status) => {
    const ada = await app.create.user()
    const issue = await app.create.issue({ status })

    const answers = [await vote(ada, issue), await unvote(ada, issue), await vote(ada, issue)]

    expect(answers.map((answer) => answer.status)).toEqual([201, 204, 201])
    expect(await issueAs(ada, issue)).toMatchObject({ status, vote_count: 1 })
  })

  it.each([
    ['named', false, { civic_points: 5, voted_issue_count: 1 }],
    ['anonymous', true, { civic_points: 0, voted_issue_count: 0 }],
  ])('counts for one’s own %s report, and for the reporter unless that reveals them', async (_, anonymous, numbers) => {
    const ada = await app.create.user()
    const issue = await app.create.issue({ reporter: ada, anonymous })
    const before = (await app.as.anonymous.get(`/users/${ada.id}`)).text

    await vote(ada, issue)
    const [counted, { vote_count }] = [await getUserCounts(ada), await issueAs(ada, issue)]
    await unvote(ada, issue)

    expect([counted, vote_count]).toEqual([numbers, 1])
    expect((await app.as.anonymous.get(`/users/${ada.id}`)).text).toBe(before)
  })

  it('accepts an empty body of any type, also chunked', async () => {
    const types = ['application/json', 'application/x-www-form-urlencoded', 'multipart/form-data', 'text/plain', 'x']
    const people = await Promise.all([undefined, ...types, 'chunks'].map(() => app.create.user()))
    const issue = await app.create.issue()
    const contentType = (type: string | undefined) => (type === undefined ? {} : { 'content-type': type })
    const kinds = [undefined, ...types].map((type) => ({ headers: { ...contentType(type), 'content-length': '0' } }))
    const chunked = { headers: { 'content-type': 'application/json', 'transfer-encoding': 'chunked' } }

    const answers = await Promise.all(
      [...kinds, chunked].map(async (more, n) => (await vote(people[n] as TestUser, issue, more)).status),
    )
    const taken = await Promise.all(
      [...kinds, chunked].map(async ({ headers }, n) => {
        const path = `/api/v2/issues/${issue}/vote`
        return (await app.as.user(people[n] as TestUser).send('DELETE', path, { headers })).status
      }),
    )

    expect(answers).toEqual(Array(7).fill(201))
    expect(taken).toEqual(Array(7).fill(204))
    expect(await issueAs(people[0] as TestUser, issue)).toMatchObject({ vote_count: 0 })
  })

  it('ignores a valid body and rejects an invalid one', async () => {
    const ada = await app.create.user()
    const issue = await app.create.issue()
    const form = new FormData()
    form.append('vote', '5')

    const answers = [
      await vote(ada, issue, { body: { vote: 5 } }),
      await vote(ada, issue, { body: form }),
      await vote(ada, issue, { body: 'vote=5', headers: { 'content-type': 'application/x-www-form-urlencoded' } }),
      await vote(ada, issue, { body: '{', headers: { 'content-type': 'application/json' } }),
      await vote(ada, issue, { body: 'vote', headers: { 'content-type': 'text/plain' } }),
    ]

    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 400, 415])
    expect(await issueAs(ada, issue)).toMatchObject({ vote_count: 1 })
  })

  it('replays the response for an Idempotency-Key, even if the vote was withdrawn since', async () => {
    const ada = await app.create.user()
    const issue = await app.create.issue()
    const headers = { 'idempotency-key': 'my-vote' }

    const first = await vote(ada, issue, { headers })
    await unvote(ada, issue)
    const again = await vote(ada, issue, { headers })

    expect([again.status, again.text, again.headers['idempotency-replayed']]).toEqual([201, first.text, 'true'])
    expect(await issueAs(ada, issue)).toMatchObject({ vote_count: 0 })
  })
})

describe('DELETE /issues/:id/vote', () => {
  it('returns 204 without content and reverses count and points', async () => {
    const [ada, bob] = [await app.create.user(), await app.create.user()]
    const issue = await app.create.issue()
    await vote(ada, issue)
    await vote(bob, issue)

    const answer = await unvote(ada, issue)

    expect([answer.status, answer.text]).toEqual([204, ''])
    expect(await issueAs(ada, issue)).toMatchObject({
      vote_count: 1,
      rating: '2',
      current_user_relationship: { voted: false },
    })
    expect(await getUserCounts(ada)).toEqual({ civic_points: 0, voted_issue_count: 0 })
    expect(await getUserCounts(bob)).toEqual({ civic_points: 5, voted_issue_count: 1 })
    expect(await events()).toMatchObject([{ actor_id: ada.id }, { actor_id: bob.id }, { type: 'issue.unvoted', actor_id: ada.id }])
  })

  it('returns 422 {base} without a vote and the second time', async () => {
    const [ada, bob] = [await app.create.user({ civic_points: 30 }), await app.create.user()]
    const issue = await app.create.issue()
    await app.create.vote({ on: issue, by: bob })
    const refused = { status: 422, body: { base: 'You have not voted for this issue.' } }

    expect(await unvote(ada, issue)).toMatchObject(refused)
    expect([(await unvote(bob, issue)).status, await unvote(bob, issue)]).toMatchObject([204, refused])
    expect(await getUserCounts(ada)).toEqual({ civic_points: 30, voted_issue_count: 0 })
  })
})

describe('a vote for an issue that is not public', () => {
  it.each(['held', 'rejected'] as const)(
    'returns 404, but 422 {base} to its reporter and moderators: %s',
    async (moderation_state) => {
      const [ada, bob] = [await app.create.user(), await app.create.user()]
      const organization = await app.create.organization()
      const moderator = await app.create.user({ memberOf: [{ organization, role: 'moderator' }] })
      const issue = await app.create.issue({ reporter: ada, moderation_state })

      const answers = await Promise.all([bob, ada, moderator].flatMap((person) => [vote(person, issue), unvote(person, issue)]))

      expect(answers.map(({ status }) => status)).toEqual([404, 404, 422, 422, 422, 422])
      expect(Object.keys(answers[2]?.body as object)).toEqual(['base'])
      expect([await queryRows(app.db, sql`SELECT v.user_id FROM votes v`), await events()]).toEqual([[], []])
    },
  )
})
