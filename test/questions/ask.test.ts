import { describe, expect, it } from 'vitest'

import { sql } from '../../src/database/database.ts'
import { form } from '../contract/personas/row.ts'
import type { TestUser } from '../helpers/factories.ts'
import { useApp } from '../helpers/use-app.ts'
import { queryRows } from '../helpers/query-rows.ts'

const app = useApp()

const ask = (who: TestUser, body: unknown, headers: Record<string, string> = {}, city = 'springfield') =>
  app.as.user(who).send('POST', `/api/v2/${city}/questions`, { body, headers })
const createCity = () => app.create.place({ url_name: 'springfield' })
const events = () =>
  queryRows(
    app.db,
    sql`SELECT e.type, e.subject_type, e.subject_id, e.actor_id, e.payload, e.request_id FROM events e ORDER BY e.id`,
  )

describe('POST /:place_url_name/questions', () => {
  it('returns 201 with the question, which is then public at its URL and in the list', async () => {
    await createCity()
    const ada = await app.create.user({ name: 'Ada Park' })

    const answer = await ask(ada, { question: '  Who plants\n<trees> here?  ', locale: 'pt-BR', unknown: 1 })

    const { id } = answer.body as { id: number }
    expect(answer).toMatchObject({
      status: 201,
      headers: { location: `http://fixpoint.test/questions/${id}` },
      body: {
        question: 'Who plants\n<trees> here?',
        locale: 'pt-BR',
        asker: { id: ada.id, name: 'Ada Park', civic_points: 0 },
        ...{ answer_count: 0, popularity: 0, accepted_answer_id: null },
      },
    })
    expect((await app.as.anonymous.get(`/questions/${id}`)).body).toEqual(answer.body)
    expect((await app.as.anonymous.get('/springfield/questions')).body).toMatchObject({ questions: [answer.body] })
    expect(await events()).toEqual([
      {
        ...{ type: 'question.asked', subject_type: 'question', subject_id: id, actor_id: ada.id },
        ...{ payload: { question_id: id }, request_id: answer.headers['x-request-id'] },
      },
    ])
  })

  it('accepts a form and multipart/form-data, too', async () => {
    await createCity()
    const ada = await app.create.user()

    const plain = await ask(ada, 'question=As+a+form%3F&locale=fr', { 'content-type': 'application/x-www-form-urlencoded' })
    const parts = await ask(ada, form({ question: 'In parts?' }))

    expect(plain).toMatchObject({ status: 201, body: { question: 'As a form?', locale: 'fr' } })
    expect(parts).toMatchObject({ status: 201, body: { question: 'In parts?' } })
  })

  it.each([
    ['that of the body', { locale: 'es' }, { 'accept-language': 'fr' }, 'es'],
    ['else that of Accept-Language', {}, { 'accept-language': 'fr' }, 'fr'],
    ['else that of the account', { locale: null }, {}, 'de'],
  ])('sets the language to %s', async (_, more, headers: Record<string, string>, locale) => {
    await createCity()
    const ada = await app.create.user({ locale: 'de' })

    expect((await ask(ada, { question: 'What?', ...more }, headers)).body).toMatchObject({ locale })
  })

  it.each([
    ['nothing', {}, { question: ['is required: text of 1 to 1,000 characters'] }],
    ['blanks', { question: ' \u200b ' }, { question: ['must be text of 1 to 1,000 characters'] }],
    ['too much', { question: 'x'.repeat(1_001) }, { question: ['must be text of 1 to 1,000 characters'] }],
    ['no text', { question: 7 }, { question: ['must be text of 1 to 1,000 characters'] }],
    ['a zero byte', { question: 'a\0b' }, { question: ['must not contain the character U+0000'] }],
    [
      'an invalid locale, too',
      { question: '', locale: 'english' },
      {
        question: ['must be text of 1 to 1,000 characters'],
        locale: ['must be a language tag such as en or pt-BR'],
      },
    ],
  ])('returns 422 with all errors for %s and writes nothing', async (_, body, errors) => {
    await createCity()

    expect(await ask(await app.create.user(), body)).toMatchObject({ status: 422, body: { errors } })
    expect(await queryRows(app.db, sql`SELECT q.id FROM questions q`)).toEqual([])
  })

  it('returns a login error for anonymous callers', async () => {
    await createCity()

    expect(await app.as.anonymous.send('POST', '/api/v2/springfield/questions', { body: { question: 'Who?' } })).toMatchObject({
      status: 422,
      body: { errors: { login: 'You must be logged in: send HTTP Basic or a Bearer token.' } },
    })
  })

  it('returns 404 for a county and for an unknown place', async () => {
    await app.create.place({ url_name: 'the-county', place_type: 'County' })
    const ada = await app.create.user()

    for (const city of ['the-county', 'nowhere']) expect(await ask(ada, { question: '' }, {}, city)).toMatchObject({ status: 404 })
  })

  it('holds a text for review that the policy rejects: only its author and moderators see it, and no count changes', async () => {
    const city = await createCity()
    const [ada, bob] = [await app.create.user(), await app.create.user()]
    const moderator = await app.create.user({ role: 'Admin' })
    const before = (await app.as.anonymous.get('/springfield/questions')).text

    const answer = await ask(ada, { question: 'Buy at http://a.example http://b.example http://c.example ?' })

    expect(answer).toMatchObject({ status: 202, body: { metadata: { moderated: true } } })
    const [pending] = await queryRows<{ id: number }>(app.db, sql`SELECT q.id FROM questions q WHERE q.place_id = ${city.id}`)
    const statusTo = async (who: TestUser) => (await app.as.user(who).get(`/questions/${pending?.id}`)).status
    expect([await statusTo(ada), await statusTo(moderator), await statusTo(bob)]).toEqual([200, 200, 404])
    expect((await app.as.anonymous.get(`/questions/${pending?.id}`)).status).toBe(404)
    expect((await app.as.anonymous.get('/springfield/questions')).text).toBe(before)
    expect(await events()).toMatchObject([{ type: 'question.held', subject_id: pending?.id, actor_id: ada.id }])
    expect(await queryRows(app.db, sql`SELECT m.subject_type, m.subject_id, m.state, m.original FROM moderation_items m`)).toEqual([
      {
        ...{ subject_type: 'question', subject_id: pending?.id, state: 'held' },
        original: { question: 'Buy at http://a.example http://b.example http://c.example ?' },
      },
    ])
  })

  it('holds the third identical question within an hour for review, in any city', async () => {
    await createCity()
    await app.create.place({ url_name: 'shelbyville' })
    const ada = await app.create.user()

    const statuses = []
    for (const city of ['springfield', 'shelbyville', 'springfield']) {
      statuses.push((await ask(ada, { question: city === 'springfield' ? 'Why here?' : ' WHY  here?' }, {}, city)).status)
    }

    expect(statuses).toEqual([201, 201, 202])
  })

  it('creates one question for each Idempotency-Key', async () => {
    await createCity()
    const ada = await app.create.user()
    const key = { 'idempotency-key': 'a-question' }

    const first = await ask(ada, { question: 'Once?' }, key)
    const again = await ask(ada, { question: 'Once?' }, key)

    expect([again.status, again.text]).toEqual([201, first.text])
    expect(await queryRows(app.db, sql`SELECT q.question FROM questions q`)).toEqual([{ question: 'Once?' }])
  })
})
