import { describe, expect, test } from 'vitest'

import { sql } from '../../src/database/database.ts'
import { useApp } from '../helpers/use-app.ts'

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
    expect(await texts(on, '?per_page=2&page=2')).toEqual(['older', 'younger'])
  })

  test('is 404 where the question is unknown, or held and not one’s own', async () => {
    const ada = await it.given.user()
    const held = await it.given.question({ of: (await it.given.place()).id, by: ada, moderation_state: 'held' })

    for (const id of [held, 0, 99_999]) expect((await it.as.nobody.get(`/questions/${id}/answers`)).status).toBe(404)
    expect(await it.as.user(ada).get(`/questions/${held}/answers`)).toMatchObject({ status: 200, body: { answers: [] } })
  })

  test('refuses a page that is no number', async () => {
    expect(await it.as.nobody.get(`/questions/${await givenQuestion()}/answers?page=x`)).toMatchObject({
      status: 422,
      body: { page: 'must be an integer up to 9007199254740991' },
    })
  })

  test('gives the first 5,000 of more, and a link to where they go on', async () => {
    const on = await givenQuestion()
    await it.db.query(sql`
      INSERT INTO answers (question_id, answer, created_at)
      SELECT ${on}, 'answer ' || n, '2026-01-01T00:00:00Z'::timestamptz + make_interval(secs => n) FROM generate_series(1, 5001) n`)

    const { headers, body } = await it.as.nobody.get(`/questions/${on}/answers`)

    const next = `http://fixpoint.test/api/v2/questions/${on}/answers?page=51&per_page=100`
    expect([(body as { answers: unknown[] }).answers.length, headers['link']]).toEqual([5_000, `<${next}>; rel="next"`])
    expect(await texts(on, '?page=51&per_page=100')).toEqual(['answer 5001'])
  })
})
