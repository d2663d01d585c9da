import { describe, expect, it } from 'vitest'

import { sql } from '../../src/database/database.ts'
import type { ExtendedIssue } from '../../src/issues/schema.ts'
import type { TestUser } from '../helpers/factories.ts'
import { createMailbox, createNotifier } from '../notifications/notifier.ts'
import { muteIssue, unmuteIssue } from '../../src/notifications/unsubscribe-queries.ts'
import { useApp } from '../helpers/use-app.ts'
import { queryRows } from '../helpers/query-rows.ts'

const app = useApp()

const follow = (person: TestUser, issue: number, more: object = {}) =>
  app.as.user(person).send('POST', `/api/v2/issues/${issue}/follow`, more)
const unfollow = (person: TestUser, issue: number) => app.as.user(person).send('DELETE', `/api/v2/issues/${issue}/follow`)
const follows = async (person: TestUser, issue: number) =>
  ((await app.as.user(person).get(`/issues/${issue}`)).body as ExtendedIssue).current_user_relationship.following
const followed = async ({ id }: TestUser) =>
  ((await app.as.anonymous.get(`/users/${id}`)).body as { following_issue_count: number }).following_issue_count
const events = () => queryRows(app.db, sql`SELECT e.type, e.subject_id, e.actor_id, e.payload FROM events e ORDER BY e.id`)
const FOLLOWED = { status: 422, body: { base: 'You already follow this issue.' } }
const NOT_FOLLOWED = { status: 422, body: { base: 'You do not follow this issue.' } }

describe('POST /issues/:id/follow', () => {
  it('returns 201 {follow: 1}, shows the follow to the follower and in their count, and records an event', async () => {
    const [ada, bob] = [await app.create.user(), await app.create.user()]
    const issue = await app.create.issue()

    const answer = await follow(ada, issue)

    expect(answer).toMatchObject({ status: 201, body: { follow: 1 } })
    expect([await follows(ada, issue), await follows(bob, issue)]).toEqual([true, false])
    expect([await followed(ada), await followed(bob)]).toEqual([1, 0])
    expect(await events()).toEqual([{ type: 'issue.followed', subject_id: issue, actor_id: ada.id, payload: {} }])
  })

  it('ends the mute of the issue, so that all mails about it are sent and undo has nothing left to restore', async () => {
    const ada = await app.create.user()
    const input = { user_id: ada.id, issue_id: await app.create.issue() }
    await app.create.follow({ on: input.issue_id, by: ada })
    await app.db.execute(sql`UPDATE issues SET assignee_id = ${ada.id} WHERE id = ${input.issue_id}`)
    await app.db.transaction((tx) => muteIssue(tx, input))
    const { mailer, addresses } = createMailbox()
    const { writeMails, send } = createNotifier(app.db, mailer)

    await follow(ada, input.issue_id)
    await writeMails({ type: 'issue.assigned', subject_id: input.issue_id, actor_id: null, payload: { assignee_id: ada.id } })
    await send()
    await unfollow(ada, input.issue_id)
    await app.db.transaction((tx) => unmuteIssue(tx, input, new Date()))

    expect(addresses()).toEqual([ada.email])
    expect(await follows(ada, input.issue_id)).toBe(false)
  })

  it('returns 422 {base} for a second follow and changes nothing', async () => {
    const ada = await app.create.user()
    const issue = await app.create.issue()
    await follow(ada, issue)
    const before = (await app.as.user(ada).get(`/issues/${issue}`)).text

    const again = await follow(ada, issue)

    expect(again).toMatchObject(FOLLOWED)
    expect((await app.as.user(ada).get(`/issues/${issue}`)).text).toBe(before)
    expect(await events()).toHaveLength(1)
  })

  it('gives no points and changes no response for others', async () => {
    const ada = await app.create.user()
    const issue = await app.create.issue()
    const before = (await app.as.anonymous.get(`/issues/${issue}`)).text

    await follow(ada, issue)

    expect((await app.as.anonymous.get(`/issues/${issue}`)).text).toBe(before)
    expect((await app.as.anonymous.get(`/users/${ada.id}`)).body).toMatchObject({ civic_points: 0 })
  })

  it('is not counted publicly for one’s own anonymous report', async () => {
    const ada = await app.create.user()
    const issue = await app.create.issue({ reporter: ada, anonymous: true })
    const before = (await app.as.anonymous.get(`/users/${ada.id}`)).text

    await follow(ada, issue)

    expect((await app.as.anonymous.get(`/users/${ada.id}`)).text).toBe(before)
  })

  it.each(['Open', 'Acknowledged', 'Closed', 'Archived'] as const)('works for the status %s', async (status) => {
    const ada = await app.create.user()
    const issue = await app.create.issue({ status })

    const answers = [await follow(ada, issue), await unfollow(ada, issue), await follow(ada, issue)]

    expect(answers.map((answer) => answer.status)).toEqual([201, 204, 201])
    expect(await follows(ada, issue)).toBe(true)
  })

  it('accepts an empty body of any type', async () => {
    const ada = await app.create.user()
    const types = ['application/json', 'application/x-www-form-urlencoded', 'multipart/form-data', 'text/plain']
    const issues = await Promise.all(types.map(() => app.create.issue()))

    const answers = await Promise.all(
      types.map((type, n) => follow(ada, issues[n] ?? 0, { headers: { 'content-type': type, 'content-length': '0' } })),
    )

    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201, 201])
  })

  it('returns the same 201 for an Idempotency-Key, even if the process died before it responded', async () => {
    const ada = await app.create.user()
    const issue = await app.create.issue()
    const headers = { 'idempotency-key': 'my-follow' }

    const first = await follow(ada, issue, { headers })
    const again = await follow(ada, issue, { headers })
    await app.db.execute(sql`
      UPDATE idempotency_keys SET status = NULL, headers = NULL, body = NULL, leased_until = now() - interval '1 second'`)
    const third = await follow(ada, issue, { headers })

    expect([first.status, again.status, third.status]).toEqual([201, 201, 201])
    expect([again.headers['idempotency-replayed'], again.text, third.text]).toEqual(['true', first.text, first.text])
    expect(await events()).toHaveLength(1)
  })
})

describe('DELETE /issues/:id/follow', () => {
  it('returns 204 without content, and 422 {base} the second time', async () => {
    const ada = await app.create.user()
    const issue = await app.create.issue()
    await follow(ada, issue)

    const first = await unfollow(ada, issue)

    expect([first.status, first.text]).toEqual([204, ''])
    expect(await unfollow(ada, issue)).toMatchObject(NOT_FOLLOWED)
    expect([await follows(ada, issue), await followed(ada)]).toEqual([false, 0])
    expect(await events()).toMatchObject([{}, { type: 'issue.unfollowed', subject_id: issue, actor_id: ada.id }])
  })

  it('returns 422 {base} if only another user follows', async () => {
    const [ada, bob] = [await app.create.user(), await app.create.user()]
    const issue = await app.create.issue()
    await app.create.follow({ on: issue, by: bob })

    expect(await unfollow(ada, issue)).toMatchObject(NOT_FOLLOWED)
    expect(await follows(bob, issue)).toBe(true)
  })

  it('lets a reporter unfollow their own report', async () => {
    const ada = await app.create.user()
    const issue = await app.create.issue({ reporter: ada })
    await app.create.follow({ on: issue, by: ada })

    expect((await unfollow(ada, issue)).status).toBe(204)
    expect(await follows(ada, issue)).toBe(false)
  })
})

describe('following an issue that is not public', () => {
  it.each(['held', 'rejected'] as const)(
    'returns 404, but 422 {base} to its reporter and moderators: %s',
    async (moderation_state) => {
      const [ada, bob] = [await app.create.user(), await app.create.user()]
      const moderator = await app.create.user({ role: 'Admin' })
      const issue = await app.create.issue({ reporter: ada, moderation_state })

      const answers = await Promise.all([bob, ada, moderator].flatMap((person) => [follow(person, issue), unfollow(person, issue)]))

      expect(answers.map(({ status }) => status)).toEqual([404, 404, 422, 422, 422, 422])
      expect(await queryRows(app.db, sql`SELECT f.user_id FROM follows f`)).toEqual([])
    },
  )
})
