import { Agent, request } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { beforeAll, describe, expect, onTestFinished, it, vi } from 'vitest'

import { useApp } from '../../helpers/use-app.ts'

const app = useApp({ keepRows: true, ownApp: true })
const SOON = { timeout: 60_000, interval: 10 }
const LIMIT_MS = 30_000
let port: number

beforeAll(async () => {
  await app.fastify.listen({ port: 0, host: '127.0.0.1' })
  port = (app.fastify.server.address() as AddressInfo).port
})

function sending(type: string, headers: Record<string, string> = {}, [method, path] = ['POST', '/tokens'], agent?: Agent) {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  onTestFinished(() => void vi.useRealTimers())
  const sent = request({
    ...{ port, host: '127.0.0.1', agent, method, path: `/api/v2${path}` },
    headers: { 'user-agent': 'tests', 'content-type': type, ...headers },
  })
  const answered = new Promise<{ status: number | undefined; connection: string | undefined; text: string }>((resolve, reject) => {
    sent.once('error', reject).once('response', (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
      response.once('end', () => resolve({ status: response.statusCode, connection: response.headers.connection, text }))
    })
  })
  answered.catch(() => undefined)
  const closed = new Promise((resolve) => sent.once('close', resolve))
  const isWatched = () => vi.waitFor(() => expect(vi.getTimerCount()).toBeGreaterThan(0), SOON)
  return { sent, answered, closed, isWatched }
}

describe('a body below the minimum rate', () => {
  it.each([
    ['application/json', '{"email": "ada@'],
    ['application/x-www-form-urlencoded', 'email=ada'],
    ['multipart/form-data; boundary=cut', '--cut\r\nContent-Disposition: form-data; name="email"\r\n\r\nada'],
  ])('returns 408 and closes the connection: %s', async (type, piece) => {
    const { sent, answered, closed, isWatched } = sending(type)
    sent.write(piece)
    await isWatched()

    vi.advanceTimersByTime(LIMIT_MS)

    expect(await answered).toMatchObject({
      status: 408,
      connection: 'close',
      text: expect.stringContaining('The request took too long to arrive.') as string,
    })
    await closed
  })

  it('returns 408 also with a known length', async () => {
    const { sent, answered, isWatched } = sending('application/json', { 'content-length': '500' })
    sent.write('{')
    await isWatched()

    vi.advanceTimersByTime(LIMIT_MS)

    expect((await answered).status).toBe(408)
  })
})

describe('a slow body above the minimum rate', () => {
  it('is read completely', async () => {
    const connected = new Promise<Socket>((resolve) => app.fastify.server.once('connection', resolve))
    const { sent, answered, isWatched } = sending('application/json')
    sent.write('{"email": "ada@example.org", "password": "guess"')
    const socket = await connected
    await isWatched()
    for (let n = 1; n <= 3; n++) {
      sent.write(' '.repeat(310_000))
      await vi.waitFor(() => expect(socket.bytesRead).toBeGreaterThan(n * 310_000), SOON)
      vi.advanceTimersByTime(LIMIT_MS)
    }
    sent.end('}')

    expect((await answered).status).toBe(401)
  })
})

describe('a body that is answered early', () => {
  const boundary = 'multipart/form-data; boundary=cut'
  const file = '--cut\r\nContent-Disposition: form-data; name="image"; filename="a.png"\r\nContent-Type: image/png\r\n\r\nx'
  const CHUNKED = { 'transfer-encoding': 'chunked' }

  it.each([
    ['JSON without login', 'application/json', '{', ['POST', '/issues'], 401],
    ['a form of several parts without login', boundary, file, ['POST', '/issues'], 401],
    ['plain text', 'text/plain', 'a', ['POST', '/tokens'], 415],
    ['GET with a body', 'application/json', '{', ['GET', '/issues'], 200],
  ] as const)(
    'leaves the response readable and is aborted if it is too slow: %s',
    async (_, type, piece, [method, path], status) => {
      const { sent, answered, closed, isWatched } = sending(type, CHUNKED, [method, path])
      sent.write(piece)

      const { status: answer } = await answered
      sent.write('a')
      await isWatched()
      vi.advanceTimersByTime(LIMIT_MS)

      expect(answer).toBe(status)
      await closed
    },
  )

  it('is read completely if it is fast enough, and the connection is reused', async () => {
    const connected = new Promise<Socket>((resolve) => app.fastify.server.once('connection', resolve))
    const agent = new Agent({ keepAlive: true })
    onTestFinished(() => agent.destroy())
    const { sent, answered, isWatched } = sending('text/plain', CHUNKED, ['POST', '/tokens'], agent)
    sent.write('a')
    const socket = await connected
    expect((await answered).status).toBe(415)

    await isWatched()
    for (let n = 1; n <= 3; n++) {
      sent.write(' '.repeat(310_000))
      await vi.waitFor(() => expect(socket.bytesRead).toBeGreaterThan(n * 310_000), SOON)
      vi.advanceTimersByTime(LIMIT_MS)
    }
    sent.end()

    await vi.waitFor(() => expect(vi.getTimerCount()).toBe(0), SOON)
    expect(socket.destroyed).toBe(false)
  })
})

describe('a body above the size limit', () => {
  it.each([
    ['of known length', true],
    ['of unknown length', false],
  ])('returns a readable 413: %s', async (_, isKnown) => {
    const bytes = 1024 * 1024 + 1
    const { sent, answered } = sending('application/json', isKnown ? { 'content-length': String(bytes) } : {})
    sent.end(' '.repeat(bytes))

    expect(await answered).toMatchObject({ status: 413, text: expect.stringContaining('The body is too large.') as string })
  })
})
