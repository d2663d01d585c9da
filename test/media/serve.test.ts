import { once } from 'node:events'
import { get } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'

import { openFileStore } from '../../src/storage/open-file-store.ts'
import { newFileKey } from '../../src/storage/file-store.ts'
import { startBucket } from '../helpers/servers/bucket.ts'
import { createTemporaryFolder } from '../helpers/temporary-folder.ts'
import { useApp } from '../helpers/use-app.ts'
import { appOn } from '../http/app-on.ts'
import { createImage } from './stored-images.ts'

const folder = () => openFileStore({ dataDir: createTemporaryFolder(), s3Url: undefined })
const bucket = async () => openFileStore({ dataDir: '/nowhere', s3Url: (await startBucket()).url })

describe('GET /files/pictures', () => {
  const app = useApp()

  async function serve(openStore: typeof folder = folder) {
    const on = await appOn(app.db, {}, { files: await openStore() })
    const issue_id = await app.create.issue()
    const image = await createImage({ db: app.db, services: on.services }, { issue_id })
    const url = `/files/${image.key}`
    const send = (method: 'GET' | 'HEAD', headers: Record<string, string> = {}) => on.anonymous.send(method, url, { headers })
    return { ...on, ...image, issue_id, url, send, etag: `"${image.key.slice(12)}"` }
  }

  describe.each([
    ['a folder', folder],
    ['a bucket', bucket],
  ])('from %s', (_kind, openStore) => {
    it('returns the picture as immutable, for any origin and without scripts', async () => {
      const { fastify, url, bytes, etag, key } = await serve(openStore)

      const { statusCode, headers, rawPayload } = await fastify.inject({ url, headers: { origin: 'https://maps.example' } })

      expect(statusCode).toBe(200)
      expect(headers).toMatchObject({
        'content-type': 'image/png',
        'content-length': String(bytes),
        'cache-control': 'public, max-age=31536000, s-maxage=300, immutable',
        etag,
        'accept-ranges': 'bytes',
        'content-disposition': `inline; filename="${key.slice(12)}"`,
        'content-security-policy': "default-src 'none'; sandbox",
        'x-content-type-options': 'nosniff',
        'cross-origin-resource-policy': 'cross-origin',
        'access-control-allow-origin': '*',
      })
      expect(headers.vary).toBeUndefined()
      expect(rawPayload.length).toBe(bytes)
      expect(rawPayload.subarray(1, 4).toString()).toBe('PNG')
    })

    it('returns the same headers for HEAD', async () => {
      const { fastify, url, bytes } = await serve(openStore)

      const [head, whole] = [await fastify.inject({ method: 'HEAD', url }), await fastify.inject({ url })]

      const { date: _, 'x-request-id': __, ...headHeaders } = head.headers
      const { date: ___, 'x-request-id': ____, ...getHeaders } = whole.headers
      expect([head.statusCode, head.rawPayload.length]).toEqual([200, 0])
      expect(headHeaders).toEqual({ ...getHeaders, 'content-length': String(bytes) })
    })

    it('returns 304 for the current ETag', async () => {
      const { send, etag } = await serve(openStore)

      const { status, headers, text } = await send('GET', { 'if-none-match': etag })

      expect([status, text, headers.etag, headers['content-length']]).toEqual([304, '', etag, undefined])
      expect(headers['cache-control']).toContain('immutable')
      expect((await send('GET', { 'if-none-match': '"another"' })).status).toBe(200)
    })

    it('returns a byte range', async () => {
      const { fastify, url, bytes, etag } = await serve(openStore)
      const whole = (await fastify.inject({ url })).rawPayload
      const part = async (headers: Record<string, string>) => {
        const answer = await fastify.inject({ url, headers })
        return { status: answer.statusCode, range: answer.headers['content-range'], same: answer.rawPayload }
      }
      const range = `bytes 4-9/${bytes}`

      expect(await part({ range: 'bytes=4-9' })).toEqual({ status: 206, range, same: whole.subarray(4, 10) })
      expect(await part({ range: 'bytes=4-9', 'if-range': etag })).toEqual({ status: 206, range, same: whole.subarray(4, 10) })
      expect((await part({ range: 'bytes=-3' })).same).toEqual(whole.subarray(-3))
      for (const headers of [{ range: 'bytes=4-9', 'if-range': '"another"' }, { range: 'lines=1-2' }, { range: 'nonsense' }]) {
        expect(await part(headers as Record<string, string>)).toEqual({ status: 200, range: undefined, same: whole })
      }
      const beyond = await part({ range: `bytes=${bytes}-` })
      const several = await part({ range: 'bytes=0-1,5-6' })
      expect([beyond, several].map((one) => [one.status, one.range])).toEqual([
        [416, `bytes */${bytes}`],
        [416, `bytes */${bytes}`],
      ])
    })
  })

  it.each([
    '/files/pictures',
    '/files/pictures/',
    '/files/pictures/ab',
    '/files/pictures/ab/x.png',
    `/files/${newFileKey('svg')}`,
    `/files/${newFileKey('png')}/`,
    '/files/pictures/..%2f..%2fpackage.json',
    '/files/pictures/%2e%2e/%2e%2e/package.json',
    `/files/pictures/ab/${'0'.repeat(40)}.png%00`,
  ])('returns an error for %s', async (url) => {
    expect((await app.as.anonymous.send('GET', url)).status).toBeOneOf([400, 404])
  })

  it.each([
    ['GET', {}],
    ['HEAD', {}],
    ['GET', { range: 'bytes=0-3' }],
  ] as const)('returns 503 with Retry-After if the store is unavailable: %s %o', async (method, headers) => {
    const s3 = await startBucket()
    const served = await serve(() => openFileStore({ dataDir: '/nowhere', s3Url: s3.url, responseMaxMs: 200 }))
    s3.failWith((_request, response) => void response.writeHead(500).end())
    const failing = await served.send(method, headers)
    s3.failWith(() => undefined)
    const silent = await served.send(method, headers)
    s3.close()
    const closed = await served.send(method, headers)

    for (const answer of [failing, silent, closed]) {
      expect([answer.status, answer.headers['retry-after'], answer.headers['cache-control']]).toEqual([503, '5', undefined])
    }
    const lines = JSON.stringify(served.logged)
    expect(lines).toContain('The file store could not')
    expect(lines).not.toMatch(/Signature=|KEY:|a\/s\+e=c/)
  })

  it('closes the connection if the store fails during the response', async () => {
    const served = await serve()
    served.services.files.open = () => {
      const stream = Readable.from(
        (async function* () {
          yield Buffer.alloc(1_000)
          await new Promise((resolve) => setTimeout(resolve, 50))
          throw new Error('the disk was removed')
        })(),
      )
      return Promise.resolve({ stream, bytes: 2_000 })
    }
    await served.fastify.listen({ host: '127.0.0.1', port: 0 })
    const { port } = served.fastify.server.address() as AddressInfo

    const request = get({ port, path: served.url, headers: { 'user-agent': 'test' } })
    const [response] = (await once(request, 'response')) as [Readable & { statusCode: number; complete: boolean }]
    const failure = await response.toArray().catch((error: NodeJS.ErrnoException) => error.code)

    expect([response.statusCode, failure, response.complete]).toEqual([200, 'ECONNRESET', false])
  })

  it('closes the file if the client disconnects', async () => {
    const served = await serve()
    const stream = new Readable({ read: () => undefined })
    served.services.files.open = () => Promise.resolve({ stream, bytes: 2_000 })
    await served.fastify.listen({ host: '127.0.0.1', port: 0 })
    const { port } = served.fastify.server.address() as AddressInfo

    const request = get({ port, path: served.url, headers: { 'user-agent': 'test' } })
    stream.push(Buffer.alloc(1_000))
    await once(request, 'response')
    request.destroy()
    await once(stream, 'close')

    expect(stream.destroyed).toBe(true)
  })

  it('serves the URLs of an issue, which are those of the full picture until smaller sizes exist', async () => {
    const { anonymous, issue_id, key } = await serve()
    const addresses = async () => {
      const { body } = await anonymous.get(`/issues/${issue_id}`)
      const { media } = body as { media: Record<string, string | null> }
      return [media['image_full'], media['image_square_100x100'], media['representative_image_url']]
    }

    const before = await addresses()

    expect(before).toEqual(Array(3).fill(`http://fixpoint.test/files/${key}`))
    expect((await anonymous.send('GET', new URL(before[0] ?? '').pathname)).status).toBe(200)
  })
})
