import { describe, expect, it } from 'vitest'

import { sql } from '../../src/database/database.ts'
import type { ExtendedIssue } from '../../src/issues/schema.ts'
import { engine } from '../helpers/database.ts'
import { GREEN } from '../helpers/factories.ts'
import { parseIssueList } from '../helpers/issue-list.ts'
import { type TestApp, useApp } from '../helpers/use-app.ts'
import { withoutTriggers } from '../helpers/without-triggers.ts'
import { avatar, createDetailedIssue, anonymousUser, expectedDetails } from './detailed-issue.ts'

describe('details of issues', () => {
  const app = useApp()

  it('are part of GET /issues/:id, with and without details=true', async () => {
    const story = await createDetailedIssue(app)

    const { status, body } = await app.as.anonymous.get(`/issues/${story.issue}`)
    const listed = await app.as.anonymous.get(`/issues/${story.issue}?details=true`)

    expect(status).toBe(200)
    expect(body).toEqual(expectedDetails(story))
    expect(listed.body).toEqual(body)
  })

  it('are part of a list only with details=true', async () => {
    const story = await createDetailedIssue(app)

    const detailed = parseIssueList<ExtendedIssue>(await app.as.anonymous.get('/issues?details=true'))
    const plain = parseIssueList(await app.as.anonymous.get('/issues?details=false'))

    expect(detailed.issues).toEqual([expectedDetails(story)])
    const { assignee, comments, comments_truncated, comment_count, comments_count, ...rest } = expectedDetails(story)
    const { current_user_relationship, questions, integrations, vote_count, votes, votes_truncated, ...others } = rest
    const { passed_on_to, duplicate_of, duplicate_of_url, confirmations, previous_issue, ...issue } = others
    expect(plain.issues).toEqual([issue])
    expect([assignee, comments, comment_count, comments_count, current_user_relationship]).not.toContain(undefined)
    expect([questions, integrations, vote_count, votes, comments_truncated, votes_truncated]).not.toContain(undefined)
    expect([passed_on_to, duplicate_of, duplicate_of_url, confirmations, previous_issue]).not.toContain(undefined)
  })

  it('contain all comments and votes of a single issue, and the newest hundred in a list, marked as truncated', async () => {
    const id = await app.create.issue()
    const quiet = await app.create.issue()
    await app.create.comment({ on: quiet, comment: 'Alone' })
    await app.create.comment({ on: id, comment: 'Held', created_at: '2027-01-01T00:00:00Z', moderation_state: 'held' })
    await createCrowd(app, { on: id, size: 150 })

    const alone = (await app.as.anonymous.get(`/issues/${id}`)).body as ExtendedIssue
    const listed = parseIssueList<ExtendedIssue>(await app.as.anonymous.get('/issues?details=true')).issues

    const counts = { comment_count: 150, comments_count: 150, vote_count: 150 }
    expect(alone).toMatchObject({ ...counts, comments_truncated: false, votes_truncated: false })
    expect(alone.comments.map(({ comment }) => comment)).toEqual(Array.from({ length: 150 }, (_, n) => `No. ${n + 1}`))
    expect([alone.votes.length, alone.votes[0], alone.votes[149]]).toEqual([
      150,
      { created_at: '2026-02-01T00:01:00Z' },
      { created_at: '2026-02-01T02:30:00Z' },
    ])
    expect(listed.find((issue) => issue.id === id)).toEqual({
      ...alone,
      comments: alone.comments.slice(50),
      comments_truncated: true,
      votes: alone.votes.slice(50),
      votes_truncated: true,
    })
    expect(listed.find((issue) => issue.id === quiet)).toMatchObject({
      comments: [{ comment: 'Alone' }],
      comments_truncated: false,
      votes: [],
      votes_truncated: false,
    })
  })

  it('contain the newest ten thousand comments and votes of a single issue, marked as truncated', async () => {
    const id = await app.create.issue()
    await createCrowd(app, { on: id, size: 10_001 })

    const issue = (await app.as.anonymous.get(`/issues/${id}`)).body as ExtendedIssue

    const { comments, votes, ...rest } = issue
    expect(rest).toMatchObject({ comment_count: 10_001, vote_count: 10_001, comments_truncated: true, votes_truncated: true })
    expect([comments.length, comments[0]?.comment, comments.at(-1)?.comment]).toEqual([10_000, 'No. 2', 'No. 10001'])
    expect([votes.length, votes[0]]).toEqual([10_000, { created_at: '2026-02-01T00:02:00Z' }])
  })

  it.runIf(engine === 'server')('contain at most the newest sixteen megabytes of comments', async () => {
    const id = await app.create.issue()
    await app.db.execute(sql`
      INSERT INTO comments (issue_id, comment, created_at)
      SELECT ${id}::integer, repeat('é', 5000) || lpad(n::text, 6, '0'), timestamptz '2026-02-01' + n * interval '1 minute'
      FROM generate_series(1, 1700) n`)

    const { comments, ...rest } = (await app.as.anonymous.get(`/issues/${id}`)).body as ExtendedIssue

    expect(rest).toMatchObject({ comment_count: 1700, comments_truncated: true })
    expect([comments.length, comments.at(-1)?.comment.slice(-6)]).toEqual([1599, '001700'])
  })

  it('contain empty fields as null and empty lists', async () => {
    const id = await app.create.issue({ id: 36, summary: 'Bare', at: GREEN })
    const url = `http://fixpoint.test/api/v2/issues/${id}`

    const { body } = await app.as.anonymous.get(`/issues/${id}`)

    expect(body).toEqual({
      id,
      status: 'Open',
      summary: 'Bare',
      description: null,
      rating: '1',
      lat: GREEN.lat,
      lng: GREEN.lng,
      point: { type: 'Point', coordinates: [GREEN.lng, GREEN.lat] },
      address: null,
      created_at: '2026-01-01T00:00:00Z',
      updated_at: '2026-01-01T00:00:00Z',
      changed_at: expect.any(String) as string,
      acknowledged_at: null,
      closed_at: null,
      reopened_at: null,
      outcome: null,
      reporter: anonymousUser,
      request_type: {},
      shortened_url: 'http://fixpoint.test/i/10',
      url,
      comments_url: `${url}/comments`,
      comment_url: `${url}/comments`,
      flag_url: `${url}/flag`,
      html_url: `http://fixpoint.test/issues/${id}`,
      transitions: {},
      actions: [],
      private_visibility: false,
      media: {
        video_url: null,
        image_full: null,
        image_square_100x100: null,
        representative_image_url: 'http://fixpoint.test/files/icons/other.svg',
        images: [],
      },
      assignee: null,
      comments: [],
      comments_truncated: false,
      comment_count: 0,
      comments_count: 0,
      current_user_relationship: { assignee: false, following: false, reporter: false, voted: false },
      questions: [],
      integrations: { remote_id: null, title: null, status: null },
      passed_on_to: null,
      duplicate_of: null,
      duplicate_of_url: null,
      confirmations: { fixed: 0, not_fixed: 0 },
      previous_issue: null,
      vote_count: 0,
      votes: [],
      votes_truncated: false,
    })
  })

  it('use the full picture until the smaller sizes exist', async () => {
    const issue = await app.create.issue()
    const image = { issue_id: issue, content_type: 'image/jpeg', bytes: 1, width: 1, height: 1 }
    const comment = await app.create.comment({ on: issue })
    await app.db.prisma.medium.create({ data: { ...image, comment_id: comment, full_key: 'of-the-comment.jpg' } })
    const { id } = await app.db.prisma.medium.create({ data: { ...image, full_key: 'a/full.jpg' } })
    const files = 'http://fixpoint.test/files'
    const media = async () => ((await app.as.anonymous.get(`/issues/${issue}`)).body as ExtendedIssue).media

    expect(await media()).toEqual({
      video_url: null,
      image_full: `${files}/a/full.jpg`,
      image_square_100x100: `${files}/a/full.jpg`,
      representative_image_url: `${files}/a/full.jpg`,
      images: [`${files}/a/full.jpg`],
    })
    await app.db.prisma.medium.update({ where: { id }, data: { square_key: 'a/square.jpg', representative_key: 'a/card.jpg' } })
    expect(await media()).toEqual({
      video_url: null,
      image_full: `${files}/a/full.jpg`,
      image_square_100x100: `${files}/a/square.jpg`,
      representative_image_url: `${files}/a/card.jpg`,
      images: [`${files}/a/full.jpg`],
    })
  })

  it('leave out comments that are pending review or rejected', async () => {
    const issue = await app.create.issue()
    await app.create.comment({ on: issue, comment: 'Seen', created_at: '2026-01-03T00:00:00Z' })
    await app.create.comment({ on: issue, comment: 'Seen before', created_at: '2026-01-02T00:00:00Z' })
    await app.create.comment({ on: issue, comment: 'Held', moderation_state: 'held' })
    await app.create.comment({ on: issue, comment: 'Rejected', moderation_state: 'rejected' })

    const { comments, comment_count, comments_count } = (await app.as.anonymous.get(`/issues/${issue}`)).body as ExtendedIssue

    expect(comments.map(({ comment }) => comment)).toEqual(['Seen before', 'Seen'])
    expect([comment_count, comments_count]).toEqual([2, 2])
  })

  it('belong to the right issue in a list', async () => {
    const ada = await app.create.user({ name: 'Ada Park' })
    const one = await app.create.issue({ created_at: '2026-01-02T00:00:00Z', assignee: ada })
    const other = await app.create.issue({ created_at: '2026-01-01T00:00:00Z' })
    await app.create.comment({ on: one, comment: 'On one' })
    await app.create.comment({ on: other, comment: 'On the other' })
    await app.create.vote({ on: other, by: ada })

    const { issues } = parseIssueList<ExtendedIssue>(await app.as.anonymous.get('/issues?details=true'))

    expect(issues.map(({ id, comments, vote_count, assignee }) => [id, comments[0]?.comment, vote_count, assignee])).toEqual([
      [
        one,
        'On one',
        0,
        {
          ...anonymousUser,
          html_url: `http://fixpoint.test/users/${ada.id}`,
          id: ada.id,
          name: 'Ada Park',
          role: 'Registered User',
          avatar,
        },
      ],
      [other, 'On the other', 1, null],
    ])
  })
})

async function createCrowd(app: TestApp, { on, size }: { readonly on: number; readonly size: number }): Promise<void> {
  const crowd = `generate_series(1, ${size}) n`
  const at = `timestamptz '2026-02-01' + n * interval '1 minute'`
  await withoutTriggers(
    app.db,
    `INSERT INTO users (id, name) SELECT 1000 + n, 'Resident ' || n FROM ${crowd};
     INSERT INTO comments (issue_id, commenter_id, comment, created_at) SELECT ${on}, 1000 + n, 'No. ' || n, ${at} FROM ${crowd};
     INSERT INTO votes (issue_id, user_id, created_at) SELECT ${on}, 1000 + n, ${at} FROM ${crowd};
     UPDATE issues SET vote_count = ${size} WHERE id = ${on}`,
  )
}
