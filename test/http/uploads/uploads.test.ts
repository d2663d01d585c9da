import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import Type from 'typebox'
import { describe, expect, it } from 'vitest'

import { requireLogin } from '../../../src/http/auth/authentication.ts'
import { failsWith } from '../../../src/http/schema/fields.ts'
import { Upload, UPLOAD_BYTES_MAX, UploadedFile } from '../../../src/http/request/upload.ts'
import { useApp } from '../../helpers/use-app.ts'
import { useOwnTemporaryFolder } from './own-temporary-folder.ts'
import { addTestRoutes } from '../test-routes.ts'

const seen: Upload[] = []

addTestRoutes(async (app) => {
  const Body = Type.Object({
    comment: Type.Optional(Type.String()),
    image: Type.Optional(UploadedFile()),
    answers: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  })
  const response = { 200: Type.Object({ body: Type.Unknown() }), ...failsWith(400, 404, 413, 415, 422) }
  const schema = { operationId: 'send', body: Body, response }
  const files = ['image', 'answers[*]']
  app.post('/send', { schema, config: { files } }, async ({ body }) => ({ body: await describeBody(body) }))
  app.put('/send', { schema: { ...schema, operationId: 'put' }, config: { files } }, async ({ body }) => ({
    body: await describeBody(body),
  }))
  app.post('/words', { schema: { ...schema, operationId: 'words' } }, async ({ body }) => ({ body: await describeBody(body) }))
  const own = { schema: { ...schema, operationId: 'own' }, config: { files }, onRequest: requireLogin }
  app.post('/own', own, async ({ body }) => ({ body: await describeBody(body) }))
  app.post('/broken', { schema: { ...schema, operationId: 'broken' }, config: { files } }, async ({ body }) => {
    await describeBody(body)
    throw new Error('planted')
  })
})

/** Returns the body of a handler, with the content of each file in its place. */
async function describeBody(value: unknown): Promise<unknown> {
  if (value instanceof Upload) {
    seen.push(value)
    const stored = await readFile(value.path)
    const { bytes, filename, sha256 } = value
    return { bytes, filename, sha256, isStored: createHash('sha256').update(stored).digest('hex') === sha256 }
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const entries = await Promise.all(Object.entries(value).map(async ([key, inner]) => [key, await describeBody(inner)] as const))
  return Object.fromEntries(entries)
}

const app = useApp({ keepRows: true, ownApp: true })
const temporary = useOwnTemporaryFolder()

const post = (path: string, body: unknown, headers: Record<string, string> = {}) =>
  app.as.anonymous.send('POST', `/api/v2${path}`, { body, headers })

function form(fields: Readonly<Record<string, string | Blob>>): FormData {
  const data = new FormData()
  for (const [name, value] of Object.entries(fields)) {
    if (typeof value === 'string') data.append(name, value)
    else data.append(name, value, 'street.jpg')
  }
  return data
}

const bytesOf = (length: number) => new Blob([Buffer.alloc(length, 'x')])
const sha256 = (length: number) => createHash('sha256').update(Buffer.alloc(length, 'x')).digest('hex')
const fileOf = (bytes: number) => ({ bytes, filename: 'street.jpg', sha256: sha256(bytes), isStored: true })

const multipart = { 'content-type': 'multipart/form-data; boundary=cut' }
const part = (disposition: string, content: string, type = '') =>
  `--cut\r\nContent-Disposition: form-data; ${disposition}\r\n${type && `Content-Type: ${type}\r\n`}\r\n${content}\r\n`

describe('multipart bodies', () => {
  it('have nested fields and lists like other forms, without a file', async () => {
    const data = form({ comment: 'Größe & so', 'answers[summary]': 'a' })
    data.append('answers[12][]', 'b')

    expect((await post('/send', data)).body).toEqual({ body: { comment: 'Größe & so', answers: { summary: 'a', 12: ['b'] } } })
    expect((await post('/words', data)).body).toEqual({ body: { comment: 'Größe & so', answers: { summary: 'a', 12: ['b'] } } })
  })

  it('fill the file fields of the route, also with PUT', async () => {
    const data = form({ comment: 'a', image: bytesOf(100_000), 'answers[issue_image]': bytesOf(3) })
    const expected = { comment: 'a', image: fileOf(100_000), answers: { issue_image: fileOf(3) } }

    expect((await post('/send', data)).body).toEqual({ body: expected })
    expect((await app.as.anonymous.send('PUT', '/api/v2/send', { body: data })).body).toEqual({ body: expected })
  })

  it('leave no files after a success or a failure', async () => {
    const data = form({ image: bytesOf(10) })
    seen.length = 0

    const statuses = [(await post('/send', data)).status, (await post('/broken', data)).status]

    expect(statuses).toEqual([200, 500])
    expect(seen.map(({ path }) => existsSync(path))).toEqual([false, false])
    expect(await temporary.entries()).toEqual([])
  })

  it('ignore a file in an unknown field', async () => {
    const data = form({ comment: 'a', 'other[x]': bytesOf(10), toStrings: bytesOf(1) })

    expect((await post('/send', data)).body).toEqual({ body: { comment: 'a' } })
    expect((await post('/words', data)).body).toEqual({ body: { comment: 'a' } })
  })

  it('ignore a blank file input', async () => {
    const blank = part('name="image"; filename=""', '', 'application/octet-stream')

    expect((await post('/send', `${blank}--cut--\r\n`, multipart)).body).toEqual({ body: {} })
    expect((await post('/words', `${blank}--cut--\r\n`, multipart)).body).toEqual({ body: {} })
  })

  it('return 422 for a file in a text field and for text in a file field', async () => {
    expect(await post('/send', form({ comment: bytesOf(3) }))).toMatchObject({
      status: 422,
      body: { comment: 'must not be a file' },
    })
    expect(await post('/words', form({ 'answers[a]': bytesOf(3) }))).toMatchObject({
      status: 422,
      body: { answers: 'must not be a file' },
    })
    expect(await post('/send', form({ image: 'a' }))).toMatchObject({
      status: 422,
      body: { image: 'must be a file, sent as multipart/form-data' },
    })
    expect(await post('/send', { image: { path: '/etc/passwd' } })).toMatchObject({ status: 422 })
  })

  it('return 422 for two files in a field for one', async () => {
    const data = form({ image: bytesOf(3) })
    data.append('image', bytesOf(4), 'b.jpg')

    expect(await post('/send', data)).toMatchObject({ status: 422, body: { image: 'must be given only once' } })
  })
})

describe('limits of multipart bodies', () => {
  it('allow files of exactly 20 MB, stored or not', async () => {
    const [most, more] = [bytesOf(UPLOAD_BYTES_MAX), bytesOf(UPLOAD_BYTES_MAX + 1)]
    const tooLarge = { status: 413, body: { message: 'A file may have 20 MB at most.' } }

    expect((await post('/send', form({ image: most }))).body).toEqual({ body: { image: fileOf(UPLOAD_BYTES_MAX) } })
    expect(await post('/send', form({ image: more }))).toMatchObject(tooLarge)
    expect(await post('/send', form({ other: more }))).toMatchObject(tooLarge)
    expect(await temporary.entries()).toEqual([])
  })

  it('allow five files, and fields of 1 MB', async () => {
    const many = form(Object.fromEntries(Array.from({ length: 6 }, (_, n) => [`answers[${n}]`, bytesOf(10)])))
    const long = form({ comment: 'x'.repeat(600_000), other: 'x'.repeat(600_000) })
    const fields = form(Object.fromEntries(Array.from({ length: 1_001 }, (_, n) => [`f${n}`, 'x'])))

    expect(await post('/send', many)).toMatchObject({ status: 400, body: { request: 'The form has more than 5 files.' } })
    expect(await post('/send', long)).toMatchObject({
      status: 413,
      body: { message: 'The fields of the form are longer than 1 MB.' },
    })
    expect(await post('/send', form({ comment: 'x'.repeat(1_100_000) }))).toMatchObject({ status: 413 })
    expect(await post('/send', fields)).toMatchObject({ status: 400, body: { request: 'The form has more than 1000 fields.' } })
    expect(await temporary.entries()).toEqual([])
  })

  it('refuse a declared length above 101 MB before the body is read', async () => {
    const answer = await post('/send', 'x', { ...multipart, 'content-length': '120000000' })

    expect(answer).toMatchObject({ status: 413, headers: { connection: 'close' } })
  })

  it.each([
    ['has no boundary', { 'content-type': 'multipart/form-data' }, 'x'],
    ['ends in a file', multipart, part('name="image"; filename="a"', 'half')],
    ['ends in a file in an unknown field', multipart, part('name="other"; filename="a"', 'half')],
    ['ends in a field', multipart, part('name="comment"', 'half')],
    ['ends in the head of a part', multipart, '--cut\r\nContent-Disposition: form-da'],
    ['holds no part', multipart, 'nothing of the kind'],
    ['has a part without a name', multipart, `${part('x="y"', 'a')}--cut--\r\n`],
    ['has a field of the prototype', multipart, `${part('name="__proto__"', 'a')}--cut--\r\n`],
    ['has a file of the prototype', multipart, `${part('name="constructor"; filename="a"', 'a')}--cut--\r\n`],
    ['says JSON and is not', multipart, `${part('name="comment"', '{', 'application/json')}--cut--\r\n`],
    ['has a very long name', multipart, `${part(`name="${'x'.repeat(2_000)}"`, 'a')}--cut--\r\n`],
    ['gives a value and a group', multipart, `${part('name="answers"', 'a')}${part('name="answers[b]"', 'a')}--cut--\r\n`],
  ])('return 400 for a body that %s', async (_, headers, text) => {
    const answer = await post('/send', text, headers)

    expect(answer).toMatchObject({ status: 400, body: { request: expect.any(String) as string } })
    expect(await temporary.entries()).toEqual([])
  })
})

describe('authentication of multipart requests', () => {
  it('happens before the body is read', async () => {
    const ada = await app.create.user()
    const data = form({ image: bytesOf(10) })
    seen.length = 0

    const refused = [await post('/own', data), await post('/own', data, { authorization: 'Bearer wrong' })]

    expect(refused.map(({ status }) => status)).toEqual([401, 401])
    expect(seen).toEqual([])
    expect((await app.as.user(ada).send('POST', '/api/v2/own', { body: data })).body).toEqual({ body: { image: fileOf(10) } })
  })
})
