import { describe, expect, it } from 'vitest'

import { sql } from '../../src/database/database.ts'
import { startFakeEndpoint } from '../georeport/fake-endpoint.ts'
import { PUBLIC_URL, useApp } from '../helpers/use-app.ts'
import { type City, createCity, createWorker, report } from './city.ts'

const app = useApp()

const questions = [
  {
    question: 'How wide is it?',
    question_type: 'select',
    select_values: [
      { key: 'w1', name: 'Narrow' },
      { key: 'w2', name: 'Wide' },
    ],
  },
  { question: 'Which lane?', question_type: 'text' },
  { question: 'Your telephone number', question_type: 'text', answer_kept_private: true },
  { question: 'A remark for us', question_type: 'text', answer_kept_private: true },
]

/** Reports with all answers and returns what the endpoint got. */
async function forward(shared: readonly string[], anonymous: boolean) {
  const endpoint = await startFakeEndpoint()
  endpoint.definitions.set('ROADS', {
    service_code: 'ROADS',
    attributes: [
      {
        code: 'WIDTH',
        description: 'how wide is it? ',
        values: [
          { key: '1', name: 'narrow' },
          { key: '2', name: 'wide' },
        ],
      },
      { code: 'PHONE', description: 'Your telephone number', values: [] },
    ],
  })
  const created = await createCity(app, endpoint, { shared })
  const city: City = { ...created, type: await app.create.requestType({ organization: created.organization, questions }) }
  const [width, lane, phone, remark] = (
    await app.db.prisma.requestTypeQuestion.findMany({ where: { request_type_id: city.type }, orderBy: { id: 'asc' } })
  ).map(({ id }) => String(id))
  const answers = {
    summary: 'A deep pothole',
    [width!]: 'w2',
    [lane!]: 'The left one',
    [phone!]: '+1 555 0100',
    [remark!]: 'Call me.',
  }
  const id = await report(app, city, { answers, anonymize_reporter: anonymous })
  expect(await createWorker(app).deliver()).toEqual([])
  const { form } = endpoint.posts('/requests.json')[0] ?? {}
  return { form, id, city }
}

const personal = (form: Readonly<Record<string, string>> | undefined) =>
  ['first_name', 'last_name', 'email', 'phone', 'attribute[PHONE]'].map((name) => form?.[name])

describe('the endpoint of an organisation', () => {
  it('gets no identity and no private answers by default, and public answers as attributes or text', async () => {
    const { form, id } = await forward([], false)

    expect(personal(form)).toEqual([undefined, undefined, undefined, undefined, undefined])
    expect(form?.['attribute[WIDTH]']).toBe('2')
    expect(form?.['description']).toBe(`A deep pothole\n\nWhich lane?: The left one\n\nReference: ${PUBLIC_URL}/issues/${id}`)
    expect(JSON.stringify(form)).not.toMatch(/Rosa|555|Call me/)
  })

  it('gets names, addresses and private answers only if the organisation shares them', async () => {
    const { form, city } = await forward(['names', 'emails', 'private_answers'], false)

    expect(personal(form)).toEqual(['Rosa', 'Resident', city.resident.email, undefined, '+1 555 0100'])
    expect(form?.['description']).not.toContain('Call me')
  })

  it.each([
    ['nothing about anonymous reporters', ['names', 'emails'], [undefined, undefined, undefined]],
    ['them if the organisation shares anonymous reporters', ['names', 'anonymous_reporters'], ['Rosa', 'Resident', undefined]],
  ])('gets %s', async (_, shared, expected) => {
    const { form } = await forward(shared, true)

    expect(personal(form).slice(0, 3)).toEqual(expected)
  })

  it('never gets contact data that came with an Open311 report', async () => {
    const endpoint = await startFakeEndpoint()
    endpoint.definitions.set('ROADS', { service_code: 'ROADS', attributes: [{ code: 'CALL', description: 'Phone', values: [] }] })
    const city = await createCity(app, endpoint, { shared: ['names', 'emails', 'anonymous_reporters', 'private_answers'] })
    const id = await report(app, city)
    await app.db.execute(sql`
      INSERT INTO issue_answers (issue_id, question, answer, value, answer_kept_private, is_contact, position)
      VALUES (${id}, 'Phone', '+1 555 0100', '"+1 555 0100"', TRUE, TRUE, 1000)`)

    await createWorker(app).deliver()

    expect(endpoint.requests.length).toBe(1)
    expect(JSON.stringify(endpoint.posts('/requests.json')[0]?.form)).not.toContain('555')
  })

  it('gets the address of the public picture', async () => {
    const endpoint = await startFakeEndpoint()
    const city = await createCity(app, endpoint)
    const id = await report(app, city)
    await app.db.execute(sql`
      INSERT INTO media (issue_id, full_key, content_type, bytes, width, height, is_answer, answer_kept_private)
      VALUES (${id}, 'private.png', 'image/png', 1, 1, 1, TRUE, TRUE), (${id}, 'public.png', 'image/png', 1, 1, 1, FALSE, FALSE)`)

    await createWorker(app).deliver()

    expect(endpoint.posts('/requests.json')[0]?.form['media_url']).toBe(`${PUBLIC_URL}/files/public.png`)
  })
})
