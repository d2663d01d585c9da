import { describe, expect, it } from 'vitest'

import { sql } from '../../src/database/database.ts'
import { GREEN, type TestUser } from '../helpers/factories.ts'
import { useApp } from '../helpers/use-app.ts'
import { queryRows } from '../helpers/query-rows.ts'

const app = useApp()

const report = { ...GREEN, address: '250 Church St', request_type_id: 'other', answers: { summary: 'Broken bench' } }
const send = (person: TestUser, body: unknown) => app.as.user(person).send('POST', '/api/v2/issues', { body })
const errorsOf = (answer: { status: number; body: unknown }) => {
  expect(answer.status).toBe(422)
  return (answer.body as { errors: unknown }).errors
}
const form = (fields: Readonly<Record<string, string>>) => ({
  body: new URLSearchParams(fields).toString(),
  headers: { 'content-type': 'application/x-www-form-urlencoded' },
})

describe('POST /issues', () => {
  it('stores a summary and a description that the request type does not ask for', async () => {
    const ada = await app.create.user()
    const type = await app.create.requestType({ title: 'Pothole' })
    const answers = { summary: 'As wide as a plate', description: 'Two\nlines', issue_image: 'ignored' }

    const asJson = await send(ada, { ...report, request_type_id: type, answers })
    const asForm = form({
      lat: '41.3083',
      lng: '-72.9279',
      address: 'Church St',
      request_type_id: String(type),
      'answers[summary]': 'B',
    })
    const sent = await app.as.user(ada).send('POST', '/api/v2/issues', asForm)
    const tooLong = await send(ada, { ...report, request_type_id: type, answers: { summary: 'x'.repeat(256) } })

    expect(asJson).toMatchObject({ status: 201, body: { summary: 'As wide as a plate', description: 'Two\nlines' } })
    expect(sent).toMatchObject({ status: 201, body: { summary: 'B', description: null } })
    expect(errorsOf(tooLong)).toEqual({ summary: ['must not have more than 255 characters'] })
  })

  it('compares the key of a choice byte for byte', async () => {
    const ada = await app.create.user()
    const keys = [' a', 'A ', 'caf\u00e9', '\u200b', '👩\u200d🚒']
    const select_values = keys.map((key, n) => ({ key, name: `No. ${n}` }))
    const selectQuestion = { question: 'Which?', question_type: 'select', response_required: true, select_values }
    const type = await app.create.requestType({ title: 'Lamp', questions: [selectQuestion] })
    const [question] = await queryRows<{ id: number }>(app.db, sql`SELECT q.id FROM request_type_questions q`)
    const choose = async (key: string) => {
      const fields = { lat: '41.3083', lng: '-72.9279', request_type_id: String(type), 'answers[summary]': `Key ${key}.` }
      const answer = form({ ...fields, address: '1 Church St', [`answers[${question?.id}]`]: key })
      return (await app.as.user(ada).send('POST', '/api/v2/issues', answer)).status
    }

    const exact = await Promise.all(keys.map(choose))
    const others = await Promise.all(['a', 'A', 'cafe\u0301', '\u200b\u200b', ' '].map(choose))

    expect(exact).toEqual(keys.map(() => 201))
    expect(others).toEqual(others.map(() => 422))
  })
})
