import { describe, expect, it } from 'vitest'

import { sql } from '../../src/database/database.ts'
import { parseVideoUrl } from '../../src/comments/youtube.ts'
import { form, image } from '../contract/personas/row.ts'
import type { TestUser } from '../helpers/factories.ts'
import { useApp } from '../helpers/use-app.ts'
import { queryRows } from '../helpers/query-rows.ts'

const app = useApp()

const send = (who: TestUser, id: number, body: unknown, headers: Record<string, string> = {}) =>
  app.as.user(who).send('POST', `/api/v2/issues/${id}/comments`, { body, headers })

describe('POST /issues/:id/comments', () => {
  it('publishes the comment with five points, a new updated_at of the issue and one event', async () => {
    const ada = await app.create.user({ name: 'Ada Park' })
    const id = await app.create.issue({})

    const answer = await send(ada, id, { comment: '  Two lines\n& <more>  ', youtube_url: null, device_id: 'a1', unknown: 1 })

    expect(answer.status).toBe(201)
    const written = answer.body as { id: number; created_at: string }
    expect(answer.body).toMatchObject({
      comment: 'Two lines\n& <more>',
      body: 'Two lines\n& <more>',
      moderated: false,
      commenter: { id: ada.id, name: 'Ada Park', civic_points: 5 },
      issue: { status: 'Open', rating: '1' },
    })
    const { comments } = (await app.as.anonymous.get(`/issues/${id}/comments`)).body as { comments: Record<string, unknown>[] }
    const { body: _body, moderated: _moderated, ...listed } = answer.body as Record<string, unknown>
    expect(comments).toEqual([listed])
    expect((await app.as.anonymous.get(`/issues/${id}`)).body).toMatchObject({ comment_count: 1, updated_at: written.created_at })
    expect((await app.as.anonymous.get(`/users/${ada.id}`)).body).toMatchObject({ civic_points: 5, comments_count: 1 })
    expect(await queryRows(app.db, sql`SELECT e.type, e.subject_id, e.actor_id, e.payload, e.request_id FROM events e`)).toEqual([
      {
        type: 'comment.added',
        subject_id: written.id,
        actor_id: ada.id,
        payload: { issue_id: id, comment_id: written.id },
        request_id: answer.headers['x-request-id'],
      },
    ])
    expect(await queryRows(app.db, sql`SELECT c.device_id, c.locale FROM comments c`)).toEqual([{ device_id: 'a1', locale: 'en' }])
  })

  it('accepts a form with a picture and stores the picture without metadata before it responds', async () => {
    const ada = await app.create.user()
    const id = await app.create.issue({})

    const plain = await send(ada, id, 'comment=As+a+form', { 'content-type': 'application/x-www-form-urlencoded' })
    const updated = await send(ada, id, form({ comment: 'As it is now', youtube_url: '', device_id: '', image }))

    expect([plain.status, updated.status]).toEqual([201, 201])
    const { media } = updated.body as { media: { image_full: string; image_square_100x100: string } }
    expect(media).toMatchObject({ video_url: null, image_full: expect.stringMatching(/\/files\/pictures\/.+\.png$/) as unknown })
    const file = await app.as.anonymous.send('GET', new URL(media.image_full).pathname)
    expect(file).toMatchObject({ status: 200, headers: { 'content-type': 'image/png' } })
    // The image belongs to the comment, not to the issue.
    expect((await app.as.anonymous.get(`/issues/${id}`)).body).toMatchObject({ media: { image_full: null } })
    const types = await queryRows<{ type: string }>(app.db, sql`SELECT e.type FROM events e ORDER BY e.type`)
    expect(types.map(({ type }) => type)).toEqual(['comment.added', 'comment.added', 'image.added'])
  })

  it('returns all validation errors of the fields before that of the picture, and writes nothing', async () => {
    const ada = await app.create.user()
    const id = await app.create.issue({})
    const text = Buffer.from('<html>no picture</html>')

    expect((await send(ada, id, {})).body).toEqual({ comment: 'is required: text of 1 to 10,000 characters' })
    expect((await send(ada, id, { comment: 'x'.repeat(10_001) })).body).toEqual({
      comment: 'must be text of 1 to 10,000 characters',
    })
    expect((await send(ada, id, { comment: ['a'], image: 'x.png' })).body).toEqual({
      comment: 'must be given only once',
      image: 'must be a PNG, JPEG, GIF, WebP or HEIC picture of at most 20 MB, sent as multipart/form-data',
    })
    expect(
      (await send(ada, id, form({ comment: '', youtube_url: 'https://example.org/watch?v=dQw4w9WgXcQ', image: text }))).body,
    ).toEqual({
      comment: 'must be text of 1 to 10,000 characters',
      youtube_url: 'must be the address of a video on YouTube',
    })
    expect((await send(ada, id, { comment: 'nul \0' })).body).toEqual({ comment: 'must not contain the character U+0000' })
    expect(await queryRows(app.db, sql`SELECT c.id FROM comments c`)).toEqual([])
    expect(await queryRows(app.db, sql`SELECT e.id FROM events e`)).toEqual([])
  })

  it('limits the length of a comment in characters, not bytes', async () => {
    const ada = await app.create.user()
    const id = await app.create.issue({})
    const answer = await send(ada, id, { comment: '🚲'.repeat(10_000) })
    expect(answer).toMatchObject({ status: 201, body: { comment: '🚲'.repeat(10_000) } })
  })

  it('accepts comments on an archived issue without changing its status', async () => {
    const ada = await app.create.user()
    const id = await app.create.issue({ status: 'Archived' })
    expect(await send(ada, id, { comment: 'For the record.' })).toMatchObject({
      status: 201,
      body: { issue: { status: 'Archived' } },
    })
  })

  it.each(['\u200b', '\u202e\u200b', '\u3164', '\u2800 \u00ad', '\u0301'])(
    'treats an invisible text as blank: %j',
    async (comment) => {
      const [ada, id] = [await app.create.user(), await app.create.issue({})]

      for (const move of ['comments', 'close']) {
        const answer = await app.as.user(ada).send('POST', `/api/v2/issues/${id}/${move}`, { body: { comment } })
        expect([answer.status, answer.body]).toEqual([422, { comment: 'must be text of 1 to 10,000 characters' }])
      }
      expect((await send(ada, id, { comment: '👍' })).status).toBe(201)
    },
  )

  it('compares texts without white space, case, compatibility forms and invisible characters', async () => {
    const [ada, id] = [await app.create.user(), await app.create.issue({})]

    const texts = ['Still there', 'STILL\u200b\u2003 the\u00adre', 'Ｓｔｉｌｌ\nthere\u{E0061}', 'Still where']
    const statuses = []
    for (const comment of texts) statuses.push((await send(ada, id, { comment })).status)

    expect(statuses).toEqual([201, 201, 202, 201])
  })

  it('holds the third identical comment within an hour for review, ignoring case', async () => {
    const ada = await app.create.user()
    const ids = [await app.create.issue({}), await app.create.issue({}), await app.create.issue({})]
    const statuses = []
    for (const [index, id] of ids.entries()) {
      statuses.push((await send(ada, id, { comment: ['Buy bikes', 'buy BIKES', 'Buy bikes '][index] })).status)
    }
    expect(statuses).toEqual([201, 201, 202])
    expect(await queryRows(app.db, sql`SELECT m.reasons FROM moderation_items m`)).toEqual([{ reasons: ['repeated'] }])
  })

  it('holds every comment for review if the organisation reviews everything, except those of its employees', async () => {
    const organization = await app.create.organization()
    await app.db.execute(sql`UPDATE organizations o SET hold_everything = true WHERE o.id = ${organization} RETURNING o.id`)
    const id = await app.create.issue({ request_type: await app.create.requestType({ organization }) })
    const [resident, employee] = [await app.create.user(), await app.create.user({ memberOf: [{ organization }] })]
    expect((await send(resident, id, { comment: 'Still there.' })).status).toBe(202)
    expect((await send(employee, id, { comment: 'We come on Monday.' })).status).toBe(201)
  })

  it('keeps a pending comment from others, without points and without a new updated_at', async () => {
    const ada = await app.create.user()
    const id = await app.create.issue({})
    const before = await app.as.anonymous.get(`/issues/${id}`)
    const pending = await send(ada, id, form({ comment: 'what an asshole', image }))
    expect(pending).toMatchObject({ status: 202, body: { metadata: { moderated: true } } })
    const after = await app.as.anonymous.get(`/issues/${id}`)
    expect([after.body, after.headers['etag']]).toEqual([before.body, before.headers['etag']])
    expect((await app.as.anonymous.get(`/users/${ada.id}`)).body).toMatchObject({ civic_points: 0, comments_count: 0 })
    const [{ key } = { key: '' }] = await queryRows<{ key: string }>(app.db, sql`SELECT m.full_key AS key FROM media m`)
    expect((await app.as.anonymous.send('GET', `/files/${key}`)).status).toBe(404)
    expect((await app.as.user(ada).send('GET', `/files/${key}`)).status).toBe(200)
  })

  it('creates one comment for one Idempotency-Key, with the picture', async () => {
    const ada = await app.create.user()
    const id = await app.create.issue({})
    const key = { 'idempotency-key': 'k1' }
    const answers = []
    for (let n = 0; n < 3; n++) answers.push(await send(ada, id, form({ comment: 'Once', image }), key))
    expect(answers.map(({ status }) => status)).toEqual([201, 201, 201])
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
    expect((await send(ada, id, { comment: 'Another' }, key)).status).toBe(422)
    expect(await queryRows(app.db, sql`SELECT c.comment FROM comments c`)).toEqual([{ comment: 'Once' }])
  })
})

describe('parseVideoUrl', () => {
  it.each([
    ['https://www.youtube.com/watch?v=dQw4w9WgXcQ&t=42s&si=tracks-you'],
    ['http://youtube.com/watch?list=x&v=dQw4w9WgXcQ'],
    ['https://m.youtube.com/watch?v=dQw4w9WgXcQ'],
    ['https://youtu.be/dQw4w9WgXcQ?si=abc'],
    ['youtu.be/dQw4w9WgXcQ'],
    [' https://www.youtube.com/shorts/dQw4w9WgXcQ '],
    ['https://www.youtube-nocookie.com/embed/dQw4w9WgXcQ'],
    ['https://www.youtube.com/live/dQw4w9WgXcQ?feature=share'],
  ])('returns the canonical URL of %s', (link) => {
    expect(parseVideoUrl(link)).toBe('https://www.youtube.com/watch?v=dQw4w9WgXcQ')
  })

  it.each([
    ['https://youtube.com.evil.example/watch?v=dQw4w9WgXcQ'],
    ['https://evil.example/?https://youtu.be/dQw4w9WgXcQ'],
    ['https://user@youtube.com/watch?v=dQw4w9WgXcQ'],
    ['https://youtube.com:8443/watch?v=dQw4w9WgXcQ'],
    ['javascript:alert(1)//youtube.com/watch?v=dQw4w9WgXcQ'],
    ['https://www.youtube.com/watch?v=dQw4w9WgXc'],
    ['https://www.youtube.com/watch?v=dQw4w9WgXcQ<script>'],
    ['https://www.youtube.com/@channel'],
    ['https://www.youtube.com/'],
    ['not an address'],
  ])('returns undefined for %s', (link) => {
    expect(parseVideoUrl(link)).toBe(undefined)
  })
})
