import { describe, expect, test } from 'vitest'

import { useApp } from '../helpers/use-app.ts'
import { withoutTriggers } from '../helpers/without-triggers.ts'

const it = useApp()

const givenQuestion = async () => it.given.question({ of: (await it.given.place()).id })
const texts = async (question: number, query = '') => {
  const { body } = await it.as.nobody.get(`/questions/${question}/answers${query}`)
  return (body as { answers: { answer: string }[] }).answers.map(({ answer }) => answer)
}

describe('GET /questions/:id/answers', () => {
  test('puts the accepted one first, then those with more votes, of equals the older one; what is held is not there', async () => {
    const on = await givenQuestion()
    const voter = await it.given.user()
    await it.given.cityAnswer({ on, answer: 'younger', created_at: '2026-01-03T00:00:00Z' })
    await it.given.cityAnswer({ on, answer: 'older', created_at: '2026-01-02T00:00:00Z' })
    await it.given.cityAnswer({ on, answer: 'accepted', created_at: '2026-01-04T00:00:00Z', accepted_at: '2026-01-05T00:00:00Z' })
    await it.given.answerVote({ on: await it.given.cityAnswer({ on, answer: 'voted for' }), by: voter })
    await it.given.cityAnswer({ on, answer: 'held', moderation_state: 'held' })
    await it.given.cityAnswer({ on, answer: 'rejected', moderation_state: 'rejected' })
    await it.given.cityAnswer({ on: await givenQuestion(), answer: 'to another question' })

    expect(await texts(on)).toEqual(['accepted', 'voted for', 'older', 'younger'])
  })

  test('is 404 where the question is unknown, or held and not one’s own', async () => {
    const ada = await it.given.user()
    const held = await it.given.question({ of: (await it.given.place()).id, by: ada, moderation_state: 'held' })

    for (const id of [held, 0, 99_999]) expect((await it.as.nobody.get(`/questions/${id}/answers`)).status).toBe(404)
    expect(await it.as.user(ada).get(`/questions/${held}/answers`)).toMatchObject({ status: 200, body: { answers: [] } })
  })

  test('has no parameters: page and per_page are ignored, whatever they are', async () => {
    const on = await givenQuestion()
    await it.given.cityAnswer({ on, answer: 'first', created_at: '2026-01-02T00:00:00Z' })
    await it.given.cityAnswer({ on, answer: 'second', created_at: '2026-01-03T00:00:00Z' })

    for (const query of ['page=2&per_page=1', 'page=x', 'page=99999999999999999999', 'Page=2&perpage=1', 'limit=1']) {
      expect(await texts(on, `?${query}`)).toEqual(['first', 'second'])
    }
  })

  test('gives the first 10,000 of more', async () => {
    const on = await givenQuestion()
    await withoutTriggers(
      it.db,
      `INSERT INTO answers (question_id, answer, created_at)
       SELECT ${on}, 'answer ' || n, '2026-01-01T00:00:00Z'::timestamptz + make_interval(secs => n) FROM generate_series(1, 10001) n;
       UPDATE questions SET answer_count = 10001 WHERE id = ${on}`,
    )

    const all = await texts(on)

    expect([all.length, all[0], all.at(-1)]).toEqual([10_000, 'answer 1', 'answer 10000'])
  })
})
