import { describe, expect, test } from 'vitest'

import { sql } from '../../src/database/database.ts'
import type { ExtendedIssue } from '../../src/issues/schema.ts'
import { GREEN } from '../helpers/given.ts'
import { listIn } from '../helpers/issue-list.ts'
import { useApp } from '../helpers/use-app.ts'
import { avatar, givenStory, nobodyKnown, wholeStory } from './story.ts'

describe('an issue with its details', () => {
  const it = useApp()

  test('is the whole answer of GET /issues/:id, with details=true or without', async () => {
    const story = await givenStory(it)

    const { status, body } = await it.as.nobody.get(`/issues/${story.issue}`)
    const asked = await it.as.nobody.get(`/issues/${story.issue}?details=true`)

    expect(status).toBe(200)
    expect(body).toEqual(wholeStory(story))
    expect(asked.body).toEqual(body)
  })

  test('stands in a list with details=true, and without them in any other', async () => {
    const story = await givenStory(it)

    const detailed = listIn<ExtendedIssue>(await it.as.nobody.get('/issues?details=true'))
    const plain = listIn(await it.as.nobody.get('/issues?details=false'))

    expect(detailed.issues).toEqual([wholeStory(story)])
    const { assignee, comments, comment_count, comments_count, ...rest } = wholeStory(story)
    const { current_user_relationship, questions, integrations, vote_count, votes, ...issue } = rest
    expect(plain.issues).toEqual([issue])
    expect([assignee, comments, comment_count, comments_count, current_user_relationship]).not.toContain(undefined)
    expect([questions, integrations, vote_count, votes]).not.toContain(undefined)
  })

  test('has the newest hundred comments and votes, and the true numbers beside them, alone and in a list', async () => {
    const id = await it.given.issue()
    const quiet = await it.given.issue()
    await it.given.comment({ on: quiet, comment: 'Alone' })
    await it.given.comment({ on: id, comment: 'Held', created_at: '2027-01-01T00:00:00Z', moderation_state: 'held' })
    await it.db.query(sql`
      INSERT INTO comments (issue_id, comment, created_at)
      SELECT ${id}, 'No. ' || n, timestamptz '2026-02-01' + n * interval '1 hour' FROM generate_series(1, 150) n`)
    await it.db.query(sql`INSERT INTO users (id, name) SELECT 1000 + n, 'Resident ' || n FROM generate_series(1, 150) n`)
    await it.db.query(sql`
      INSERT INTO votes (issue_id, user_id, created_at)
      SELECT ${id}, 1000 + n, timestamptz '2026-02-01' + n * interval '1 hour' FROM generate_series(1, 150) n`)
    await it.db.query(sql`UPDATE issues SET vote_count = 150 WHERE id = ${id}`)

    const alone = (await it.as.nobody.get(`/issues/${id}`)).body as ExtendedIssue
    const listed = listIn<ExtendedIssue>(await it.as.nobody.get('/issues?details=true')).issues

    const { comments, comment_count, comments_count, votes, vote_count } = alone
    expect(comments.map(({ comment }) => comment)).toEqual(Array.from({ length: 100 }, (_, n) => `No. ${n + 51}`))
    expect([votes.length, votes[0], votes[99]]).toEqual([
      100,
      { created_at: '2026-02-03T03:00:00Z' },
      { created_at: '2026-02-07T06:00:00Z' },
    ])
    expect([comment_count, comments_count, vote_count]).toEqual([150, 150, 150])
    expect(listed.find((issue) => issue.id === id)).toEqual(alone)
    expect(listed.find((issue) => issue.id === quiet)?.comments.map(({ comment }) => comment)).toEqual(['Alone'])
  })

  test('has blank fields as null and empty lists, never left out', async () => {
    const id = await it.given.issue({ id: 36, summary: 'Bare', at: GREEN })
    const url = `http://fixpoint.test/api/v2/issues/${id}`

    const { body } = await it.as.nobody.get(`/issues/${id}`)

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
      acknowledged_at: null,
      closed_at: null,
      reopened_at: null,
      reporter: nobodyKnown,
      request_type: {},
      shortened_url: 'http://fixpoint.test/i/10',
      url,
      comments_url: `${url}/comments`,
      comment_url: `${url}/comments`,
      flag_url: `${url}/flag`,
      html_url: `http://fixpoint.test/issues/${id}`,
      transitions: {},
      media: {
        video_url: null,
        image_full: null,
        image_square_100x100: null,
        representative_image_url: 'http://fixpoint.test/files/icons/other.svg',
      },
      assignee: null,
      comments: [],
      comment_count: 0,
      comments_count: 0,
      current_user_relationship: { assignee: false, following: false, reporter: false, voted: false },
      questions: [],
      integrations: { remote_id: null, title: null, status: null },
      vote_count: 0,
      votes: [],
    })
  })

  test('shows the picture of the issue, the full one standing in for what is not made yet', async () => {
    const issue = await it.given.issue()
    const picture = { issue_id: issue, content_type: 'image/jpeg', bytes: 1, width: 1, height: 1 }
    const comment = await it.given.comment({ on: issue })
    await it.db.prisma.medium.create({ data: { ...picture, comment_id: comment, full_key: 'of-the-comment.jpg' } })
    const { id } = await it.db.prisma.medium.create({ data: { ...picture, full_key: 'a/full.jpg' } })
    const files = 'http://fixpoint.test/files'
    const media = async () => ((await it.as.nobody.get(`/issues/${issue}`)).body as ExtendedIssue).media

    expect(await media()).toEqual({
      video_url: null,
      image_full: `${files}/a/full.jpg`,
      image_square_100x100: `${files}/a/full.jpg`,
      representative_image_url: `${files}/a/full.jpg`,
    })
    await it.db.prisma.medium.update({ where: { id }, data: { square_key: 'a/square.jpg', representative_key: 'a/card.jpg' } })
    expect(await media()).toEqual({
      video_url: null,
      image_full: `${files}/a/full.jpg`,
      image_square_100x100: `${files}/a/square.jpg`,
      representative_image_url: `${files}/a/card.jpg`,
    })
  })

  test('counts and shows no comment that is held or rejected', async () => {
    const issue = await it.given.issue()
    await it.given.comment({ on: issue, comment: 'Seen', created_at: '2026-01-03T00:00:00Z' })
    await it.given.comment({ on: issue, comment: 'Seen before', created_at: '2026-01-02T00:00:00Z' })
    await it.given.comment({ on: issue, comment: 'Held', moderation_state: 'held' })
    await it.given.comment({ on: issue, comment: 'Rejected', moderation_state: 'rejected' })

    const { comments, comment_count, comments_count } = (await it.as.nobody.get(`/issues/${issue}`)).body as ExtendedIssue

    expect(comments.map(({ comment }) => comment)).toEqual(['Seen before', 'Seen'])
    expect([comment_count, comments_count]).toEqual([2, 2])
  })

  test('keeps the details of each issue of a list apart', async () => {
    const ada = await it.given.user({ name: 'Ada Park' })
    const one = await it.given.issue({ created_at: '2026-01-02T00:00:00Z', assignee: ada })
    const other = await it.given.issue({ created_at: '2026-01-01T00:00:00Z' })
    await it.given.comment({ on: one, comment: 'On one' })
    await it.given.comment({ on: other, comment: 'On the other' })
    await it.given.vote({ on: other, by: ada })

    const { issues } = listIn<ExtendedIssue>(await it.as.nobody.get('/issues?details=true'))

    expect(issues.map(({ id, comments, vote_count, assignee }) => [id, comments[0]?.comment, vote_count, assignee])).toEqual([
      [one, 'On one', 0, { ...nobodyKnown, id: ada.id, name: 'Ada Park', role: 'Registered User', avatar }],
      [other, 'On the other', 1, null],
    ])
  })
})
