import { beforeEach, describe, expect, it } from 'vitest'

import type { StaffRequestType } from '../../src/imports/organizations/edit-type.ts'
import { GREEN, type TestUser } from '../helpers/factories.ts'
import { useApp } from '../helpers/use-app.ts'

const app = useApp()
let roads = 0
let manager: TestUser

beforeEach(async () => {
  roads = await app.create.organization({ name: 'Roads' })
  manager = await app.create.user({ memberOf: [{ organization: roads, role: 'manager' }] })
})

const create = (body: object) => app.as.user(manager).send('POST', `/api/v2/organizations/${roads}/request_types`, { body })
const change = (id: number, body: object) =>
  app.as.user(manager).send('PUT', `/api/v2/organizations/${roads}/request_types/${id}`, { body, headers: { 'if-match': '*' } })
const bench = {
  title: 'Broken bench',
  category: 'park',
  translations: { es: { title: 'Banco roto' } },
  questions: [
    { primary_key: 'summary', question: 'What is broken?', question_type: 'text', response_required: true },
    { question: 'How bad?', question_type: 'select', select_values: ['A little', 'Unusable'] },
  ],
}

describe('request types of an organisation', () => {
  it('are added with their questions and stand in the report form at once', async () => {
    const { status, body } = await create(bench)
    const form = await app.as.anonymous.get(`/issues/new?lat=${GREEN.lat}&lng=${GREEN.lng}`, { 'accept-language': 'es' })

    expect([status, body]).toMatchObject([
      201,
      { title: 'Broken bench', category: 'park', active: true, questions: [{ primary_key: 'summary' }, { question: 'How bad?' }] },
    ])
    expect(form.body).toMatchObject({ request_types: [{ title: 'Banco roto' }, { is_other: true }] })
  })

  it('change only the given fields, keep the ids of questions, and retire missing ones', async () => {
    const before = (await create(bench)).body as StaffRequestType
    const renamed = (await change(before.id, { title: 'Damaged bench' })).body as StaffRequestType
    const after = (await change(before.id, { questions: [bench.questions[1], { question: 'Who saw it?', question_type: 'text' }] }))
      .body as StaffRequestType

    expect(renamed).toEqual({ ...before, title: 'Damaged bench' })
    expect(after.questions.map(({ question, active }) => `${question} ${active}`)).toEqual([
      'How bad? true',
      'Who saw it? true',
      'What is broken? false',
    ])
    expect(after.questions[0]?.id).toBe(before.questions[1]?.id)
  })

  it('are retired: an old issue keeps its type and the question that was asked', async () => {
    const { id } = (await create(bench)).body as StaffRequestType
    const issue = await app.create.issue({ request_type: id, summary: 'No back rest' })
    await app.create.formAnswer({ on: issue, question: 'How bad?', answer: 'Unusable' })

    const retired = await change(id, { active: false })
    const form = await app.as.anonymous.get(`/issues/new?lat=${GREEN.lat}&lng=${GREEN.lng}`)
    const old = await app.as.anonymous.get(`/issues/${issue}`)

    expect(retired.body).toMatchObject({ active: false })
    expect(form.body).toMatchObject({ request_types: [{ is_other: true }] })
    expect(old.body).toMatchObject({
      request_type: { title: 'Broken bench' },
      questions: [{ question: 'How bad?', answer: 'Unusable' }],
    })
  })

  it('name all errors of a document by their paths', async () => {
    const which = { question: 'Which?', question_type: 'select' }
    const documents = [
      { title: ' ', category: 'boat', questions: [{ question: 'How wide?', question_type: 'long' }] },
      { title: 'Lamp', questions: [which, { primary_key: 'summary', question: 'What?', question_type: 'file' }] },
    ]

    const answers = await Promise.all(documents.map(create))

    expect(answers.map(({ status, body }) => [status, ...Object.keys(body as object)])).toEqual([
      [422, 'title', 'category', 'questions[0].question_type'],
      [422, 'questions[0].select_values', 'questions[1].question_type'],
    ])
  })

  it('have a title of their own in the organisation, and are no types of another one', async () => {
    await create(bench)
    const parks = await app.create.organization({ name: 'Parks' })
    const foreign = await app.create.requestType({ organization: parks, title: 'Tree' })

    expect((await create({ title: 'broken BENCH' })).body).toEqual({ title: 'is the title of another type of the organisation' })
    expect((await change(foreign, { title: 'Stolen' })).status).toBe(404)
  })
})
