import { describe, expect, it } from 'vitest'

import { sql } from '../../src/database/database.ts'
import { useApp } from '../helpers/use-app.ts'
import { createModerationScenario } from './scenario.ts'
import { queryRows } from '../helpers/query-rows.ts'

const app = useApp()
const { moderator, createPendingReport, createPendingComment, flagged, findOpenItem, items, approve, reject, events, points } =
  createModerationScenario(app)

const createComment = (id: number) => app.db.prisma.comment.findUnique({ where: { id } })
const listComments = async (issue: number) =>
  ((await app.as.anonymous.get(`/issues/${issue}/comments`)).body as { comments: { comment: string }[] }).comments.map(
    ({ comment }) => comment,
  )

describe('approving a comment', () => {
  it('publishes it dated now, with points, the change of the issue and the event of a new comment', async () => {
    const [ben, mia] = [await app.create.user(), await moderator()]
    const issue = await app.create.issue()
    const comment = await createPendingComment(ben, issue)
    const item = await findOpenItem('comment', comment)

    const answer = await approve(mia, item)

    expect(answer).toMatchObject({
      status: 200,
      body: {
        subject_type: 'comment',
        state: 'approved',
        original: { comment: 'You asshole' },
        subject: { id: comment, issue: { id: issue } },
      },
    })
    expect(await listComments(issue)).toEqual(['You asshole'])
    expect([await events(), await points(ben)]).toEqual([['comment.held', 'comment.added'], 5])
    const [row, changed] = [await createComment(comment), await app.db.prisma.issue.findUnique({ where: { id: issue } })]
    const decided = await app.db.prisma.moderationItem.findUnique({ where: { id: item } })
    expect([row?.created_at, row?.updated_at, changed?.updated_at]).toEqual(Array(3).fill(decided?.decided_at))
  })

  it('replaces the text by that of the moderator, and the author still gets the original', async () => {
    const [ben, mia] = [await app.create.user(), await moderator()]
    const issue = await app.create.issue()
    const item = await findOpenItem('comment', await createPendingComment(ben, issue))

    expect(await approve(mia, item, { summary: 'x' })).toMatchObject({
      status: 422,
      body: { summary: 'cannot be edited here: send only comment' },
    })
    await approve(mia, item, { comment: 'Still broken.' })

    expect(await listComments(issue)).toEqual(['Still broken.'])
    expect((await app.as.user(ben).get(`/moderation/${item}`)).body).toMatchObject({ original: { comment: 'You asshole' } })
  })

  it('makes the requested transition, as one event', async () => {
    const [ben, mia] = [await app.create.user(), await moderator()]
    const issue = await app.create.issue()
    const comment = await createPendingComment(ben, issue, { move: 'close' })
    expect((await app.as.anonymous.get(`/issues/${issue}`)).body).toMatchObject({ status: 'Open' })

    await approve(mia, await findOpenItem('comment', comment))

    expect((await app.as.anonymous.get(`/issues/${issue}`)).body).toMatchObject({ status: 'Closed', comment_count: 1 })
    const history = await queryRows(app.db, sql`SELECT s.actor_id, s.comment_id, s.from_status, s.to_status FROM status_changes s`)
    expect(history).toEqual([{ actor_id: ben.id, comment_id: comment, from_status: 'Open', to_status: 'Closed' }])
    expect(await events()).toEqual(['comment.held', 'issue.closed'])
  })

  it('publishes a plain comment if the status no longer allows the transition, and notifies the author', async () => {
    const [ben, mia] = [await app.create.user(), await moderator()]
    const issue = await app.create.issue()
    const comment = await createPendingComment(ben, issue, { move: 'close' })
    await app.as.user(await app.create.user()).send('POST', `/api/v2/issues/${issue}/close`, { body: { comment: 'Repaired.' } })

    expect((await approve(mia, await findOpenItem('comment', comment))).status).toBe(200)

    expect(await listComments(issue)).toEqual(['Repaired.', 'You asshole'])
    expect(await events()).toEqual(['comment.held', 'issue.closed', 'comment.added', 'comment.transition_refused'])
    expect(await queryRows(app.db, sql`SELECT s.comment_id FROM status_changes s`)).toEqual([{ comment_id: comment + 1 }])
  })

  it('checks the transition with the author’s current role', async () => {
    const organization = await app.create.organization()
    const [eve, mia] = [await app.create.user({ memberOf: [{ organization }] }), await moderator()]
    const issue = await app.create.issue()
    const comment = await createPendingComment(eve, issue, { move: 'acknowledge' })
    await app.db.execute(sql`DELETE FROM organization_members m WHERE m.user_id = ${eve.id} RETURNING m.user_id`)

    await approve(mia, await findOpenItem('comment', comment))

    expect((await app.as.anonymous.get(`/issues/${issue}`)).body).toMatchObject({ status: 'Open', comment_count: 1 })
    expect(await events()).toEqual(['comment.held', 'comment.added', 'comment.transition_refused'])
  })

  it('publishes a plain comment if the account was deleted', async () => {
    const [ben, mia] = [await app.create.user(), await moderator()]
    const issue = await app.create.issue()
    const comment = await createPendingComment(ben, issue, { move: 'close' })
    await app.db.execute(sql`UPDATE comments c SET commenter_id = NULL WHERE c.id = ${comment} RETURNING c.id`)

    expect((await approve(mia, await findOpenItem('comment', comment))).status).toBe(200)

    expect((await app.as.anonymous.get(`/issues/${issue}`)).body).toMatchObject({ status: 'Open', comment_count: 1 })
  })
})

describe('rejecting a comment', () => {
  it('hides the comment and its transition, and notifies the author', async () => {
    const [ben, mia] = [await app.create.user(), await moderator()]
    const issue = await app.create.issue()
    const before = (await app.as.anonymous.get(`/issues/${issue}`)).text
    const item = await findOpenItem('comment', await createPendingComment(ben, issue, { move: 'close' }))

    expect(await reject(mia, item, 'Be polite.')).toMatchObject({
      status: 200,
      body: { state: 'rejected', requested_move: 'close' },
    })

    expect((await app.as.anonymous.get(`/issues/${issue}`)).text).toBe(before)
    expect([await events(), await points(ben)]).toEqual([['comment.held', 'comment.rejected'], 0])
  })

  it('hides a flagged comment and reverses its points, but keeps its status change', async () => {
    const [ben, eve, mia] = [await app.create.user(), await app.create.user({ civic_points: 3 }), await moderator()]
    const issue = await app.create.issue()
    await app.as.user(ben).send('POST', `/api/v2/issues/${issue}/comments`, { body: { comment: 'Mine.' } })
    await app.as.user(eve).send('POST', `/api/v2/issues/${issue}/close`, { body: { comment: 'Done.' } })
    const imported = await app.create.comment({ on: issue, by: eve })

    for (const id of [1, 2, imported]) expect((await reject(mia, (await flagged('comment', id)) ?? 0)).status).toBe(200)

    expect([await listComments(issue), await points(ben), await points(eve)]).toEqual([[], 0, 3])
    expect((await app.as.anonymous.get(`/issues/${issue}`)).body).toMatchObject({ status: 'Closed', comment_count: 0 })
  })
})

describe('a pending comment on an issue that is not public', () => {
  it.each([
    ['held', 'The issue of this comment is pending review: decide on the issue first.'],
    ['rejected', 'The issue of this comment was rejected, so the comment cannot be public: you can only reject it, too.'],
  ] as const)('cannot be approved while the issue is %s, but can be rejected', async (state, base) => {
    const [ben, mia] = [await app.create.user(), await moderator()]
    const issue = await app.create.issue({ summary: 'Not for Ben' })
    const item = await findOpenItem('comment', await createPendingComment(ben, issue))
    await app.db.execute(sql`UPDATE issues i SET moderation_state = ${state} WHERE i.id = ${issue} RETURNING i.id`)

    expect(await approve(mia, item)).toMatchObject({ status: 422, body: { base } })

    expect(await items(mia)).toMatchObject([{ id: item, state: 'held', subject: { issue: { summary: 'Not for Ben' } } }])
    expect((await app.as.user(ben).get(`/moderation/${item}`)).body).toMatchObject({ subject: { issue: null } })
    expect((await reject(mia, item)).status).toBe(200)
  })

  it('can be approved after the issue', async () => {
    const [ada, ben, mia] = [await app.create.user(), await app.create.user(), await moderator()]
    const issue = await app.create.issue({ reporter: ada })
    const item = await findOpenItem('comment', await createPendingComment(ben, issue))
    await app.db.execute(sql`UPDATE issues i SET moderation_state = 'held' WHERE i.id = ${issue} RETURNING i.id`)
    await app.db.prisma.moderationItem.create({
      data: { subject_type: 'issue', subject_id: issue, reasons: ['words'], original: {} },
    })
    expect((await approve(mia, item)).status).toBe(422)

    await approve(mia, await findOpenItem('issue', issue))

    expect((await approve(mia, item)).status).toBe(200)
    expect(await listComments(issue)).toEqual(['You asshole'])
  })

  it('can only be rejected, by an Admin, if the issue was deleted, without a notification', async () => {
    const [ben, mia] = [await app.create.user(), await app.create.user({ role: 'Admin' })]
    const issue = await app.create.issue()
    const item = await findOpenItem('comment', await createPendingComment(ben, issue))
    await app.db.execute(sql`DELETE FROM issues i WHERE i.id = ${issue} RETURNING i.id`)

    expect(await items(mia)).toMatchObject([{ id: item, subject: null }])
    expect(await approve(mia, item)).toMatchObject({
      status: 422,
      body: { base: 'This content no longer exists: you can only reject it.' },
    })
    expect((await reject(mia, item)).status).toBe(200)
    expect(await createPendingReport(ben)).toBe(issue + 1)
    expect(await events()).toEqual(['comment.held', 'issue.held'])
  })
})
