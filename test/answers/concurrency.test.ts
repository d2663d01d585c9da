import { afterEach, beforeEach, describe, expect, it } from 'vitest'

import { sql } from '../../src/database/database.ts'
import { sendConcurrently, USERS, deadlocks, createUsers, countByStatus } from '../race/concurrent-users.ts'
import { useApp } from '../helpers/use-app.ts'
import { queryRows } from '../helpers/query-rows.ts'

const app = useApp()
let before: number
beforeEach(async () => {
  before = await deadlocks(app)
})
afterEach(async () => expect(await deadlocks(app), 'deadlocks').toBe(before))

const listWrongCounts = () =>
  queryRows(
    app.db,
    sql`
    SELECT 'answer' AS what, a.id FROM answers a
    WHERE a.vote_count <> (SELECT count(*) FROM answer_votes v WHERE v.answer_id = a.id)
    UNION ALL
    SELECT 'question', q.id FROM questions q
    WHERE q.answer_count <> (SELECT count(*) FROM answers a WHERE a.question_id = q.id AND a.moderation_state = 'passed')
      OR q.vote_count <> (SELECT count(*) FROM answer_votes v JOIN answers a ON a.id = v.answer_id
        WHERE a.question_id = q.id AND a.moderation_state = 'passed')
    UNION ALL
    SELECT 'user', u.id FROM users u WHERE u.civic_points <> 5 * (SELECT count(*) FROM answer_votes v WHERE v.user_id = u.id)`,
  )
const getPopularity = async (question: number) =>
  ((await app.as.anonymous.get(`/questions/${question}`)).body as { popularity: number }).popularity

const createQuestion = async () => app.create.question({ place: (await app.create.place()).id })

describe('concurrent requests for one question', () => {
  it('count each vote once', async () => {
    const question = await createQuestion()
    const answer = await app.create.answer({ on: question })
    const people = await createUsers(app)

    const answers = await sendConcurrently(app, [...people, ...people], `/answers/${answer}/vote`)

    expect(countByStatus(answers)).toEqual({ '201': 2 * USERS })
    expect(await getPopularity(question)).toBe(1 + USERS)
    expect(await listWrongCounts()).toEqual([])
  })

  it('keep all counts correct and accept one answer', async () => {
    const question = await createQuestion()
    const [first, second] = [await app.create.answer({ on: question }), await app.create.answer({ on: question })]
    const people = await createUsers(app, 'employee')

    const answers = await Promise.all(
      people.flatMap((person, n) => {
        const mine = n % 2 ? first : second
        const send = (method: 'POST' | 'PUT' | 'DELETE', path: string, body?: object) =>
          app.as.user(person).send(method, `/api/v2${path}`, body ? { body } : {})
        return [
          send('POST', `/questions/${question}/answers`, { answer: `This is what ${n} knows.` }),
          send('POST', `/answers/${mine}/vote`),
          send('DELETE', `/answers/${mine}/vote`),
          send('PUT', `/answers/${mine}/accept`),
        ]
      }),
    )

    expect(Object.keys(countByStatus(answers)).filter((status) => !['200', '201', '204', '422 base'].includes(status))).toEqual([])
    expect(await listWrongCounts()).toEqual([])
    const accepted = await queryRows(app.db, sql`SELECT a.id FROM answers a WHERE a.accepted_at IS NOT NULL`)
    expect(accepted).toHaveLength(1)
    const balance = await queryRows(
      app.db,
      sql`
      SELECT count(*) FILTER (WHERE e.type = 'answer.accepted')::integer - count(*) FILTER (WHERE e.type = 'answer.unaccepted')::integer AS open
      FROM events e`,
    )
    expect(balance).toEqual([{ open: 1 }])
  })
})
