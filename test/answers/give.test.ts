import { describe, expect, it } from 'vitest'

import { sql } from '../../src/database/database.ts'
import { form } from '../contract/personas/row.ts'
import type { TestUser } from '../helpers/factories.ts'
import { useApp } from '../helpers/use-app.ts'
import { queryRows } from '../helpers/query-rows.ts'

const app = useApp()

const answer = (who: TestUser, question: number, body: unknown, headers: Record<string, string> = {}) =>
  app.as.user(who).send('POST', `/api/v2/questions/${question}/answers`, { body, headers })
const createQuestion = async (more: object = {}) => app.create.question({ place: (await app.create.place()).id, ...more })
const LINKS = 'http://a.example http://b.example http://c.example'

describe('POST /questions/:id/answers', () => {
  it('returns 201 with the answer, publishes it and counts it for its question', async () => {
    const question = await createQuestion()
    const ada = await app.create.user({ name: 'Ada Park' })

    const created = await answer(ada, question, { answer: ' At the <depot>. ', locale: 'fr' })

    const { id, created_at } = created.body as { id: number; created_at: string }
    expect(created).toMatchObject({ status: 201, headers: { location: `http://fixpoint.test/questions/${question}#answer-${id}` } })
    expect(created.body).toEqual({
      ...{ id, answer: 'At the <depot>.', question_id: question, locale: 'fr', accepted_at: null, total_votes: 0 },
      answerer: expect.objectContaining({ id: ada.id, name: 'Ada Park', civic_points: 0 }) as object,
      ...{ created_at, updated_at: created_at },
      url: `http://fixpoint.test/api/v2/answers/${id}`,
      html_url: `http://fixpoint.test/questions/${question}#answer-${id}`,
      question_url: `http://fixpoint.test/api/v2/questions/${question}`,
      flag_url: `http://fixpoint.test/api/v2/answers/${id}/flag`,
    })
    expect((await app.as.anonymous.get(`/answers/${id}`)).body).toEqual(created.body)
    expect((await app.as.anonymous.get(`/questions/${question}/answers`)).body).toEqual({
      ...{ metadata: {}, answers: [created.body], errors: {} },
    })
    expect((await app.as.anonymous.get(`/questions/${question}`)).body).toMatchObject({ answer_count: 1, updated_at: created_at })
    expect(await queryRows(app.db, sql`SELECT e.type, e.subject_id, e.actor_id, e.payload FROM events e`)).toEqual([
      { type: 'answer.given', subject_id: id, actor_id: ada.id, payload: { question_id: question } },
    ])
  })

  it('accepts a form and multipart/form-data, too', async () => {
    const [question, ada] = [await createQuestion(), await app.create.user()]

    const plain = await answer(ada, question, 'answer=As+a+form', { 'content-type': 'application/x-www-form-urlencoded' })
    const parts = await answer(ada, question, form({ answer: 'In parts' }))

    expect([plain, parts]).toMatchObject([
      { status: 201, body: { answer: 'As a form', locale: 'en' } },
      { status: 201, body: { answer: 'In parts' } },
    ])
  })

  it.each([
    ['nothing', {}, { answer: ['is required: text of 1 to 10,000 characters'] }],
    ['blanks', { answer: '\u2800' }, { answer: ['must be text of 1 to 10,000 characters'] }],
    ['too much', { answer: 'x'.repeat(10_001) }, { answer: ['must be text of 1 to 10,000 characters'] }],
    ['a list', { answer: ['a'] }, { answer: ['must be given only once'] }],
    ['half a character', { answer: 'a\ud800' }, { answer: [expect.stringContaining('unpaired surrogate')] }],
    ['an invalid locale', { answer: 'a', locale: 'x' }, { locale: ['must be a language tag such as en or pt-BR'] }],
  ])('returns 422 with the field for %s', async (_, body, errors) => {
    const question = await createQuestion()

    expect(await answer(await app.create.user(), question, body)).toMatchObject({ status: 422, body: { errors } })
    expect(await queryRows(app.db, sql`SELECT a.id FROM answers a`)).toEqual([])
  })

  it('returns a login error for anonymous callers', async () => {
    const path = `/api/v2/questions/${await createQuestion()}/answers`

    expect(await app.as.anonymous.send('POST', path, { body: { answer: 'Here' } })).toMatchObject({
      status: 422,
      body: { errors: { login: expect.any(String) as string } },
    })
  })

  it('returns 404 for an unknown or pending question, but 422 to callers who may read it', async () => {
    const [ada, bob] = [await app.create.user(), await app.create.user()]
    const pending = await createQuestion({ by: ada, moderation_state: 'held' })

    expect((await answer(bob, pending, { answer: 'a' })).status).toBe(404)
    expect((await answer(bob, 99_999, {})).status).toBe(404)
    expect(await answer(ada, pending, { answer: 'a' })).toMatchObject({
      status: 422,
      body: { errors: { base: 'This question is not public, so nothing can be added to it or changed.' } },
    })
  })

  it('holds a text for review that the policy rejects: only its author and moderators see it, and no count changes', async () => {
    const question = await createQuestion()
    const [ada, bob, admin] = [await app.create.user(), await app.create.user(), await app.create.user({ role: 'Admin' })]
    const before = (await app.as.anonymous.get(`/questions/${question}`)).text

    expect(await answer(ada, question, { answer: LINKS })).toMatchObject({ status: 202, body: { metadata: { moderated: true } } })

    const [pending] = await queryRows<{ id: number }>(app.db, sql`SELECT a.id FROM answers a`)
    const statusTo = async (who: TestUser) => (await app.as.user(who).get(`/answers/${pending?.id}`)).status
    expect([await statusTo(ada), await statusTo(admin), await statusTo(bob)]).toEqual([200, 200, 404])
    expect((await app.as.user(ada).get(`/questions/${question}/answers`)).body).toMatchObject({ answers: [] })
    expect((await app.as.anonymous.get(`/questions/${question}`)).text).toBe(before)
    expect(await queryRows(app.db, sql`SELECT e.type, e.subject_id, e.payload FROM events e`)).toEqual([
      { type: 'answer.held', subject_id: pending?.id, payload: { question_id: question } },
    ])
  })

  it('holds the third identical answer within an hour for review, to any question', async () => {
    const ada = await app.create.user()
    const statuses = []
    for (const text of ['Ask city hall.', 'ask city hall.', 'Ask  city hall.'])
      statuses.push((await answer(ada, await createQuestion(), { answer: text })).status)

    expect(statuses).toEqual([201, 201, 202])
  })
})
