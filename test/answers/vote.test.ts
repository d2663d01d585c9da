import { describe, expect, it } from 'vitest'

import { sql } from '../../src/database/database.ts'
import { hideAnswer } from '../../src/answers/write-answer.ts'
import { hideQuestion } from '../../src/questions/write-question.ts'
import type { TestUser } from '../helpers/factories.ts'
import { useApp } from '../helpers/use-app.ts'
import { queryRows } from '../helpers/query-rows.ts'

const app = useApp()

const send = (who: TestUser, method: 'POST' | 'DELETE', answer: number) =>
  app.as.user(who).send(method, `/api/v2/answers/${answer}/vote`)
const getVoteCount = async (answer: number) =>
  ((await app.as.anonymous.get(`/answers/${answer}`)).body as { total_votes: number }).total_votes
const getPoints = async ({ id }: TestUser) =>
  ((await app.as.anonymous.get(`/users/${id}`)).body as { civic_points: number }).civic_points
const events = () => queryRows(app.db, sql`SELECT e.type, e.subject_id, e.actor_id, e.payload FROM events e ORDER BY e.id`)

async function createAnswer() {
  const ada = await app.create.user()
  const question = await app.create.question({ place: (await app.create.place()).id })
  return { ada, question, answer: await app.create.answer({ on: question, by: ada }) }
}

describe('POST /answers/:id/vote', () => {
  it('returns 201 {vote: 1}, for one’s own answer, too, counts it for answer and question, and gives five points', async () => {
    const { ada, question, answer } = await createAnswer()
    const bob = await app.create.user()

    expect([await send(bob, 'POST', answer), await send(ada, 'POST', answer)]).toMatchObject([
      { status: 201, body: { vote: 1 } },
      { status: 201, body: { vote: 1 } },
    ])

    expect([await getVoteCount(answer), await getPoints(ada), await getPoints(bob)]).toEqual([2, 5, 5])
    expect((await app.as.anonymous.get(`/questions/${question}`)).body).toMatchObject({
      ...{ popularity: 3, updated_at: '2026-01-03T00:00:00Z' },
    })
    expect((await events())[0]).toEqual({
      ...{ type: 'answer.voted', subject_id: answer, actor_id: bob.id, payload: { question_id: question } },
    })
  })

  it('returns 201 for a second vote and changes nothing', async () => {
    const { ada, answer } = await createAnswer()
    await send(ada, 'POST', answer)

    expect(await send(ada, 'POST', answer)).toMatchObject({ status: 201, body: { vote: 1 } })

    expect([await getVoteCount(answer), await getPoints(ada), (await events()).length]).toEqual([1, 5, 1])
  })

  it('returns 401 for anonymous callers, 404 for unknown and pending answers, and 422 if the caller may read the pending answer', async () => {
    const { ada, question } = await createAnswer()
    const pending = await app.create.answer({ on: question, by: ada, moderation_state: 'held' })

    expect((await app.as.anonymous.send('POST', `/api/v2/answers/${pending}/vote`)).status).toBe(401)
    expect((await send(await app.create.user(), 'POST', pending)).status).toBe(404)
    expect((await send(ada, 'POST', 99_999)).status).toBe(404)
    expect(await send(ada, 'POST', pending)).toMatchObject({
      ...{ status: 422, body: { base: 'This answer is not public, so nothing can be added to it or changed.' } },
    })
  })
})

describe('DELETE /answers/:id/vote', () => {
  it('returns 204 and reverses count and points', async () => {
    const { ada, question, answer } = await createAnswer()
    await send(ada, 'POST', answer)

    expect(await send(ada, 'DELETE', answer)).toMatchObject({ status: 204, text: '' })

    expect([await getVoteCount(answer), await getPoints(ada)]).toEqual([0, 0])
    expect((await app.as.anonymous.get(`/questions/${question}`)).body).toMatchObject({ popularity: 1 })
    expect((await events())[1]).toMatchObject({ type: 'answer.unvoted', subject_id: answer, actor_id: ada.id })
  })

  it('returns 422 without a vote and changes nothing', async () => {
    const { ada, answer } = await createAnswer()

    expect(await send(ada, 'DELETE', answer)).toMatchObject({ status: 422, body: { base: 'You have not voted for this answer.' } })
    expect(await events()).toEqual([])
  })
})

describe('hideAnswer and hideQuestion', () => {
  it.each([
    ['hideAnswer', (answer: number, _question: number) => app.db.transaction((tx) => hideAnswer(tx, answer))],
    ['hideQuestion', (_answer: number, question: number) => app.db.transaction((tx) => hideQuestion(tx, question))],
  ])('%s reverses only the awarded points for votes, and only once', async (_, hide) => {
    const { ada, question, answer } = await createAnswer()
    const bob = await app.create.user({ civic_points: 20 })
    await send(ada, 'POST', answer)
    // Imported and demo votes give no points.
    await app.create.answerVote({ on: answer, by: bob })

    await hide(answer, question)

    expect([await getPoints(ada), await getPoints(bob)]).toEqual([0, 20])
  })
})
