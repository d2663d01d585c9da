import Type from 'typebox'
import { describe, expect, it } from 'vitest'

import { text } from '../../../src/locales/texts.ts'
import { requireViewer } from '../../../src/http/auth/authentication.ts'
import { failsWith } from '../../../src/http/schema/fields.ts'
import { useApp } from '../../helpers/use-app.ts'
import { addTestRoutes } from '../test-routes.ts'

addTestRoutes(async (app) => {
  const schema = {
    operationId: 'echo',
    body: Type.Object({
      name: Type.Optional(Type.String()),
      answers: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
    }),
    response: { 200: Type.Object({ body: Type.Unknown() }), ...failsWith(400, 404, 413, 415, 422) },
  }
  app.post('/echo', { schema }, async ({ body }) => ({ body }))
  const Person = Type.Object({
    name: Type.String({ minLength: 3, maxLength: 40, 'x-allowed': text('a_text_between', { min: 3, max: 40 }) }),
    email: Type.String({ minLength: 1 }),
  })
  const people = { ...schema, operationId: 'people', body: Person }
  app.post('/people', { schema: people, config: { errorShape: 'nested' } }, async ({ body }) => ({ body }))
  app.post('/own', { schema: { ...schema, operationId: 'own' } }, async (request) => ({ body: requireViewer(request).id }))
})

const app = useApp({ keepRows: true, ownApp: true })

const json = { 'content-type': 'application/json' }
const form = { 'content-type': 'application/x-www-form-urlencoded' }
const multipart = { 'content-type': 'multipart/form-data; boundary=cut' }
const part = (disposition: string, value: string, type = 'text/plain') =>
  `--cut\r\nContent-Disposition: form-data; ${disposition}\r\nContent-Type: ${type}\r\n\r\n${value}\r\n--cut--\r\n`
const post = (headers: Record<string, string>, body: string) => app.as.anonymous.send('POST', '/api/v2/echo', { headers, body })

describe('request bodies', () => {
  it('have the same fields as JSON and as a form', async () => {
    const fromJson = await post(json, JSON.stringify({ answers: { summary: 'Größe & so', 12: ['a', 'b'], 13: ['c'] } }))
    const fromForm = await post(
      form,
      'answers[summary]=Gr%C3%B6%C3%9Fe+%26+so&answers[12][]=a&answers[12][]=b&answers%5B13%5D%5B%5D=c',
    )

    expect(fromJson).toMatchObject({
      status: 200,
      body: { body: { answers: { summary: 'Größe & so', 12: ['a', 'b'], 13: ['c'] } } },
    })
    expect(fromForm.body).toEqual(fromJson.body)
  })

  it('accept long lists in a form', async () => {
    const values = Array.from({ length: 100 }, (_, n) => String(n))

    const { body } = await post(form, values.map((value) => `answers[12][]=${value}`).join('&'))

    expect(body).toEqual({ body: { answers: { 12: values } } })
  })

  it('accept JSON with parameters in the content type', async () => {
    const answer = await post({ 'content-type': 'application/json; charset=utf-8' }, '{"name":"é"}')

    expect(answer.body).toEqual({ body: { name: 'é' } })
  })

  it.each(['text/plain', 'application/xml', 'application/jsonx', 'nonsense', ''])(
    'return 415 for another type: %s',
    async (type) => {
      expect(await post({ 'content-type': type }, 'name=Ada')).toMatchObject({
        status: 415,
        body: { message: 'The body must be application/json, application/x-www-form-urlencoded or multipart/form-data.' },
      })
    },
  )

  it.each([
    ['JSON', json, '{"name":"Gr\xf6\xdfe"}'],
    ['a form', form, 'name=Gr\xf6\xdfe'],
    ['a percent-encoded form', form, 'name=Gr%F6%DFe'],
    ['a percent-encoded name', form, 'answers%5Ba%FF%5D=x'],
    ['a text part', multipart, part('name="name"', 'Gr\xf6\xdfe')],
    ['a text part that declares UTF-8', multipart, part('name="name"', 'Gr\xf6\xdfe', 'text/plain; charset=utf-8')],
    ['a JSON part', multipart, part('name="answers"', '{"a":"\xf6"}', 'application/json')],
    ['half a character', form, 'name=%C3&answers[a]=%A9'],
  ])('return 400 if they are not UTF-8: %s', async (_, headers, latin1) => {
    const answer = await app.as.anonymous.send('POST', '/api/v2/echo', { headers, body: Buffer.from(latin1, 'latin1') })

    expect(answer).toMatchObject({ status: 400, body: { request: 'The body is not UTF-8.' } })
  })

  it.each([
    ['JSON', json, '{"name":"é\ufffd"}'],
    ['a form', form, 'name=é%EF%BF%BD'],
    ['a text part', multipart, part('name="name"', 'é\ufffd', 'text/plain; charset=utf-8')],
  ])('accept the replacement character itself: %s', async (_, headers, body) => {
    expect((await post(headers, body)).body).toEqual({ body: { name: 'é\ufffd' } })
  })

  it.each([
    ['in a field', json, '{"name":"\\u0000"}', { name: 'must not contain the character U+0000' }],
    ['deep in a field', json, '{"answers":{"12":["a",{"b":"\\u0000"}]}}', { 12: 'must not contain the character U+0000' }],
    ['in the name of a nested field', json, '{"answers":{"\\u0000":1}}', { answers: 'must not contain the character U+0000' }],
    ['in a form', form, 'name=%00', { name: 'must not contain the character U+0000' }],
    ['in a nested field of a form', form, 'answers[summary]=a%00b', { summary: 'must not contain the character U+0000' }],
  ])('return 422 for a NUL %s', async (_, headers, text, errors) => {
    expect(await post(headers, text)).toMatchObject({ status: 422, body: errors })
  })

  it('may have any value in unknown fields', async () => {
    expect((await post(json, '{"name":"Ada","other":"\\u0000"}')).status).toBe(200)
  })

  it('may be nested up to a limit', async () => {
    const nested = (levels: number) => `{"answers":{"12":${'['.repeat(levels)}${']'.repeat(levels)}}}`
    const refused = { status: 400, body: { request: 'The body is nested more than 32 levels deep.' } }

    expect((await post(json, nested(31))).status).toBe(200)
    expect(await post(json, nested(32))).toMatchObject(refused)
    expect(await post(json, nested(500_000))).toMatchObject(refused)
  })

  it.each(['{"name":"cut \\ud83d"}', '{"answers":{"name":["a",{"b":"\\udc00"}]}}', '{"answers":{"name":{"\\ud800":1}}}'])(
    'return 422 for an unpaired surrogate, which PostgreSQL cannot store: %s',
    async (text) => {
      expect(await post(json, text)).toMatchObject({ status: 422, body: { name: expect.stringContaining('unpaired surrogate') } })
    },
  )

  it('treat prototype keys in JSON as unknown fields', async () => {
    const keys = '"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}'

    expect((await post(json, `{${keys},"name":"Ada","address":{${keys}}}`)).body).toEqual({ body: { name: 'Ada' } })
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined()
  })

  it('do not change prototypes', async () => {
    expect((await post(form, '__proto__[polluted]=1&constructor[prototype][polluted]=1&name=Ada')).body).toEqual({
      body: { name: 'Ada' },
    })
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined()
  })

  it.each([
    ['is no object', '[]', { base: 'must be object' }],
    ['is null', 'null', { base: 'must be object' }],
    ['has a field of the wrong type', '{"name":5}', { name: 'must be string' }],
  ])('return 422 for a body that %s', async (_, text, errors) => {
    expect(await post(json, text)).toMatchObject({ status: 422, body: errors })
  })
})

describe('an operation with validation errors under `errors`', () => {
  const create = (body: object) => app.as.anonymous.send('POST', '/api/v2/people', { body })

  it('returns all of them, each as a list of texts', async () => {
    expect(await create({ name: 'Al' })).toMatchObject({
      status: 422,
      body: { errors: { name: ['must be a text of 3 to 40 characters'], email: ['is required'] } },
    })
    expect((await create({ name: 'Ada\0', email: 'ada@example.org' })).body).toEqual({
      errors: { name: ['must not contain the character U+0000'] },
    })
  })

  it('answers an unreadable body like all others', async () => {
    expect((await app.as.anonymous.send('POST', '/api/v2/people', { headers: json, body: '{' })).body).toEqual({
      request: 'The body is not valid JSON.',
    })
  })
})

describe('an operation that requires a login', () => {
  it('returns 401 with a challenge for an anonymous caller', async () => {
    const [ada, own] = [await app.create.user(), '/api/v2/own']
    const refused = await app.as.anonymous.send('POST', own, { body: {} })

    expect(refused).toMatchObject({
      status: 401,
      body: { message: 'You need to log in for this: send HTTP Basic or a Bearer token.' },
      headers: { 'www-authenticate': expect.stringMatching(/^Bearer realm="fixpoint"/) as string },
    })
    expect((await app.as.user(ada).send('POST', own, { body: {} })).body).toEqual({ body: ada.id })
  })
})
