import { describe, expect, it } from 'vitest'

import { sql } from '../../src/database/database.ts'
import { appOn, bearer } from '../http/app-on.ts'
import { GREEN } from '../helpers/factories.ts'
import { PUBLIC_URL, useApp } from '../helpers/use-app.ts'
import { createModerationScenario } from './scenario.ts'
import { queryRows } from '../helpers/query-rows.ts'

const app = useApp()
const { moderator, createPendingReport, flagged, findOpenItem, items, approve, reject, events, points } =
  createModerationScenario(app)

describe('approving a report', () => {
  it('publishes it dated now, with a follow and points for its reporter and the event of a new report', async () => {
    const [ada, mia] = [await app.create.user({ name: 'Ada Park' }), await moderator()]
    const issue = await createPendingReport(ada)
    const later = new Date('2030-05-01T10:00:00Z')
    const { fastify } = await appOn(app.db, {}, { clock: () => later })

    const answer = await fastify.inject({
      method: 'POST',
      url: `/api/v2/moderation/${await findOpenItem('issue', issue)}/approve`,
      headers: { 'user-agent': 'test', ...bearer(mia.token) },
    })

    expect(answer.statusCode).toBe(200)
    expect(answer.json()).toMatchObject({
      state: 'approved',
      decided_by: { id: mia.id },
      decided_at: '2030-05-01T10:00:00Z',
      approve_url: null,
    })
    const seen = await app.as.anonymous.get(`/issues/${issue}`)
    expect(seen.body).toMatchObject({
      ...{ summary: 'Fucking bench', status: 'Open', reporter: { id: ada.id, civic_points: 10 } },
      ...{ created_at: '2030-05-01T10:00:00Z', updated_at: '2030-05-01T10:00:00Z' },
    })
    expect((await app.as.anonymous.get('/issues')).body).toMatchObject({ metadata: { pagination: { entries: 1 } } })
    expect((await app.as.user(ada).get(`/issues/${issue}`)).body).toMatchObject({ current_user_relationship: { following: true } })
    const history = await queryRows(app.db, sql`SELECT s.to_status, s.created_at FROM status_changes s`)
    expect(history).toEqual([{ to_status: 'Open', created_at: '2030-05-01T10:00:00.000Z' }])
    expect(await events()).toEqual(['issue.held', 'issue.reported'])
    const [reported] = await queryRows(app.db, sql`SELECT v.actor_id, v.subject_id FROM events v WHERE v.type = 'issue.reported'`)
    expect(reported).toEqual({ actor_id: ada.id, subject_id: issue })
  })

  it('gives no points for an anonymous report', async () => {
    const [ada, mia] = [await app.create.user(), await moderator()]
    const issue = await createPendingReport(ada, { anonymize_reporter: true })

    expect((await approve(mia, await findOpenItem('issue', issue))).status).toBe(200)

    expect(await points(ada)).toBe(0)
    expect(await queryRows(app.db, sql`SELECT f.user_id FROM follows f`)).toEqual([{ user_id: ada.id }])
  })

  it('replaces the texts by those of the moderator, and the author and moderators still get the original', async () => {
    const [ada, mia, other] = [await app.create.user(), await moderator(), await app.create.user()]
    const issue = await createPendingReport(ada, { answers: { summary: 'Fucking bench', description: 'By Mrs Miller' } })
    const item = await findOpenItem('issue', issue)

    const answer = await approve(mia, item, { summary: ' Broken bench ', description: '', address: '252 Church St' })

    const published = { summary: 'Broken bench', description: null, address: '252 Church St' }
    const original = { summary: 'Fucking bench', description: 'By Mrs Miller', address: '250 Church St' }
    expect(answer.body).toMatchObject({ subject: published, original })
    const seen = await app.as.anonymous.get(`/issues/${issue}`)
    expect(seen.body).toMatchObject(published)
    expect(seen.text).not.toContain('Miller')
    expect((await app.as.anonymous.get('/issues?search=fucking')).body).toMatchObject({ issues: [] })
    expect((await app.as.user(ada).get(`/moderation/${item}`)).body).toMatchObject({
      ...{ subject: published, original, state: 'approved' },
      ...{ reasons: null, note: null, decided_by: null, approve_url: null, reject_url: null },
    })
    expect((await app.as.user(other).get(`/moderation/${item}`)).status).toBe(403)
  })

  it.each([
    ['an empty summary', { summary: '  ' }, { summary: 'must be text of 1 to 255 characters' }],
    ['an invisible summary', { summary: '\u200b\u202e' }, { summary: 'must be text of 1 to 255 characters' }],
    ['a summary that is too long', { summary: 'x'.repeat(256) }, { summary: 'must be text of 1 to 255 characters' }],
    [
      'a description that is too long',
      { description: 'x'.repeat(10_001) },
      { description: 'must be a text of at most 10,000 characters' },
    ],
    ['an empty address', { address: '' }, { address: 'must be text of 1 to 500 characters' }],
    ['the text of a comment', { comment: 'x' }, { comment: 'cannot be edited here: send only summary, description, address' }],
  ])('returns 422 for %s and changes nothing', async (_, edits, errors) => {
    const [ada, mia] = [await app.create.user(), await moderator()]
    const issue = await createPendingReport(ada)

    const answer = await approve(mia, await findOpenItem('issue', issue), edits)

    expect(answer).toMatchObject({ status: 422, body: errors })
    expect(await items(mia)).toMatchObject([{ state: 'held' }])
    expect((await app.as.anonymous.get(`/issues/${issue}`)).status).toBe(404)
  })
})

describe('rejecting a report', () => {
  it('hides it from all but its reporter and moderators, and notifies the reporter of the reason', async () => {
    const [ada, mia, other] = [await app.create.user(), await moderator(), await app.create.user()]
    const issue = await createPendingReport(ada)
    const item = await findOpenItem('issue', issue)

    const answer = await reject(mia, item, ' Please be polite. ')

    expect(answer).toMatchObject({ status: 200, body: { state: 'rejected', rejection_reason: 'Please be polite.' } })
    expect((await app.as.anonymous.get(`/issues/${issue}`)).status).toBe(404)
    expect((await app.as.user(other).get(`/issues/${issue}`)).status).toBe(404)
    expect((await app.as.user(ada).get(`/issues/${issue}`)).status).toBe(200)
    expect((await app.as.user(ada).get(`/moderation/${item}`)).body).toMatchObject({
      rejection_reason: 'Please be polite.',
      decided_by: null,
    })
    expect(await items(mia)).toEqual([])
    expect(await items(mia, '?state=rejected')).toMatchObject([{ id: item }])
    expect([await events(), await points(ada)]).toEqual([['issue.held', 'issue.rejected'], 0])
    const [event] = await queryRows(app.db, sql`SELECT v.payload FROM events v WHERE v.type = 'issue.rejected'`)
    expect(event).toEqual({ payload: { moderation_item_id: item } })
  })

  it('returns 422 for a reason of more than 1,000 characters', async () => {
    const [ada, mia] = [await app.create.user(), await moderator()]
    const issue = await createPendingReport(ada)

    const answer = await reject(mia, await findOpenItem('issue', issue), 'x'.repeat(1_001))

    expect(answer).toMatchObject({ status: 422, body: { reason: 'must be a text of at most 1,000 characters' } })
  })
})

describe('a second decision', () => {
  it('returns 422 with the earlier decision', async () => {
    const [ada, mia, max] = [await app.create.user(), await moderator('Mia Moderator'), await moderator('Max Moderator')]
    const [one, two] = [await createPendingReport(ada), await createPendingReport(ada, { answers: { summary: 'Fucking swing' } })]
    const [first, second] = [await findOpenItem('issue', one), await findOpenItem('issue', two)]
    await approve(mia, first)
    await reject(mia, second)

    const answers = [await approve(mia, first), await approve(max, first), await reject(max, first), await approve(max, second)]

    const approved = { status: 422, body: { base: 'This was already approved by Mia Moderator.' } }
    const rejected = { status: 422, body: { base: 'This was already rejected by Mia Moderator.' } }
    expect(answers).toMatchObject([approved, approved, approved, rejected])
    expect(await points(ada)).toBe(10)
  })

  it('is replayed for its Idempotency-Key and made once', async () => {
    const [ada, mia] = [await app.create.user(), await moderator()]
    const issue = await createPendingReport(ada)
    const url = `/api/v2/moderation/${await findOpenItem('issue', issue)}/approve`
    const send = () => app.as.user(mia).send('POST', url, { headers: { 'idempotency-key': 'a' } })

    const [first, again] = [await send(), await send()]

    expect([first.status, again.text]).toEqual([200, first.text])
    expect(await events()).toEqual(['issue.held', 'issue.reported'])
  })

  it.each(['moderator', 'Admin'])('returns 403 to a %s for their own report, without URLs for a decision', async (who) => {
    const own = who === 'Admin' ? await app.create.user({ role: 'Admin' }) : await moderator()
    const [mia, issue] = [await moderator(), await createPendingReport(own, { anonymize_reporter: true })]
    const item = await findOpenItem('issue', issue)

    for (const answer of [await approve(own, item), await reject(own, item)])
      expect(answer).toMatchObject({
        status: 403,
        body: { message: 'You wrote this yourself, so another moderator has to decide on it.' },
      })

    expect(await items(own)).toMatchObject([{ id: item, state: 'held', approve_url: null, reject_url: null }])
    expect(await items(mia)).toMatchObject([{ id: item, approve_url: expect.stringContaining('/approve') as string }])
    expect((await approve(mia, item)).status).toBe(200)
  })

  it('returns 404 for an unknown item', async () => {
    const mia = await moderator()

    expect((await approve(mia, 999)).status).toBe(404)
    expect((await reject(mia, 999)).status).toBe(404)
  })
})

describe('a flagged report', () => {
  const passing = { ...GREEN, address: '250 Church St', request_type_id: 'other', answers: { summary: 'Bench' } }

  it('stays public and unchanged when it is approved', async () => {
    const [ada, mia] = [await app.create.user(), await moderator()]
    await app.as.user(ada).send('POST', '/api/v2/issues', { body: passing })
    const before = (await app.as.anonymous.get('/issues/1')).text
    const item = (await flagged('issue', 1)) ?? 0

    expect((await app.as.user(ada).get(`/moderation/${item}`)).status).toBe(403)
    expect((await approve(mia, item)).status).toBe(200)

    expect((await app.as.anonymous.get('/issues/1')).text).toBe(before)
    expect([await events(), await points(ada)]).toEqual([['issue.reported'], 10])
  })

  it('is hidden when it is rejected, and its points are reversed', async () => {
    const [ada, mia] = [await app.create.user({ civic_points: 100 }), await moderator()]
    await app.as.user(ada).send('POST', '/api/v2/issues', { body: passing })
    expect(await points(ada)).toBe(110)

    expect((await reject(mia, (await flagged('issue', 1)) ?? 0)).status).toBe(200)

    expect((await app.as.anonymous.get('/issues/1')).status).toBe(404)
    expect((await app.as.anonymous.get(`/users/${ada.id}`)).body).toMatchObject({ reported_issue_count: 0, civic_points: 100 })
    expect(await events()).toEqual(['issue.reported', 'issue.rejected'])
  })

  it('keeps points if the report gave none, because it was imported or anonymous', async () => {
    const [ada, mia] = [await app.create.user({ civic_points: 7 }), await moderator()]
    const imported = await app.create.issue({ reporter: ada })
    await app.as.user(ada).send('POST', '/api/v2/issues', { body: { ...passing, anonymize_reporter: true } })

    for (const id of [imported, imported + 1]) expect((await reject(mia, (await flagged('issue', id)) ?? 0)).status).toBe(200)

    expect(await points(ada)).toBe(7)
  })
})

describe('GET /moderation', () => {
  it('returns pages of pending items, oldest first, with subject, reasons and URLs for the decision', async () => {
    const [ada, mia] = [await app.create.user({ name: 'Ada Park' }), await moderator()]
    const issue = await createPendingReport(ada)
    await createPendingReport(ada, { answers: { summary: 'Fucking swing' } })

    const answer = await app.as.user(mia).get('/moderation?per_page=1')

    expect(answer.body).toEqual({
      metadata: {
        pagination: {
          ...{ entries: 2, page: 1, per_page: 1, pages: 2, next_page: 2, previous_page: null, previous_page_url: null },
          next_page_url: `${PUBLIC_URL}/api/v2/moderation?page=2&per_page=1`,
        },
      },
      errors: {},
      items: [
        {
          ...{ id: 1, subject_type: 'issue', state: 'held', reasons: ['words'], requested_move: null },
          ...{ decided_by: null, decided_at: null, note: null, rejection_reason: null, created_at: expect.any(String) },
          original: { summary: 'Fucking bench', description: null, address: '250 Church St' },
          approve_url: `${PUBLIC_URL}/api/v2/moderation/1/approve`,
          reject_url: `${PUBLIC_URL}/api/v2/moderation/1/reject`,
          subject: expect.objectContaining({
            id: issue,
            summary: 'Fucking bench',
            reporter: expect.objectContaining({ id: ada.id }),
          }),
        },
      ],
    })
  })

  it('filters by state and by type of the subject', async () => {
    const [ada, mia] = [await app.create.user(), await moderator()]
    const [one, two] = [await createPendingReport(ada), await createPendingReport(ada, { answers: { summary: 'Fucking swing' } })]
    await approve(mia, await findOpenItem('issue', one))
    await reject(mia, await findOpenItem('issue', two))

    const found = await Promise.all(
      ['', '?state=approved', '?state=rejected', '?state=approved&subject_type=comment'].map(async (query) =>
        (await items(mia, query)).map(({ subject }) => subject?.id),
      ),
    )

    expect(found).toEqual([[], [one], [two], []])
    expect((await app.as.user(mia).get('/moderation?state=open')).body).toEqual({
      state: 'must be one of held, approved, rejected',
    })
    expect((await app.as.user(mia).get('/moderation?subject_type=place')).body).toEqual({
      subject_type: 'must be one of issue, comment, question, answer, user',
    })
  })

  it('returns anonymous reporters and private answers to moderators of the organisation, and the report to no others', async () => {
    const ada = await app.create.user({ name: 'Ada Unnamed' })
    const organization = await app.create.organization()
    const question = { question: 'Your telephone?', question_type: 'text', answer_kept_private: true }
    const type = await app.create.requestType({ organization, questions: [question] })
    await app.db.execute(sql`UPDATE organizations o SET hold_everything = true WHERE o.id = ${organization} RETURNING o.id`)
    const own = await app.create.user({ memberOf: [{ organization, role: 'moderator' }] })
    const mia = await moderator()
    await createPendingReport(ada, { request_type_id: type, anonymize_reporter: true, answers: { 1: 'ring 555 0142' } })

    const [seen, unseen] = [await items(own), await items(mia)]

    expect(seen).toMatchObject([{ subject: { reporter: { name: 'Ada Unnamed' }, questions: [{ answer: 'ring 555 0142' }] } }])
    expect(unseen).toEqual([])
  })
})
