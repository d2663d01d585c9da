import { describe, expect, it } from 'vitest'

import type { ApiResponse } from '../helpers/client.ts'
import { useApp } from '../helpers/use-app.ts'
import { withoutTriggers } from '../helpers/without-triggers.ts'

describe('GET /issues/:id/comments', () => {
  const app = useApp()

  it('returns all public comments with the state of their issue, oldest first', async () => {
    const ada = await app.create.user({ name: 'Ada Park', civic_points: 120 })
    const issue = await app.create.issue({ status: 'Acknowledged', base_rating: 5, acknowledged_at: '2026-02-01T00:00:00Z' })
    await app.create.comment({ on: issue, by: ada, comment: 'Second', created_at: '2026-02-02T00:00:00Z' })
    const first = await app.create.comment({ on: issue, comment: 'First', created_at: '2026-02-01T00:00:00Z' })
    await app.create.comment({ on: issue, comment: 'Held', moderation_state: 'held' })

    const answer = await app.as.anonymous.get(`/issues/${issue}/comments`)

    const avatar = 'http://fixpoint.test/files/icons/avatar.svg'
    expect(answer.status).toBe(200)
    expect(answer.body).toEqual({
      comments: [
        {
          id: first,
          comment: 'First',
          commenter: {
            avatar: { full: avatar, square_100x100: avatar },
            civic_points: 0,
            html_url: null,
            id: 0,
            name: 'An anonymous user',
            role: 'Guest',
            witty_title: 'Street Smart',
          },
          created_at: '2026-02-01T00:00:00Z',
          updated_at: '2026-02-01T00:00:00Z',
          issue: { status: 'Acknowledged', rating: '6' },
          media: { video_url: null, image_full: null, image_square_100x100: null },
          flag_url: `http://fixpoint.test/api/v2/comments/${first}/flag`,
          issue_url: `http://fixpoint.test/api/v2/issues/${issue}`,
          editable_until: null,
          last_edited_at: null,
        },
        expect.objectContaining({
          comment: 'Second',
          commenter: expect.objectContaining({ id: ada.id, witty_title: 'Civic Pride' }),
        }),
      ],
    })
  })

  it('is paged only if page or per_page is set', async () => {
    const issue = await app.create.issue()
    for (let n = 1; n <= 25; n++) {
      await app.create.comment({ on: issue, comment: `No. ${n}`, created_at: `2026-02-01T00:00:${String(n).padStart(2, '0')}Z` })
    }
    const texts = async (query: string) => {
      const { body } = await app.as.anonymous.get(`/issues/${issue}/comments${query}`)
      return (body as { comments: { comment: string }[] }).comments.map(({ comment }) => comment)
    }

    expect(await texts('')).toHaveLength(25)
    expect(await texts('?per_page=2&page=2')).toEqual(['No. 3', 'No. 4'])
    expect(await texts('?page=2')).toEqual(['No. 21', 'No. 22', 'No. 23', 'No. 24', 'No. 25'])
    expect(await texts('?page=9')).toEqual([])
    expect(await texts(`?page=${Number.MAX_SAFE_INTEGER}&per_page=100`)).toEqual([])
    expect(await texts('?page=99999999999999999999')).toEqual([])
  })

  it('returns at most 5,000 comments and a link to the next page', async () => {
    const issue = await app.create.issue()
    const add = (from: number, to: number) => `
        INSERT INTO comments (issue_id, comment, created_at)
        SELECT ${issue}, 'No. ' || n, timestamptz '2026-02-01' + n * interval '1 second' FROM generate_series(${from}, ${to}) n`
    await withoutTriggers(app.db, add(1, 5_000))
    const whole = await app.as.anonymous.get(`/issues/${issue}/comments`)
    await app.db.executeScript(add(5_001, 5_002))
    const most = await app.as.anonymous.get(`/issues/${issue}/comments`)
    const rest = await app.as.anonymous.get(`/issues/${issue}/comments?page=51&per_page=100`)

    const texts = ({ body }: ApiResponse) => (body as { comments: { comment: string }[] }).comments.map(({ comment }) => comment)
    expect([texts(whole).length, whole.headers['link']]).toEqual([5_000, undefined])
    expect([texts(most).length, most.headers['link']]).toEqual([
      5_000,
      `<http://fixpoint.test/api/v2/issues/${issue}/comments?page=51&per_page=100>; rel="next"`,
    ])
    expect(texts(rest)).toEqual(['No. 5001', 'No. 5002'])
  })

  it('returns 404 for a pending issue', async () => {
    const pending = await app.create.issue({ moderation_state: 'held' })

    const pendingResponse = await app.as.anonymous.get(`/issues/${pending}/comments`)
    const unknownIssue = await app.as.anonymous.get('/issues/999999/comments')

    expect(pendingResponse.status).toBe(404)
    expect({ ...(pendingResponse.body as object), request_id: '' }).toEqual({ ...(unknownIssue.body as object), request_id: '' })
  })
})
