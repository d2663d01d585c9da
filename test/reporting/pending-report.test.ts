import { describe, expect, it } from 'vitest'

import { sql } from '../../src/database/database.ts'
import { GREEN, type TestUser } from '../helpers/factories.ts'
import { useApp } from '../helpers/use-app.ts'
import { queryRows } from '../helpers/query-rows.ts'

const app = useApp()

const report = { ...GREEN, address: '250 Church St', request_type_id: 'other', answers: { summary: 'Broken bench' } }
const send = (person: TestUser, body: object) => app.as.user(person).send('POST', '/api/v2/issues', { body })
const reasons = () =>
  queryRows(app.db, sql`SELECT m.subject_type, m.subject_id, m.state, m.reasons FROM moderation_items m ORDER BY m.id`)

describe('POST /issues with a report that needs review', () => {
  it('returns 202, hides the issue from other callers, adds no points and changes no number', async () => {
    const ada = await app.create.user({ name: 'Ada Park' })
    const organization = await app.create.organization()
    const [other, employee, moderator, admin] = await Promise.all([
      app.create.user({ name: 'Other' }),
      app.create.user({ name: 'Employee', memberOf: [{ organization }] }),
      app.create.user({ name: 'Moderator', memberOf: [{ organization, role: 'moderator' }] }),
      app.create.user({ name: 'Admin', role: 'Admin' }),
    ])
    const before = (await app.as.anonymous.get(`/users/${ada.id}`)).text

    const answer = await send(ada, { ...report, answers: { summary: 'Fucking bench' } })

    expect(answer).toMatchObject({ status: 202, body: { metadata: { moderated: true } } })
    expect(answer.headers).not.toHaveProperty('location')
    for (const client of [app.as.anonymous, ...[other, employee].map((person) => app.as.user(person))]) {
      expect((await client.get('/issues/1')).status).toBe(404)
    }
    for (const person of [ada, moderator, admin]) {
      expect((await app.as.user(person).get('/issues/1')).body).toMatchObject({ id: 1, summary: 'Fucking bench' })
      expect((await app.as.user(person).get('/issues')).body).toMatchObject({
        issues: [],
        metadata: { pagination: { entries: 0 } },
      })
    }
    expect((await app.as.anonymous.get(`/users/${ada.id}`)).text).toBe(before)
    expect(await reasons()).toEqual([{ subject_type: 'issue', subject_id: 1, state: 'held', reasons: ['words'] }])
    expect(await queryRows(app.db, sql`SELECT v.type FROM events v`)).toEqual([{ type: 'issue.held' }])
  })

  it('holds the third identical text within an hour for review, even of three concurrent requests', async () => {
    const [ada, bob] = [await app.create.user(), await app.create.user()]

    const statuses = await Promise.all(
      ['Bench', 'BENCH', 'bench'].map(async (summary) => (await send(ada, { ...report, answers: { summary } })).status),
    )
    const others = [
      await send(ada, { ...report, answers: { summary: 'Bench', description: 'Another one.' } }),
      await send(bob, { ...report, answers: { summary: 'Bench' } }),
    ]

    expect(statuses.sort()).toEqual([201, 201, 202])
    expect(others.map(({ status }) => status)).toEqual([201, 201])
    expect(await reasons()).toMatchObject([{ reasons: ['repeated'] }])
  })

  it('holds reports for review if the organisation reviews everything or the reporter marks them as offensive', async () => {
    const ada = await app.create.user()
    const organization = await app.create.organization()
    const strict = await app.create.requestType({ organization })
    const asking = await app.create.requestType({
      questions: [{ built_in: 'offensive', question: 'Is it offensive?', question_type: 'boolean' }],
    })
    await app.db.execute(sql`UPDATE organizations o SET hold_everything = true WHERE o.id = ${organization} RETURNING o.id`)

    const statuses = [
      await send(ada, { ...report, request_type_id: strict }),
      await send(ada, { ...report, request_type_id: asking, answers: { offensive: true } }),
      await send(ada, { ...report, request_type_id: asking, answers: { offensive: false } }),
    ].map(({ status }) => status)

    expect(statuses).toEqual([202, 202, 201])
    expect(await reasons()).toMatchObject([{ reasons: ['organization'] }, { reasons: ['said-to-be-offensive'] }])
  })

  it('holds a report for review for words in public texts, but not in private answers', async () => {
    const ada = await app.create.user()
    const id = await app.create.requestType({
      questions: [
        { question: 'Public?', question_type: 'text' },
        { question: 'Private?', question_type: 'text', answer_kept_private: true },
      ],
    })
    const [open, secret] = await queryRows<{ id: number }>(
      app.db,
      sql`
      SELECT q.id FROM request_type_questions q WHERE q.request_type_id = ${id} ORDER BY q.position`,
    )
    const answering = (question: { id: number } | undefined) => ({
      ...report,
      request_type_id: id,
      answers: { [question?.id ?? 0]: 'asshole' },
    })

    const statuses = [
      await send(ada, answering(open)),
      await send(ada, answering(secret)),
      await send(ada, { ...report, address: 'asshole' }),
    ]

    expect(statuses.map(({ status }) => status)).toEqual([202, 201, 202])
  })

  it('counts each link once, so that two links pass', async () => {
    const ada = await app.create.user()
    await app.db.prisma.user.update({ where: { id: ada.id }, data: { created_at: new Date('2026-01-01T00:00:00Z') } })
    const link = 'See https://example.com/a'

    const statuses = [
      await send(ada, { ...report, answers: { summary: link, description: link } }),
      await send(ada, { ...report, answers: { summary: 'Bench', description: `${link} and https://example.com/b` } }),
      await send(ada, { ...report, answers: { summary: link, description: `${link} and https://example.com/b` } }),
    ].map(({ status }) => status)

    expect(statuses).toEqual([201, 201, 202])
  })

  it('does not count the title of a type without questions as repeated text', async () => {
    const ada = await app.create.user()
    const id = await app.create.requestType({ title: 'Snow' })

    for (let count = 0; count < 4; count++) {
      expect((await send(ada, { ...report, request_type_id: id, answers: {} })).status).toBe(201)
    }
  })
})
