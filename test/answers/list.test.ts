import { describe, expect, it } from 'vitest'

import { useApp } from '../helpers/use-app.ts'
import { withoutTriggers } from '../helpers/without-triggers.ts'

const app = useApp()

const createQuestion = async () => app.create.question({ place: (await app.create.place()).id })
const texts = async (question: number, query = '') => {
  const { body } = await app.as.anonymous.get(`/questions/${question}/answers${query}`)
  return (body as { answers: { answer: string }[] }).answers.map(({ answer }) => answer)
}

describe('GET /questions/:id/answers', () => {
  it('lists the accepted answer first, then by votes, then the oldest, without pending answers', async () => {
    const on = await createQuestion()
    const voter = await app.create.user()
    await app.create.answer({ on, answer: 'younger', created_at: '2026-01-03T00:00:00Z' })
    await app.create.answer({ on, answer: 'older', created_at: '2026-01-02T00:00:00Z' })
    await app.create.answer({ on, answer: 'accepted', created_at: '2026-01-04T00:00:00Z', accepted_at: '2026-01-05T00:00:00Z' })
    await app.create.answerVote({ on: await app.create.answer({ on, answer: 'voted for' }), by: voter })
    await app.create.answer({ on, answer: 'held', moderation_state: 'held' })
    await app.create.answer({ on, answer: 'rejected', moderation_state: 'rejected' })
    await app.create.answer({ on: await createQuestion(), answer: 'to another question' })

    expect(await texts(on)).toEqual(['accepted', 'voted for', 'older', 'younger'])
  })

  it('returns 404 for an unknown question and for another user’s pending question', async () => {
    const ada = await app.create.user()
    const pending = await app.create.question({ place: (await app.create.place()).id, by: ada, moderation_state: 'held' })

    for (const id of [pending, 0, 99_999]) expect((await app.as.anonymous.get(`/questions/${id}/answers`)).status).toBe(404)
    expect(await app.as.user(ada).get(`/questions/${pending}/answers`)).toMatchObject({ status: 200, body: { answers: [] } })
  })

  it('ignores page and per_page', async () => {
    const on = await createQuestion()
    await app.create.answer({ on, answer: 'first', created_at: '2026-01-02T00:00:00Z' })
    await app.create.answer({ on, answer: 'second', created_at: '2026-01-03T00:00:00Z' })

    for (const query of ['page=2&per_page=1', 'page=x', 'page=99999999999999999999', 'Page=2&perpage=1', 'limit=1']) {
      expect(await texts(on, `?${query}`)).toEqual(['first', 'second'])
    }
  })

  it('returns at most 10,000 answers', async () => {
    const on = await createQuestion()
    await withoutTriggers(
      app.db,
      `INSERT INTO answers (question_id, answer, created_at)
       SELECT ${on}, 'answer ' || n, '2026-01-01T00:00:00Z'::timestamptz + make_interval(secs => n) FROM generate_series(1, 10001) n;
       UPDATE questions SET answer_count = 10001 WHERE id = ${on}`,
    )

    const all = await texts(on)

    expect([all.length, all[0], all.at(-1)]).toEqual([10_000, 'answer 1', 'answer 10000'])
  })
})
