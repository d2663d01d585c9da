import { describe, expect, test } from 'vitest'

import { sql } from '../../src/database/database.ts'
import { hideAnswer } from '../../src/answers/write-queries.ts'
import { hideQuestion } from '../../src/questions/write-queries.ts'
import type { Person } from '../helpers/given.ts'
import { useApp } from '../helpers/use-app.ts'
import { queryRows } from '../helpers/query-rows.ts'

const it = useApp()

const send = (who: Person, method: 'POST' | 'DELETE', answer: number) =>
  it.as.user(who).send(method, `/api/v2/answers/${answer}/vote`)
const votesOf = async (answer: number) =>
  ((await it.as.nobody.get(`/answers/${answer}`)).body as { total_votes: number }).total_votes
const pointsOf = async ({ id }: Person) => ((await it.as.nobody.get(`/users/${id}`)).body as { civic_points: number }).civic_points
const events = () => queryRows(it.db, sql`SELECT e.type, e.subject_id, e.actor_id, e.payload FROM events e ORDER BY e.id`)

async function givenAnswer() {
  const ada = await it.given.user()
  const question = await it.given.question({ of: (await it.given.place()).id })
  return { ada, question, answer: await it.given.cityAnswer({ on: question, by: ada }) }
}

describe('POST /answers/:id/vote', () => {
  test('is 201 {vote: 1}, for one’s own answer, too: it counts for answer and question, and gives five points', async () => {
    const { ada, question, answer } = await givenAnswer()
    const bob = await it.given.user()

    expect([await send(bob, 'POST', answer), await send(ada, 'POST', answer)]).toMatchObject([
      { status: 201, body: { vote: 1 } },
      { status: 201, body: { vote: 1 } },
    ])

    expect([await votesOf(answer), await pointsOf(ada), await pointsOf(bob)]).toEqual([2, 5, 5])
    expect((await it.as.nobody.get(`/questions/${question}`)).body).toMatchObject({
      ...{ popularity: 3, updated_at: '2026-01-03T00:00:00Z' },
    })
    expect((await events())[0]).toEqual({
      ...{ type: 'answer.voted', subject_id: answer, actor_id: bob.id, payload: { question_id: question } },
    })
  })

  test('is 201 again for who has voted, and changes nothing', async () => {
    const { ada, answer } = await givenAnswer()
    await send(ada, 'POST', answer)

    expect(await send(ada, 'POST', answer)).toMatchObject({ status: 201, body: { vote: 1 } })

    expect([await votesOf(answer), await pointsOf(ada), (await events()).length]).toEqual([1, 5, 1])
  })

  test('is 401 for nobody, 404 for what is unknown or held, 422 for what one reads although it is held', async () => {
    const { ada, question } = await givenAnswer()
    const held = await it.given.cityAnswer({ on: question, by: ada, moderation_state: 'held' })

    expect((await it.as.nobody.send('POST', `/api/v2/answers/${held}/vote`)).status).toBe(401)
    expect((await send(await it.given.user(), 'POST', held)).status).toBe(404)
    expect((await send(ada, 'POST', 99_999)).status).toBe(404)
    expect(await send(ada, 'POST', held)).toMatchObject({
      ...{ status: 422, body: { base: 'This answer is not public, so nothing can be added to it or changed.' } },
    })
  })
})

describe('DELETE /answers/:id/vote', () => {
  test('is 204, and takes back what the vote counted for', async () => {
    const { ada, question, answer } = await givenAnswer()
    await send(ada, 'POST', answer)

    expect(await send(ada, 'DELETE', answer)).toMatchObject({ status: 204, text: '' })

    expect([await votesOf(answer), await pointsOf(ada)]).toEqual([0, 0])
    expect((await it.as.nobody.get(`/questions/${question}`)).body).toMatchObject({ popularity: 1 })
    expect((await events())[1]).toMatchObject({ type: 'answer.unvoted', subject_id: answer, actor_id: ada.id })
  })

  test('without a vote is 422, and changes nothing', async () => {
    const { ada, answer } = await givenAnswer()

    expect(await send(ada, 'DELETE', answer)).toMatchObject({ status: 422, body: { base: 'You have not voted for this answer.' } })
    expect(await events()).toEqual([])
  })
})

describe('hiding', () => {
  test.each([
    ['an answer', (answer: number, _question: number) => it.db.transaction((tx) => hideAnswer(tx, answer))],
    ['its question', (_answer: number, question: number) => it.db.transaction((tx) => hideQuestion(tx, question))],
  ])('%s takes the points for its votes back, once, and none that it never gave', async (_, hide) => {
    const { ada, question, answer } = await givenAnswer()
    const bob = await it.given.user({ civic_points: 20 })
    await send(ada, 'POST', answer)
    // As an import or the demo writes one: without points.
    await it.given.answerVote({ on: answer, by: bob })

    await hide(answer, question)

    expect([await pointsOf(ada), await pointsOf(bob)]).toEqual([0, 20])
  })
})
