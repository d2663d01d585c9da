import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { beforeAll, describe, expect, onTestFinished, it, vi } from 'vitest'

import { queueNames } from '../../../src/queue/job-definitions.ts'
import { createTestDatabase, engine } from '../../helpers/database.ts'
import { createTemporaryFolder } from '../../helpers/temporary-folder.ts'
import { messagesIn, runNode, startNode } from '../../helpers/processes.ts'
import { testDatabaseUrl } from '../../helpers/servers.ts'

const MINUTES_MS = 600_000
const OPS_TOKEN = 'a-token-of-the-operators'
const SOON = { timeout: 60_000, interval: 20 }

interface Health {
  readonly checks: { readonly queues: Record<string, { readonly workers: number }> }
}

let database: Record<string, string>

beforeAll(async () => {
  if (testDatabaseUrl !== undefined) {
    const { url, drop } = await createTestDatabase(testDatabaseUrl)
    database = { DATABASE_URL: url, PUBLIC_URL: 'http://127.0.0.1' }
    return drop
  }
  const folder = mkdtempSync(join(tmpdir(), 'fixpoint-test-'))
  database = { DATA_DIR: folder, DEMO: 'off' }
  return () => rmSync(folder, { recursive: true, force: true })
})

async function startService(env: Record<string, string> = {}) {
  const { child, waitForOutput, ended } = startNode('src/server.ts', [], { ...database, PORT: '0', ...env })
  await waitForOutput(/Stop with Ctrl\+C\./)
  // The log has its own stream and may arrive after the lines for people.
  const [, port] = await waitForOutput(/listening at http:\/\/127\.0\.0\.1:(\d+)/)
  return { child, ended, port: Number(port) }
}

/** Opens a connection: `sees` waits for a text in the response, `received` is the whole response after the connection is closed. */
function open(port: number): { socket: Socket; sees: (text: string) => Promise<void>; received: Promise<string> } {
  const socket = connect(port, '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  let seen = ''
  socket.on('data', (chunk: Buffer) => (seen += chunk.toString()))
  const received = new Promise<string>((resolve) => socket.on('error', () => undefined).once('close', () => resolve(seen)))
  const sees = (expected: string) => vi.waitFor(() => expect(seen).toContain(expected), SOON)
  return { socket, sees, received }
}

/** Head of a request, which the service answers with 100 once it starts to work on it. */
const HEAD = [
  'POST /api/v2/issues/new HTTP/1.1',
  'Host: x',
  'User-Agent: test',
  'Content-Type: application/json',
  'Content-Length: 2',
  'Expect: 100-continue',
].join('\r\n')
const CONTINUE = 'HTTP/1.1 100 Continue\r\n\r\n'

describe('the web process', { timeout: MINUTES_MS }, () => {
  it('answers active requests at SIGTERM, closes idle connections and exits with 0', async () => {
    const { child, ended, port } = await startService()
    const idle = open(port)
    idle.socket.write('GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n')
    const underWay = open(port)
    underWay.socket.write(`${HEAD}\r\n\r\n{`)
    await Promise.all([idle.sees('200 OK'), underWay.sees(CONTINUE)])

    child.kill('SIGTERM')
    await setTimeout(300)
    underWay.socket.write('}')

    expect(await underWay.received).toContain(`${CONTINUE}HTTP/1.1 405 `)
    expect(await idle.received).toMatch(/^HTTP\/1\.1 200 OK/)
    expect(await ended).toMatchObject({ code: 0, signal: null, stderr: '' })
  })

  it('is not ready but serves new connections for DRAIN_SECONDS after SIGTERM', async () => {
    const { child, ended, port } = await startService({ DRAIN_SECONDS: '5' })
    const statusOf = (path: string) => fetch(`http://127.0.0.1:${port}${path}`).then(({ status }) => status)
    // The first page takes longer than others.
    const before = [await statusOf('/health/ready'), await statusOf('/places')]

    child.kill('SIGTERM')

    await vi.waitFor(async () => expect(await statusOf('/health/ready')).toBe(503), { timeout: 4_000, interval: 20 })
    expect([...before, await statusOf('/health/live'), await statusOf('/places')]).toEqual([200, 200, 200, 200])
    expect(await ended).toMatchObject({ code: 0, signal: null, stderr: '' })
    await expect(statusOf('/health/live')).rejects.toThrow('fetch failed')
  })

  it('aborts slow clients at shutdown without a drain after SIGINT, and can start again', async () => {
    const { child, ended, port } = await startService({ DRAIN_SECONDS: '300' })
    const slow = open(port)
    slow.socket.write(`${HEAD}\r\n\r\n{`)
    await slow.sees(CONTINUE)

    child.kill('SIGINT')

    expect(await ended).toMatchObject({ code: 0, signal: null, stderr: '' })
    expect(await slow.received).toBe(CONTINUE)
    const again = await startService()
    again.child.kill('SIGTERM')
    expect(await again.ended).toMatchObject({ code: 0 })
  })

  it.runIf(engine === 'embedded')('starts no jobs after SIGTERM', async () => {
    const { child, ended, port } = await startService({ OPS_TOKEN })
    const request = ['GET /ops/health HTTP/1.1', 'Host: x', 'User-Agent: test', `Authorization: Bearer ${OPS_TOKEN}`].join('\r\n')
    const workers = (answer: string) =>
      Object.values((JSON.parse(answer.slice(answer.indexOf('{'))) as Health).checks.queues).map((one) => one.workers)
    await vi.waitFor(async () => {
      const before = open(port)
      before.socket.write(`${request}\r\nConnection: close\r\n\r\n`)
      expect(workers(await before.received)).toEqual(queueNames.map(() => 1))
    }, SOON)
    const underWay = open(port)
    underWay.socket.write(request)
    // The list of workers is up to two seconds old; a request has seven seconds to finish.
    await setTimeout(100)
    child.kill('SIGTERM')
    await setTimeout(2_500)
    underWay.socket.write('\r\n\r\n')

    expect(workers(await underWay.received)).toEqual(queueNames.map(() => 0))
    expect(await ended).toMatchObject({ code: 0, signal: null, stderr: '' })
  })

  it('reports a HOST of another machine before it creates a database', async () => {
    const folder = join(createTemporaryFolder(), 'data')

    const { code, stdout, stderr } = await runNode('src/server.ts', [], { HOST: '192.0.2.1', PORT: '0', DATA_DIR: folder })

    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(messagesIn(stderr)).toMatch(
      /^192\.0\.2\.1 is not an address of this machine: set HOST to an address of this machine, [^\n]*$/,
    )
    expect(existsSync(folder)).toBe(false)
  })

  it.runIf(engine === 'embedded')('names the process that uses the data folder to a second process', async () => {
    const first = await startService()

    const second = await runNode('src/server.ts', [], { ...database, PORT: '0' })
    const answer = await fetch(`http://127.0.0.1:${first.port}/health/ready`)

    expect(second.code).toBe(1)
    expect(messagesIn(second.stderr)).toMatch(
      new RegExp(
        `^The data folder .* is in use by npm start at http://127\\.0\\.0\\.1:${first.port} \\(process ${first.child.pid}, since `,
      ),
    )
    expect(answer.status).toBe(200)
  })
})
