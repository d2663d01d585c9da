import Type from 'typebox'
import { describe, expect, test } from 'vitest'

import { failsWith } from '../../src/http/schema.ts'
import { useApp } from '../helpers/use-app.ts'
import { plant } from './planted.ts'

plant(async (app) => {
  const schema = {
    operationId: 'echo',
    body: Type.Object({
      name: Type.Optional(Type.String()),
      answers: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
    }),
    response: { 200: Type.Object({ body: Type.Unknown() }), ...failsWith(400, 404, 413, 415, 422) },
  }
  app.post('/echo', { schema }, async ({ body }) => ({ body }))
})

const it = useApp({ keepRows: true })

const json = { 'content-type': 'application/json' }
const form = { 'content-type': 'application/x-www-form-urlencoded' }
const post = (headers: Record<string, string>, body: string) => it.as.nobody.send('POST', '/api/v2/echo', { headers, body })

describe('a body', () => {
  test('is the same as JSON and as a form with nested fields and lists', async () => {
    const ofJson = await post(json, JSON.stringify({ answers: { summary: 'Größe & so', 12: ['a', 'b'], 13: ['c'] } }))
    const ofForm = await post(
      form,
      'answers[summary]=Gr%C3%B6%C3%9Fe+%26+so&answers[12][]=a&answers[12][]=b&answers%5B13%5D%5B%5D=c',
    )

    expect(ofJson).toMatchObject({ status: 200, body: { body: { answers: { summary: 'Größe & so', 12: ['a', 'b'], 13: ['c'] } } } })
    expect(ofForm.body).toEqual(ofJson.body)
  })

  test('may have a list of many values in a form', async () => {
    const values = Array.from({ length: 100 }, (_, n) => String(n))

    const { body } = await post(form, values.map((value) => `answers[12][]=${value}`).join('&'))

    expect(body).toEqual({ body: { answers: { 12: values } } })
  })

  test('is JSON in any charset that JSON has, and with parameters in its type', async () => {
    const answer = await post({ 'content-type': 'application/json; charset=utf-8' }, '{"name":"é"}')

    expect(answer.body).toEqual({ body: { name: 'é' } })
  })

  test.each(['text/plain', 'application/xml', 'application/jsonx', 'nonsense', ''])('of another type is 415: %s', async (type) => {
    expect(await post({ 'content-type': type }, 'name=Ada')).toMatchObject({
      status: 415,
      body: { message: 'The body must be application/json, application/x-www-form-urlencoded or multipart/form-data.' },
    })
  })

  test.each([
    ['in a field', json, '{"name":"\\u0000"}', { name: 'must not contain the character U+0000' }],
    ['deep in a field', json, '{"answers":{"12":["a",{"b":"\\u0000"}]}}', { answers: 'must not contain the character U+0000' }],
    ['in the name of a nested field', json, '{"answers":{"\\u0000":1}}', { answers: 'must not contain the character U+0000' }],
    ['in a form', form, 'name=%00', { name: 'must not contain the character U+0000' }],
    ['in a nested field of a form', form, 'answers[summary]=a%00b', { answers: 'must not contain the character U+0000' }],
  ])('with a NUL %s is 422', async (_, headers, text, faults) => {
    expect(await post(headers, text)).toMatchObject({ status: 422, body: faults })
  })

  test('may hold anything in fields that nothing knows', async () => {
    expect((await post(json, '{"name":"Ada","other":"\\u0000"}')).status).toBe(200)
  })

  test('may hold half a character, and brings no prototype with it', async () => {
    expect((await post(json, '{"name":"\\ud800"}')).status).toBe(200)
    expect((await post(form, '__proto__[polluted]=1&constructor[prototype][polluted]=1&name=Ada')).body).toEqual({
      body: { name: 'Ada' },
    })
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined()
  })

  test.each([
    ['is no object', '[]', { base: 'must be object' }],
    ['is null', 'null', { base: 'must be object' }],
    ['has a field of the wrong type', '{"name":5}', { name: 'must be string' }],
  ])('that %s is 422', async (_, text, faults) => {
    expect(await post(json, text)).toMatchObject({ status: 422, body: faults })
  })
})
