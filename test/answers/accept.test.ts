import { describe, expect, it } from 'vitest'

import { hideAnswer } from '../../src/answers/write-answer.ts'
import { sql } from '../../src/database/database.ts'
import { FAR_AWAY, GREEN, type TestUser } from '../helpers/factories.ts'
import { useApp } from '../helpers/use-app.ts'
import { queryRows } from '../helpers/query-rows.ts'

const app = useApp()

const send = (who: TestUser, method: 'PUT' | 'DELETE', answer: number) =>
  app.as.user(who).send(method, `/api/v2/answers/${answer}/accept`)
const accept = (who: TestUser, answer: number) => send(who, 'PUT', answer)
const events = () => queryRows(app.db, sql`SELECT e.type, e.subject_id, e.actor_id, e.payload FROM events e ORDER BY e.id`)
const accepted = async (question: number) => {
  const { answers } = (await app.as.anonymous.get(`/questions/${question}/answers`)).body as {
    answers: { id: number; accepted_at: string | null }[]
  }
  return answers.filter(({ accepted_at }) => accepted_at !== null).map(({ id }) => id)
}

async function createAnsweredQuestion() {
  const asker = await app.create.user()
  const place = await app.create.place({ around: GREEN, size: 0.1 })
  const question = await app.create.question({ place: place.id, by: asker })
  const [first, second] = [await app.create.answer({ on: question }), await app.create.answer({ on: question })]
  return { asker, place, question, first, second }
}

describe('PUT /answers/:id/accept', () => {
  it('returns 200 with the answer, lists it first and sets accepted_answer_id', async () => {
    const { asker, question, second } = await createAnsweredQuestion()

    const answer = await accept(asker, second)

    expect(answer).toMatchObject({ status: 200, body: { id: second, accepted_at: expect.stringMatching(/Z$/) as string } })
    expect((await app.as.anonymous.get(`/questions/${question}`)).body).toMatchObject({ accepted_answer_id: second })
    expect((await app.as.anonymous.get(`/questions/${question}/answers`)).body).toMatchObject({ answers: [answer.body, {}] })
    expect(await events()).toEqual([
      { type: 'answer.accepted', subject_id: second, actor_id: asker.id, payload: { question_id: question } },
    ])
  })

  it('changes nothing the second time', async () => {
    const { asker, first } = await createAnsweredQuestion()
    const once = await accept(asker, first)

    expect(await accept(asker, first)).toMatchObject({ status: 200, body: once.body as object })
    expect(await events()).toHaveLength(1)
  })

  it('replaces the accepted answer of the question', async () => {
    const { asker, question, first, second } = await createAnsweredQuestion()
    await accept(asker, first)

    await accept(asker, second)

    expect(await accepted(question)).toEqual([second])
    expect((await events()).slice(1)).toMatchObject([
      { type: 'answer.unaccepted', subject_id: first },
      { type: 'answer.accepted', subject_id: second },
    ])
  })

  it.each([
    ['an employee whose department covers the city', 'RegisteredUser', GREEN, 200],
    ['an employee whose department covers a part of it', 'RegisteredUser', { lng: GREEN.lng + 0.15, lat: GREEN.lat }, 200],
    ['an employee of a neighbouring department', 'RegisteredUser', { lng: GREEN.lng + 0.2, lat: GREEN.lat }, 403],
    ['an employee far away', 'RegisteredUser', FAR_AWAY, 403],
    ['an Admin', 'Admin', FAR_AWAY, 200],
  ] as const)('allows %s: %s %s %i', async (_, role, around, status) => {
    const { first } = await createAnsweredQuestion()
    const organization = await app.create.organization({ around, size: 0.1 })
    const employee = await app.create.user({ role, memberOf: [{ organization }] })

    expect((await accept(employee, first)).status).toBe(status)
  })

  it('returns 403 for all other users, including the author of the answer', async () => {
    const { question } = await createAnsweredQuestion()
    const ada = await app.create.user()
    const answer = await app.create.answer({ on: question, by: ada })

    for (const method of ['PUT', 'DELETE'] as const)
      expect(await send(ada, method, answer)).toMatchObject({
        status: 403,
        body: { message: 'Only the person who asked and employees of the organisations of this city can accept an answer.' },
      })
    expect(await accepted(question)).toEqual([])
  })

  it('returns 401 for anonymous callers, and 404 for an unknown, pending or rejected answer', async () => {
    const { asker, question, first } = await createAnsweredQuestion()
    const pending = await app.create.answer({ on: question, moderation_state: 'held' })
    const rejected = await app.create.answer({ on: question, moderation_state: 'rejected' })

    expect((await app.as.anonymous.send('PUT', `/api/v2/answers/${first}/accept`)).status).toBe(401)
    for (const id of [pending, rejected, 99_999, 0]) expect((await accept(asker, id)).status, String(id)).toBe(404)
  })

  it('is withdrawn when the answer is hidden', async () => {
    const { asker, question, first } = await createAnsweredQuestion()
    await accept(asker, first)

    await app.db.transaction((tx) => hideAnswer(tx, first))

    expect((await app.as.anonymous.get(`/questions/${question}`)).body).toMatchObject({ accepted_answer_id: null, answer_count: 1 })
  })
})

describe('DELETE /answers/:id/accept', () => {
  it('withdraws the acceptance and changes nothing the second time', async () => {
    const { asker, question, first } = await createAnsweredQuestion()
    await accept(asker, first)

    expect([await send(asker, 'DELETE', first), await send(asker, 'DELETE', first)]).toMatchObject([
      { status: 204 },
      { status: 204 },
    ])

    expect(await accepted(question)).toEqual([])
    expect((await events()).slice(1)).toMatchObject([{ type: 'answer.unaccepted', subject_id: first, actor_id: asker.id }])
  })
})
