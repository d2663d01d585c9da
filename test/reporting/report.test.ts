import { describe, expect, it } from 'vitest'

import { sql } from '../../src/database/database.ts'
import { FAR_AWAY, GREEN, type TestUser } from '../helpers/factories.ts'
import { useApp } from '../helpers/use-app.ts'
import { queryRows } from '../helpers/query-rows.ts'

const app = useApp()

const report = { ...GREEN, address: '250 Church St', request_type_id: 'other', answers: { summary: 'Broken bench' } }
const send = (person: TestUser, body: unknown, headers: Record<string, string> = {}) =>
  app.as.user(person).send('POST', '/api/v2/issues', { body, headers })
const errorsOf = (answer: { status: number; body: unknown }) => {
  expect(answer.status).toBe(422)
  return (answer.body as { errors: unknown }).errors
}
const form = (fields: Readonly<Record<string, string>>) => ({
  body: new URLSearchParams(fields).toString(),
  headers: { 'content-type': 'application/x-www-form-urlencoded' },
})

async function everyQuestion() {
  const organization = await app.create.organization({ name: 'Public Works' })
  const select_values = [
    { key: 's', name: 'Small' },
    { key: 'b', name: 'Big' },
  ]
  const id = await app.create.requestType({
    title: 'Pothole',
    organization,
    questions: [
      { built_in: 'summary', question: 'In short?', question_type: 'text', response_required: true },
      { built_in: 'description', question: 'In long?', question_type: 'textarea' },
      { question: 'Please keep away from it.', question_type: 'note' },
      { question: 'How big?', question_type: 'select', response_required: true, select_values },
      { question: 'Where on the road?', question_type: 'multivaluelist', select_values },
      { question: 'How deep, in cm?', question_type: 'number' },
      { question: 'Since when?', question_type: 'datetime' },
      { question: 'Is it dangerous?', question_type: 'boolean', response_required: true },
      { question: 'Your telephone?', question_type: 'text', answer_kept_private: true },
    ],
  })
  const rows = await queryRows<{ id: number; question: string }>(
    app.db,
    sql`
    SELECT q.id, q.question FROM request_type_questions q WHERE q.request_type_id = ${id} ORDER BY q.position`,
  )
  const key = (question: string) => String(rows.find((row) => row.question === question)?.id)
  return { id, organization, key }
}

describe('POST /issues', () => {
  it('creates an open issue with a page that its reporter follows, and adds ten civic points', async () => {
    const ada = await app.create.user({ name: 'Ada Park' })

    const answer = await send(ada, { ...report, answers: { summary: ' Broken bench ', description: 'Two planks.' } })

    expect(answer).toMatchObject({
      status: 201,
      headers: { location: 'http://fixpoint.test/issues/1', 'cache-control': expect.stringContaining('private') },
      body: {
        ...{ id: 1, status: 'Open', summary: 'Broken bench', description: 'Two planks.', rating: '1', address: '250 Church St' },
        ...{ ...GREEN, point: { type: 'Point', coordinates: [GREEN.lng, GREEN.lat] }, request_type: {} },
        ...{ acknowledged_at: null, closed_at: null, reopened_at: null },
        reporter: { id: ada.id, name: 'Ada Park', civic_points: 10 },
        media: { image_full: null, representative_image_url: 'http://fixpoint.test/files/icons/other.svg' },
      },
    })
    expect((await app.as.user(ada).get('/issues/1')).body).toMatchObject({
      current_user_relationship: { assignee: false, following: true, reporter: true, voted: false },
      questions: [],
    })
    expect((await app.as.anonymous.get('/issues')).body).toMatchObject({ issues: [{ id: 1 }] })
    expect((await app.as.user(ada).get('/profile')).body).toMatchObject({ reported_issue_count: 1, following_issue_count: 1 })
    expect(await queryRows(app.db, sql`SELECT s.issue_id, s.actor_id, s.from_status, s.to_status FROM status_changes s`)).toEqual([
      { issue_id: 1, actor_id: ada.id, from_status: null, to_status: 'Open' },
    ])
    expect(await queryRows(app.db, sql`SELECT v.type, v.subject_id, v.actor_id, v.payload FROM events v`)).toEqual([
      { type: 'issue.reported', subject_id: 1, actor_id: ada.id, payload: {} },
    ])
  })

  it('stores an answer to every type of question and shows the public ones', async () => {
    const ada = await app.create.user()
    const { id, organization, key } = await everyQuestion()
    const employee = await app.create.user({ memberOf: [{ organization }] })
    const answers = {
      summary: 'Hole',
      description: 'Deep.\nWide.',
      [key('How big?')]: 'b',
      [key('Where on the road?')]: ['b', 's'],
      [key('How deep, in cm?')]: 12.5,
      [key('Since when?')]: '2026-11-01T08:00:00Z',
      [key('Is it dangerous?')]: true,
      [key('Your telephone?')]: '555 0100',
      unknown_field: 'ignored',
    }

    const answer = await send(ada, { ...report, request_type_id: id, answers })

    const shown = [
      { question: 'How big?', answer: 'Big' },
      { question: 'Where on the road?', answer: 'Small, Big' },
      { question: 'How deep, in cm?', answer: '12.5' },
      { question: 'Since when?', answer: '2026-11-01T08:00:00Z' },
      { question: 'Is it dangerous?', answer: 'Yes' },
    ]
    expect(answer.body).toMatchObject({ summary: 'Hole', description: 'Deep.\nWide.', request_type: { id, title: 'Pothole' } })
    for (const client of [app.as.anonymous, app.as.user(ada)]) {
      expect((await client.get('/issues/1')).body).toMatchObject({ questions: shown })
    }
    expect((await app.as.user(employee).get('/issues/1')).body).toMatchObject({
      questions: [...shown, { question: 'Your telephone?', answer: '555 0100' }],
    })
  })

  it('accepts a form with numbers, lists and groups as text', async () => {
    const ada = await app.create.user()
    const { id, key } = await everyQuestion()
    const { body, headers } = form({
      ...{ lat: String(GREEN.lat), lng: String(GREEN.lng), address: '250 Church St', request_type_id: String(id) },
      ...{ anonymize_reporter: 'false', 'answers[summary]': 'Hole', [`answers[${key('How big?')}]`]: 's' },
      ...{
        [`answers[${key('Where on the road?')}][]`]: 'b',
        [`answers[${key('Is it dangerous?')}]`]: 'false',
        device_os: 'Android',
      },
    })

    expect(await send(ada, body, headers)).toMatchObject({ status: 201, body: { summary: 'Hole', ...GREEN } })
    expect((await app.as.anonymous.get('/issues/1')).body).toMatchObject({
      questions: [
        { question: 'How big?', answer: 'Small' },
        { question: 'Where on the road?', answer: 'Big' },
        { question: 'Is it dangerous?', answer: 'No' },
      ],
    })
  })

  it('creates an issue of the type other for the request type null, which its form item has as id', async () => {
    const ada = await app.create.user()

    const answer = await send(ada, { ...report, request_type_id: null })

    expect(answer).toMatchObject({ status: 201, body: { summary: 'Broken bench', request_type: {} } })
  })

  it('returns the errors of all fields together and writes nothing', async () => {
    const ada = await app.create.user()
    const { id, key } = await everyQuestion()

    expect(errorsOf(await send(ada, {}))).toEqual({
      address: ['must not be blank'],
      lat: ['must not be blank'],
      lng: ['must not be blank'],
      point: ['is required: send lat and lng'],
      request_type_id: ['must not be blank'],
    })
    const wrong = { ...FAR_AWAY, address: ' ', request_type_id: id, anonymize_reporter: 'maybe', device_name: 7 }
    const answers = { [key('How big?')]: 'Big', [key('How deep, in cm?')]: 'deep', [key('Since when?')]: 'yesterday' }
    expect(errorsOf(await send(ada, { ...wrong, answers }))).toEqual({
      address: ['must not be blank'],
      point: ['is outside the area of this request type'],
      anonymize_reporter: ['must be true or false'],
      device_name: ['must be text'],
      summary: ['must not be blank'],
      [key('How big?')]: ['must be one of s, b'],
      [key('How deep, in cm?')]: ['must be a number, in digits, with a point before decimals'],
      [key('Since when?')]: ['must be an ISO 8601 timestamp such as 2026-11-20T09:30:00Z'],
      [key('Is it dangerous?')]: ['must not be blank'],
    })
    expect(await queryRows(app.db, sql`SELECT i.id FROM issues i`)).toEqual([])
  })

  it.each([
    [{ lat: 90.1 }, { lat: ['must be a number from -90 to 90, in degrees'], point: ['is required: send lat and lng'] }],
    [{ lng: '1e2' }, { lng: ['must be a number from -180 to 180, in degrees'], point: ['is required: send lat and lng'] }],
    [{ lng: null }, { lng: ['must not be blank'], point: ['is required: send lat and lng'] }],
    [{ request_type_id: 4711 }, { request_type_id: ['must be the id of a request type, or other'] }],
    [{ request_type_id: 'Other' }, { request_type_id: ['must be the id of a request type, or other'] }],
    [{ request_type_id: 2 ** 40 }, { request_type_id: ['must be the id of a request type, or other'] }],
    [
      { answers: 'x' },
      { answers: ['must be an object with the answers by the primary_key of their questions'], summary: ['must not be blank'] },
    ],
    [{ answers: { summary: '  ' } }, { summary: ['must not be blank'] }],
    [
      { answers: { summary: '\u200b\u202e' }, address: '\u2060' },
      { address: ['must not be blank'], summary: ['must not be blank'] },
    ],
    [{ answers: { summary: 'x'.repeat(256) } }, { summary: ['must not have more than 255 characters'] }],
    [{ answers: { summary: 'x', issue_image: 'a.jpg' } }, { issue_image: ['must be a file, sent as multipart/form-data'] }],
    [{ address: 'x'.repeat(501) }, { address: ['must not have more than 500 characters'] }],
    [{ anonymize_reporter: { toString: 1 } }, { anonymize_reporter: ['must be true or false'] }],
    [{ anonymize_reporter: ['true'] }, { anonymize_reporter: ['must be true or false'] }],
    [{ address: 'a\0b' }, { address: ['must not contain the character U+0000'] }],
    [{ address: 'cut \ud83d' }, { address: [expect.stringContaining('unpaired surrogate')] }],
    [
      { address: 'cut \ud83d', request_type_id: 'x', answers: {} },
      { address: [expect.any(String)], request_type_id: ['must be the id of a request type, or other'] },
    ],
    [{ answers: { summary: '\udc00x', description: 'a\0' } }, { summary: [expect.any(String)], description: [expect.any(String)] }],
  ])('returns 422 for %j', async (change, errors) => {
    expect(errorsOf(await send(await app.create.user(), { ...report, ...change }))).toEqual(errors)
  })

  it('returns 401 to anonymous callers before the body is checked, and 400 for invalid JSON', async () => {
    const json = { 'content-type': 'application/json' }

    expect(await app.as.anonymous.send('POST', '/api/v2/issues', { body: '{', headers: json })).toMatchObject({ status: 401 })
    expect(await send(await app.create.user(), '{', json)).toMatchObject({ status: 400, body: { request: expect.any(String) } })
    expect(errorsOf(await send(await app.create.user(), '[]', json))).toHaveProperty('address')
  })

  it('hides the name of an anonymous reporter and changes no public number of that user', async () => {
    const ada = await app.create.user({ name: 'Ada Park' })
    const { id, organization } = await everyQuestion()
    const employee = await app.create.user({ memberOf: [{ organization }] })
    const other = await app.create.user({ memberOf: [{ organization: await app.create.organization() }] })
    const before = (await app.as.anonymous.get(`/users/${ada.id}`)).text
    const required = await queryRows<{ id: number; key: string }>(
      app.db,
      sql`
      SELECT q.id, CASE q.question_type WHEN 'select' THEN 's' ELSE 'true' END AS key FROM request_type_questions q
      WHERE q.response_required AND q.built_in IS NULL ORDER BY q.id`,
    )
    const answers = { summary: 'Hole', ...Object.fromEntries(required.map((question) => [question.id, question.key])) }

    const answer = await send(ada, { ...report, request_type_id: id, answers, anonymize_reporter: true })

    expect(answer).toMatchObject({ status: 201, body: { reporter: { id: 0, name: 'An anonymous user' } } })
    expect((await app.as.anonymous.get(`/users/${ada.id}`)).text).toBe(before)
    for (const client of [app.as.anonymous, app.as.user(other), app.as.user(ada)]) {
      expect((await client.get('/issues/1')).text).not.toContain('Ada')
    }
    expect((await app.as.user(employee).get('/issues/1')).body).toMatchObject({ reporter: { id: ada.id } })
    expect((await app.as.user(ada).get('/issues/1')).body).toMatchObject({
      current_user_relationship: { following: true, reporter: true },
    })
  })

  it('uses the title of the request type if the summary is missing or private', async () => {
    const ada = await app.create.user()
    const silent = await app.create.requestType({ title: 'Snow' })
    const secret = await app.create.requestType({
      title: 'Noise',
      questions: [{ built_in: 'summary', question: 'Who?', question_type: 'text', answer_kept_private: true }],
    })

    await send(ada, { ...report, request_type_id: silent, answers: undefined })
    await send(ada, { ...report, request_type_id: secret, answers: { summary: 'Mr Miller' } })

    const all = await app.as.anonymous.get('/issues?details=true')
    expect(all.body).toMatchObject({ issues: [{ summary: 'Noise', questions: [] }, { summary: 'Snow' }] })
    expect(all.text).not.toContain('Miller')
  })

  it('stores the language that the client requests, else the reporter’s own', async () => {
    const ada = await app.create.user()
    await app.db.prisma.user.update({ where: { id: ada.id }, data: { locale: 'fr' } })

    await send(ada, report, { 'accept-language': 'en;q=0.5, es-MX, *;q=0.1' })
    await send(ada, report)

    expect(await queryRows(app.db, sql`SELECT i.locale FROM issues i ORDER BY i.id`)).toEqual([
      { locale: 'es-MX' },
      { locale: 'fr' },
    ])
  })

  it("accepts a point on the edge of the organisation's area, and rejects inactive request types", async () => {
    const ada = await app.create.user()
    const organization = await app.create.organization({ size: 0.5 })
    const id = await app.create.requestType({ organization })
    const edge = { lng: GREEN.lng + 0.5, lat: GREEN.lat }

    expect((await send(ada, { ...report, ...edge, request_type_id: id })).status).toBe(201)
    expect(errorsOf(await send(ada, { ...report, lng: edge.lng + 1e-9, request_type_id: id }))).toHaveProperty('point')
    await app.db.prisma.requestType.update({ where: { id }, data: { active: false } })
    expect(errorsOf(await send(ada, { ...report, request_type_id: id }))).toHaveProperty('request_type_id')
  })
})
