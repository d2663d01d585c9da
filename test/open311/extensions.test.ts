import { describe, expect, it } from 'vitest'

import { sql } from '../../src/database/database.ts'
import { PUBLIC_URL, useApp } from '../helpers/use-app.ts'
import { createReader, readXml } from './reader.ts'
import { createWriter, hole } from './writer.ts'

const app = useApp()
const { ask, readRequests } = createReader(app)
const RECENT = new Date(Date.now() - 86_400_000).toISOString()

interface Attribute {
  readonly code: string | null
  readonly name: string
  readonly value: string
  readonly keys: readonly string[]
}
const attributesOf = (request: { readonly extended_attributes?: Readonly<Record<string, unknown>> } | undefined) =>
  request?.extended_attributes?.['attributes'] as Attribute[]

/** Adds an answer with a value as `reporting` stores it. */
const addAnswer = (issue: number, question: number, position: number, answer: string, value: unknown, isPrivate = false) =>
  app.db.prisma.issueAnswer.create({
    data: {
      ...{ issue_id: issue, question_id: question, question: `Question ${position}?`, answer, position },
      ...{ value: value as string, answer_kept_private: isPrivate },
    },
  })

describe('extended_attributes.attributes', () => {
  it('has the public answers with the codes of the service definition, and no private ones', async () => {
    const type = await app.create.requestType({
      questions: ['text', 'select', 'multivaluelist', 'boolean', 'number', 'file', 'text'].map((question_type, n) => ({
        ...{ question: `Question ${n}?`, question_type, answer_kept_private: n === 6 },
        ...(n === 1 || n === 2 ? { select_values: [{ key: 'a', name: 'A & B' }] } : {}),
      })),
    })
    const questions = await app.db.prisma.requestTypeQuestion.findMany({ where: { request_type_id: type }, orderBy: { id: 'asc' } })
    const [ids, issue] = [questions.map(({ id }) => id), await app.create.issue({ request_type: type, created_at: RECENT })]
    const values = ['deep <hole>', 'a', ['a', 'b'], true, 12.5, { file: 'x/full.jpg' }, 'ring 555 0142']
    const answers = ['deep <hole>', 'A & B', 'A & B, C', 'Yes', '12.5', 'x/full.jpg', 'ring 555 0142']
    for (const [n, id] of ids.entries()) await addAnswer(issue, id, n, answers[n] ?? '', values[n], n === 6)

    const [request] = await readRequests('?extensions=true')
    const one = await ask(`/requests/${issue}.json?extensions=true`)
    const xml = await ask(`/requests/${issue}.xml?extensions=true`)

    const codes = ((await ask(`/services/${type}.json`)).body as { attributes: { code: string }[] }).attributes.map(
      ({ code }) => code,
    )
    expect(attributesOf(request)).toEqual([
      { code: codes[0], name: 'Question 0?', value: 'deep <hole>', keys: [] },
      { code: codes[1], name: 'Question 1?', value: 'A & B', keys: ['a'] },
      { code: codes[2], name: 'Question 2?', value: 'A & B, C', keys: ['a', 'b'] },
      { code: codes[3], name: 'Question 3?', value: 'Yes', keys: ['true'] },
      { code: codes[4], name: 'Question 4?', value: '12.5', keys: [] },
      { code: codes[5], name: 'Question 5?', value: `${PUBLIC_URL}/files/x/full.jpg`, keys: [] },
    ])
    expect(attributesOf((one.body as never[])[0])).toEqual(attributesOf(request))
    expect(readXml(xml.text).content).toMatchObject([{ extended_attributes: { attributes: attributesOf(request) } }])
    for (const { text } of [one, xml]) expect(text).not.toContain('555 0142')
  })

  it('has the key of a choice that equals its name', async () => {
    const ada = await app.create.user()
    const choices = ['A', 'B'].map((key) => ({ key, name: key }))
    const type = await app.create.requestType({
      questions: [{ question: 'Which?', question_type: 'select', select_values: choices }],
    })
    const { id } = await app.db.prisma.requestTypeQuestion.findFirstOrThrow({ where: { request_type_id: type } })
    const { post } = createWriter(() => app.as.anonymous)

    await post('/requests.json', { ...hole, service_code: String(type), [`attribute[${id}]`]: 'B' }, { by: ada })

    expect(attributesOf((await readRequests('?extensions=true'))[0])).toEqual([
      { code: String(id), name: 'Which?', value: 'B', keys: ['B'] },
    ])
  })

  it('follows the change of an answer', async () => {
    const issue = await app.create.issue({ created_at: RECENT })
    await app.create.formAnswer({ on: issue, question: 'How deep?', answer: '10 cm' })
    for (const path of ['/requests.json?extensions=true', `/requests/${issue}.json?extensions=true`]) {
      const { headers } = await ask(path)
      await app.db.prisma.issueAnswer.updateMany({ where: { issue_id: issue }, data: { answer: `Seen by ${path}` } })

      const { status, text } = await ask(path, { 'if-none-match': String(headers['etag']) })

      expect(status).toBe(200)
      expect(text).toContain(`Seen by ${path}`)
    }
  })

  it('has at most 20 answers of 1,000 characters in lists, and all for a single request', async () => {
    const issue = await app.create.issue({ created_at: RECENT })
    await app.create.formAnswer({ on: issue, question: 'Question 0?', answer: 'é'.repeat(5_000) })
    for (let n = 1; n < 30; n++) await app.create.formAnswer({ on: issue, question: `Question ${n}?`, answer: 'Yes' })

    const listed = attributesOf((await readRequests('?extensions=true'))[0])
    const single = attributesOf(((await ask(`/requests/${issue}.json?extensions=true`)).body as never[])[0])

    expect(listed.map(({ name }) => name)).toEqual(single.slice(0, 20).map(({ name }) => name))
    expect(listed[0]?.value).toBe(`${'é'.repeat(999)}…`)
    expect(single).toHaveLength(30)
    expect(single[0]?.value).toBe('é'.repeat(5_000))
  })
})

describe('pages with extensions=true', () => {
  it('have up to 1,000 service requests, and the larger the page the fewer notes', async () => {
    const issue = await app.create.issue({ created_at: RECENT })
    for (let n = 0; n < 25; n++) await app.create.comment({ on: issue, comment: `Comment ${n}` })
    await app.db.execute(sql`
      INSERT INTO issues (summary, lng, lat, created_at, updated_at)
      SELECT 'Hole ' || n, i.lng, i.lat, i.created_at, i.updated_at FROM issues i CROSS JOIN generate_series(1, 1100) n RETURNING issues.id`)
    const commentsIn = async (query: string) =>
      (await readRequests(`?extensions=true&${query}`))
        .find(({ service_request_id }) => service_request_id === String(issue))
        ?.notes?.filter(({ type }) => type === 'comment')
        .map(({ description }) => description)

    expect(await readRequests('?extensions=true')).toHaveLength(1_000)
    expect(
      await readRequests(`?extensions=true&service_request_id=${Array.from({ length: 1_000 }, (_, n) => n + 1).join()}`),
    ).toHaveLength(1_000)
    expect(await commentsIn(`service_request_id=${issue}`)).toHaveLength(20)
    expect(await commentsIn('page_size=1000&page=2')).toEqual(['Comment 23', 'Comment 24'])
    expect(await commentsIn('page_size=200&page=6')).toHaveLength(10)
    expect((await ask('/requests.json?extensions=true&page_size=1001')).body).toEqual([
      { code: 400, description: 'page_size: must be an integer from 1 to 1000' },
    ])
  })
})
