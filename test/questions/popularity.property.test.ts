import fc from 'fast-check'
import { beforeAll, expect, it } from 'vitest'

import { sql } from '../../src/database/database.ts'
import type { TestUser } from '../helpers/factories.ts'
import { useApp } from '../helpers/use-app.ts'
import { runs } from '../helpers/long.ts'
import { queryRows } from '../helpers/query-rows.ts'

const app = useApp({ keepRows: true })

let people: TestUser[]
beforeAll(async () => {
  people = []
  for (let n = 0; n < 4; n++) people.push(await app.create.user())
})

const state = fc.constantFrom('passed', 'passed', 'passed', 'held', 'rejected')
const questions = fc.array(
  fc.record({
    state,
    /** The range is small so that ties occur. */
    day: fc.integer({ min: 1, max: 3 }),
    answers: fc.array(fc.record({ state, voters: fc.subarray([0, 1, 2, 3]) }), { maxLength: 4 }),
  }),
  { minLength: 1, maxLength: 8 },
)
/** Changes that are applied one after another; `q` and `a` are indexes modulo the number of rows. */
const changes = fc.array(
  fc.record({
    what: fc.constantFrom(
      'vote',
      'unvote',
      'hide answer',
      'show answer',
      'hide question',
      'show question',
      'remove answer',
      'forget',
    ),
    q: fc.nat(),
    a: fc.nat(),
    who: fc.integer({ min: 0, max: 3 }),
  }),
  { maxLength: 12 },
)

interface ExpectedQuestion {
  readonly id: number
  isVisible: boolean
  readonly day: number
  answers: { readonly id: number; isVisible: boolean; readonly voters: Set<number> }[]
}

/** Computes the specified order from the changes, without reading the database. */
const expected = (expectedQuestions: readonly ExpectedQuestion[]) =>
  expectedQuestions
    .filter(({ isVisible }) => isVisible)
    .map(({ id, day, answers }) => {
      const visible = answers.filter((answer) => answer.isVisible)
      return { id, day, popularity: visible.length + visible.reduce((votes, { voters }) => votes + voters.size, 0) }
    })
    .toSorted((one, other) => other.popularity - one.popularity || other.day - one.day || other.id - one.id)
    .map(({ id, popularity }) => ({ id, popularity }))

const listed = async (city: string, subset: string) => {
  const { status, body } = await app.as.anonymous.get(`/${city}/questions?per_page=100&subset=${subset}`)
  expect({ status, body }).toMatchObject({ status: 200 })
  const { questions } = body as { questions: { id: number; popularity: number }[] }
  return questions.map(({ id, popularity }) => ({ id, popularity }))
}

async function createQuestion(
  place: number,
  input: (typeof questions extends fc.Arbitrary<infer Q> ? Q : never)[number],
): Promise<ExpectedQuestion> {
  const created_at = `2026-02-0${input.day}T12:00:00Z`
  const id = await app.create.question({ place: place, created_at, moderation_state: input.state })
  const answers = []
  for (const { state: moderation_state, voters } of input.answers) {
    const answer = await app.create.answer({ on: id, moderation_state })
    for (const who of voters) await app.create.answerVote({ on: answer, by: people[who] as TestUser })
    answers.push({ id: answer, isVisible: moderation_state === 'passed', voters: new Set(voters) })
  }
  return { id, isVisible: input.state === 'passed', day: input.day, answers }
}

async function change(
  expectedQuestions: readonly ExpectedQuestion[],
  { what, q, a, who }: (typeof changes extends fc.Arbitrary<infer C> ? C : never)[number],
) {
  const question = expectedQuestions[q % expectedQuestions.length] as ExpectedQuestion
  const answer = question.answers[a % Math.max(question.answers.length, 1)]
  const user = (people[who] as TestUser).id
  if (what === 'hide question' || what === 'show question') {
    question.isVisible = what === 'show question'
    const to = question.isVisible ? 'passed' : 'rejected'
    return queryRows(app.db, sql`UPDATE questions q SET moderation_state = ${to} WHERE q.id = ${question.id} RETURNING q.id`)
  }
  if (what === 'forget') {
    // The deletion of an account removes many rows of several questions in one statement.
    for (const { voters } of expectedQuestions.flatMap(({ answers }) => answers)) voters.delete(who)
    return queryRows(app.db, sql`DELETE FROM answer_votes v WHERE v.user_id = ${user} RETURNING v.answer_id`)
  }
  if (!answer) return undefined
  switch (what) {
    case 'vote':
      answer.voters.add(who)
      return queryRows(
        app.db,
        sql`INSERT INTO answer_votes (answer_id, user_id) VALUES (${answer.id}, ${user}) ON CONFLICT DO NOTHING`,
      )
    case 'unvote':
      answer.voters.delete(who)
      return queryRows(
        app.db,
        sql`DELETE FROM answer_votes v WHERE v.answer_id = ${answer.id} AND v.user_id = ${user} RETURNING v.answer_id`,
      )
    case 'remove answer':
      question.answers = question.answers.filter((other) => other !== answer)
      return queryRows(app.db, sql`DELETE FROM answers a WHERE a.id = ${answer.id} RETURNING a.id`)
    default: {
      answer.isVisible = what === 'show answer'
      const to = answer.isVisible ? 'passed' : 'held'
      return queryRows(app.db, sql`UPDATE answers a SET moderation_state = ${to} WHERE a.id = ${answer.id} RETURNING a.id`)
    }
  }
}

it('lists questions by visible answers and votes, newest first, after any sequence of changes', async () => {
  await fc.assert(
    fc.asyncProperty(questions, changes, async (input, happened) => {
      const city = await app.create.place()
      const expectedQuestions: ExpectedQuestion[] = []
      for (const question of input) expectedQuestions.push(await createQuestion(city.id, question))
      for (const one of happened) await change(expectedQuestions, one)

      const all = expected(expectedQuestions)
      expect(await listed(city.url_name, '')).toEqual(all)
      expect(await listed(city.url_name, 'answered')).toEqual(all.filter(({ popularity }) => popularity > 0))
      expect(await listed(city.url_name, 'unanswered')).toEqual(all.filter(({ popularity }) => popularity === 0))
    }),
    runs(8),
  )
})
