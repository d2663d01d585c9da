import { beforeEach, describe, expect, it } from 'vitest'

import { sql } from '../../src/database/database.ts'
import type { TestUser } from '../helpers/factories.ts'
import { useApp } from '../helpers/use-app.ts'
import { createModerationScenario } from './scenario.ts'
import { queryRows } from '../helpers/query-rows.ts'

const app = useApp()
const { moderator, createPendingQuestion, createPendingAnswer, flagged, findOpenItem, items, approve, reject, events, points } =
  createModerationScenario(app)

const CITY = 'new-haven'
let [ada, ben, mia]: TestUser[] = []
const people = () => ({ ada: ada as TestUser, ben: ben as TestUser, mia: mia as TestUser })

beforeEach(async () => {
  await app.create.place({ url_name: CITY, name: 'New Haven' })
  ada = await app.create.user({ name: 'Ada' })
  ben = await app.create.user({ name: 'Ben' })
  mia = await moderator('Mia')
})

const act = (by: TestUser, method: 'POST' | 'PUT', path: string, body: object = {}) =>
  app.as.user(by).send(method, `/api/v2${path}`, { body })
const ask = async (by: TestUser) =>
  ((await act(by, 'POST', `/${CITY}/questions`, { question: 'Where?' })).body as { id: number }).id
const reply = async (by: TestUser, question: number, answer = 'There.') =>
  ((await act(by, 'POST', `/questions/${question}/answers`, { answer })).body as { id: number }).id

const questions = async (as = app.as.anonymous) =>
  ((await as.get(`/${CITY}/questions`)).body as { questions: { question: string }[] }).questions.map(({ question }) => question)
const listAnswers = async (question: number) =>
  ((await app.as.anonymous.get(`/questions/${question}/answers`)).body as { answers: { answer: string }[] }).answers.map(
    ({ answer }) => answer,
  )
const readState = async (question: number) => {
  const { answer_count, popularity, accepted_answer_id } = (await app.as.anonymous.get(`/questions/${question}`)).body as Record<
    string,
    number | null
  >
  return { answer_count, popularity, accepted_answer_id }
}

describe('a pending question', () => {
  it('is listed for moderators with its city and a link, and can be filtered by type', async () => {
    const { ada, mia } = people()
    const question = await createPendingQuestion(ada, CITY)
    await createPendingAnswer(people().ben, await ask(ada))

    expect(await items(mia, '?subject_type=question')).toMatchObject([
      {
        subject_type: 'question',
        reasons: ['words'],
        original: { question: 'Where do assholes park?' },
        requested_move: null,
        subject: {
          id: question,
          question: 'Where do assholes park?',
          asker: { name: 'Ada' },
          place: { name: 'New Haven', url_name: CITY },
          html_url: expect.stringMatching(new RegExp(`/questions/${question}$`)) as string,
        },
      },
    ])
    expect(await items(mia, '?subject_type=answer')).toMatchObject([
      {
        subject_type: 'answer',
        subject: { answerer: { name: 'Ben' }, question: { question: 'Where?', place: { name: 'New Haven' } } },
      },
    ])
  })

  it('is published once when it is approved, dated now, with its event', async () => {
    const { ada, mia } = people()
    const question = await createPendingQuestion(ada, CITY)
    const item = await findOpenItem('question', question)
    expect(await questions()).toEqual([])

    const answers = [await approve(mia, item), await approve(mia, item)]

    expect(answers).toMatchObject([
      { status: 200, body: { state: 'approved', subject: { id: question } } },
      { status: 422, body: { base: 'This was already approved by Mia.' } },
    ])
    expect(await questions()).toEqual(['Where do assholes park?'])
    expect(await events()).toEqual(['question.held', 'question.asked'])
    const row = await app.db.prisma.question.findUnique({ where: { id: question } })
    const decided = await app.db.prisma.moderationItem.findUnique({ where: { id: item } })
    expect([row?.created_at, row?.updated_at]).toEqual(Array(2).fill(decided?.decided_at))
  })

  it('is published with the text of the moderator, and the author still gets the original', async () => {
    const { ada, mia } = people()
    const item = await findOpenItem('question', await createPendingQuestion(ada, CITY))

    expect(await approve(mia, item, { answer: 'x' })).toMatchObject({
      status: 422,
      body: { answer: 'cannot be edited here: send only question' },
    })
    expect((await approve(mia, item, { question: ' Where does one park? ' })).status).toBe(200)

    expect(await questions()).toEqual(['Where does one park?'])
    expect((await app.as.user(ada).get(`/moderation/${item}`)).body).toMatchObject({
      original: { question: 'Where do assholes park?' },
      subject: { question: 'Where does one park?' },
      reasons: null,
    })
  })

  it('is visible only to its author and moderators after a rejection', async () => {
    const { ada, ben, mia } = people()
    const question = await createPendingQuestion(ada, CITY)
    const before = (await app.as.anonymous.get(`/${CITY}/questions`)).text

    expect(await reject(mia, await findOpenItem('question', question), 'Be kind.')).toMatchObject({
      status: 200,
      body: { state: 'rejected' },
    })

    expect((await app.as.anonymous.get(`/${CITY}/questions`)).text).toBe(before)
    const statuses = [ada, mia, ben].map(async (person) => (await app.as.user(person).get(`/questions/${question}`)).status)
    expect(await Promise.all(statuses)).toEqual([200, 200, 404])
    expect(await questions(app.as.user(ada))).toEqual([])
    expect(await events()).toEqual(['question.held', 'question.rejected'])
  })

  it('cannot be decided by its author, not even by a moderator or an Admin', async () => {
    const { mia } = people()
    const admin = await app.create.user({ role: 'Admin' })
    for (const author of [mia, admin]) {
      const item = await findOpenItem('question', await createPendingQuestion(author, CITY))
      expect([(await approve(author, item)).status, (await reject(author, item)).status]).toEqual([403, 403])
    }
  })
})

describe('a pending answer', () => {
  it('is published and counted when it is approved, with an event', async () => {
    const { ada, ben, mia } = people()
    const question = await ask(ada)
    const answer = await createPendingAnswer(ben, question)
    const before = await readState(question)

    expect((await approve(mia, await findOpenItem('answer', answer), { answer: 'Ask them.' })).status).toBe(200)

    expect([before, await readState(question)]).toEqual([
      { answer_count: 0, popularity: 0, accepted_answer_id: null },
      { answer_count: 1, popularity: 1, accepted_answer_id: null },
    ])
    expect(await listAnswers(question)).toEqual(['Ask them.'])
    expect(await events()).toEqual(['question.asked', 'answer.held', 'answer.given'])
    const recorded = await queryRows(
      app.db,
      sql`SELECT v.subject_id, v.actor_id, v.payload FROM events v WHERE v.type = 'answer.given'`,
    )
    expect(recorded).toEqual([{ subject_id: answer, actor_id: ben.id, payload: { question_id: question } }])
  })

  it.each([
    ['held', 'The question of this answer is pending review: decide on the question first.'],
    ['rejected', 'The question of this answer was rejected, so the answer cannot be public: you can only reject it, too.'],
  ] as const)('cannot be approved while its question is %s, but can be rejected', async (state, base) => {
    const { ada, ben, mia } = people()
    const question = await ask(ada)
    const item = await findOpenItem('answer', await createPendingAnswer(ben, question))
    await app.db.execute(sql`UPDATE questions q SET moderation_state = ${state} WHERE q.id = ${question} RETURNING q.id`)

    expect(await approve(mia, item)).toMatchObject({ status: 422, body: { base } })

    expect(await items(mia)).toMatchObject([{ id: item, subject: { question: { question: 'Where?' } } }])
    expect((await app.as.user(ben).get(`/moderation/${item}`)).body).toMatchObject({ subject: { question: null } })
    expect((await reject(mia, item)).status).toBe(200)
  })

  it('can only be rejected, by an Admin, if it was deleted, without a notification', async () => {
    const { ada, ben } = people()
    const mia = await app.create.user({ role: 'Admin' })
    const question = await ask(ada)
    const item = await findOpenItem('answer', await createPendingAnswer(ben, question))
    await app.db.execute(sql`DELETE FROM questions q WHERE q.id = ${question} RETURNING q.id`)

    expect(await items(mia)).toMatchObject([{ id: item, subject: null }])
    expect(await approve(mia, item)).toMatchObject({ status: 422 })
    expect((await reject(mia, item)).status).toBe(200)
    expect(await events()).toEqual(['question.asked', 'answer.held'])
  })
})

describe('a flagged question or answer', () => {
  it('stays public when it is approved, with the moderator’s text if there is one', async () => {
    const { ada, ben, mia } = people()
    const question = await ask(ada)
    const answer = await reply(ben, question)
    const open = [await flagged('question', question), await flagged('answer', answer)]

    expect((await approve(mia, open[0] ?? 0, { question: 'Where to?' })).status).toBe(200)
    expect((await approve(mia, open[1] ?? 0, { answer: 'Over there.' })).status).toBe(200)

    expect([await questions(), await listAnswers(question)]).toEqual([['Where to?'], ['Over there.']])
    expect(await events()).toEqual(['question.asked', 'answer.given'])
  })

  it('loses its votes, their points and its acceptance when an answer is rejected', async () => {
    const { ada, ben, mia } = people()
    const question = await ask(ada)
    const answer = await reply(ben, question)
    await act(ada, 'POST', `/answers/${answer}/vote`)
    await act(ada, 'PUT', `/answers/${answer}/accept`)
    const before = [await readState(question), await points(ada)]

    expect((await reject(mia, (await flagged('answer', answer)) ?? 0)).status).toBe(200)

    expect(before).toEqual([{ answer_count: 1, popularity: 2, accepted_answer_id: answer }, 5])
    expect([await readState(question), await listAnswers(question), await points(ada)]).toEqual([
      { answer_count: 0, popularity: 0, accepted_answer_id: null },
      [],
      0,
    ])
  })

  it('reverses points once if the question and then its answer is rejected', async () => {
    const { ada, ben, mia } = people()
    const question = await ask(ada)
    const answer = await reply(ben, question)
    await act(ada, 'POST', `/answers/${answer}/vote`)
    await app.db.execute(sql`UPDATE users u SET civic_points = u.civic_points + 20 WHERE u.id = ${ada.id} RETURNING u.id`)
    const [first, second] = [await flagged('question', question), await flagged('answer', answer)]

    expect((await reject(mia, first ?? 0)).status).toBe(200)
    const between = await points(ada)
    expect((await reject(mia, second ?? 0)).status).toBe(200)

    expect([between, await points(ada)]).toEqual([20, 20])
    expect((await app.as.anonymous.get(`/questions/${question}`)).status).toBe(404)
  })
})
