import { once } from 'node:events'
import { Agent, createServer, get, type IncomingMessage, type Server } from 'node:http'
import { connect, type Socket } from 'node:net'
import { Duplex } from 'node:stream'
import { setTimeout } from 'node:timers/promises'
import { describe, expect, onTestFinished, it, vi } from 'vitest'

import { limitConnections } from '../../../src/http/request/connection-limits.ts'
import { createTestDatabase, engine } from '../../helpers/database.ts'
import { startNode } from '../../helpers/processes.ts'
import { testDatabaseUrl } from '../../helpers/servers.ts'
import { createTemporaryFolder } from '../../helpers/temporary-folder.ts'

const SOON = { timeout: 60_000, interval: 50 }
const REQUEST = 'GET / HTTP/1.1\r\nHost: x\r\n\r\n'

/** 4,048 open files allow 3,536 connections, of which a client may have 176 and a /48 network ten times as many. */
const FILES_MAX = 4_048

interface LimitedServer {
  readonly server: Server
  readonly warnings: string[]
  /** Adds connections from an address. Each client sends the text. */
  connect(address: string, count: number, sent?: string): Duplex[]
}

/** A server that answers no request, so that a connection with one stays active. */
function createLimitedServer({ proxy, filesMax = FILES_MAX }: { proxy?: string; filesMax?: number } = {}): LimitedServer {
  const server = createServer(() => undefined)
  const warnings: string[] = []
  const log = { warn: (_details: object, message?: string) => void warnings.push(message ?? '') }
  limitConnections(server, { isProxy: (address) => address === proxy, log: log as never, filesMax })
  const connectOne = (remoteAddress: string, sent: string) => {
    const socket = Object.assign(new Duplex({ read: () => undefined, write: (_chunk, _encoding, done) => done() }), {
      remoteAddress,
    })
    server.emit('connection', socket)
    if (sent !== '') socket.push(sent)
    return socket
  }
  return {
    server,
    warnings,
    connect: (address, count, sent = '') => Array.from({ length: count }, () => connectOne(address, sent)),
  }
}

const closed = (connections: readonly Duplex[]) => connections.map(({ destroyed }) => destroyed)
const countClosed = (connections: readonly Duplex[]) => closed(connections).filter(Boolean).length

describe('limitConnections', () => {
  it('closes the oldest idle connections of a client for its new ones', async () => {
    const { connect } = createLimitedServer()
    const active = connect('192.0.2.1', 100, REQUEST)
    await setTimeout()

    const idle = connect('192.0.2.1', 80)

    expect([countClosed(active), countClosed(idle)]).toEqual([0, 4])
    expect(closed(idle.slice(0, 5))).toEqual([true, true, true, true, false])
  })

  it('closes a new connection of a client whose connections all have a request', async () => {
    const { connect } = createLimitedServer()
    const active = connect('192.0.2.1', 176, REQUEST)
    await setTimeout()

    const [ownNew, other] = [connect('192.0.2.1', 1), connect('192.0.2.2', 1)]

    expect([countClosed(active), closed(ownNew), closed(other)]).toEqual([0, [true], [false]])
  })

  it('takes the addresses of a /64 network for one client, and limits a /48 network', () => {
    const { connect } = createLimitedServer()

    const client = Array.from({ length: 200 }, (_, n) => connect(`2001:db8:1:1::${n + 1}`, 1)).flat()
    const network = Array.from({ length: 20 }, (_, n) => connect(`2001:db8:2:${n}::1`, 100)).flat()

    expect([countClosed(client), countClosed(network)]).toEqual([200 - 176, 2_000 - 1_760])
  })

  it('closes the oldest idle connection of all clients if all places are taken', () => {
    const { connect } = createLimitedServer()

    const crowd = Array.from({ length: 36 }, (_, n) => connect(`192.0.2.${n}`, 100)).flat()

    expect(closed(crowd)).toEqual([...Array<boolean>(64).fill(true), ...Array<boolean>(3_536).fill(false)])
  })

  it('has places for half of the open files if there are few', () => {
    const { connect } = createLimitedServer({ filesMax: 512 })

    const crowd = Array.from({ length: 5 }, (_, n) => connect(`192.0.2.${n}`, 60)).flat()

    expect(crowd.length - countClosed(crowd)).toBe(256)
  })

  it('allows a trusted proxy all connections', () => {
    const { connect } = createLimitedServer({ proxy: '192.0.2.1' })

    const connections = connect('192.0.2.1', 3_540)

    expect(countClosed(connections)).toBe(4)
  })

  it('frees a descriptor if a connection cannot be accepted, and warns once a minute', async () => {
    const { server, connect, warnings } = createLimitedServer()
    onTestFinished(() => void server.close())
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const idle = connect('192.0.2.1', 3)

    server.emit('error', Object.assign(new Error('accept EMFILE'), { code: 'EMFILE' }))
    server.emit('error', Object.assign(new Error('accept EMFILE'), { code: 'EMFILE' }))

    expect(closed(idle)).toEqual([true, true, false])
    expect(warnings).toEqual(['a connection was not accepted'])
  })
})

/** Opens idle connections from five addresses. */
function openIdle(port: number, count: number): Socket[] {
  const sockets = Array.from({ length: count }, (_, n) =>
    connect({ port, host: '127.0.0.1', localAddress: `127.0.0.${2 + (n % 5)}` })
      .on('error', () => undefined)
      .resume(),
  )
  onTestFinished(() => sockets.forEach((socket) => socket.destroy()))
  return sockets
}

async function statusOf(port: number, path: string, agent: Agent | false = false): Promise<number | undefined> {
  const [response] = (await once(get({ host: '127.0.0.1', port, path, agent }), 'response')) as [IncomingMessage]
  await response.resume().toArray()
  return response.statusCode
}

/** The process measures its event loop every five seconds. */
const EXHAUSTED_MS = 6_000

describe.runIf(engine === 'server')('the web process', { timeout: 400_000 }, () => {
  it('survives more idle connections than it may open files, and serves others while it has no file descriptor', async () => {
    const { url, drop } = await createTestDatabase(testDatabaseUrl ?? '')
    onTestFinished(drop)
    const env = {
      ...{ DATABASE_URL: url, PUBLIC_URL: 'http://127.0.0.1', PORT: '0', DATA_DIR: createTemporaryFolder() },
      NODE_OPTIONS: `--import=${new URL('exhaust-files.ts', import.meta.url).href}`,
    }
    const { child, waitForOutput } = startNode('src/server.ts', [], env, 512)
    const [, digits] = await waitForOutput(/listening at http:\/\/127\.0\.0\.1:(\d+)/)
    const port = Number(digits)
    const open = new Agent({ keepAlive: true, maxSockets: 1 })
    onTestFinished(() => open.destroy())

    const idle = openIdle(port, 900)
    await vi.waitFor(() => expect(countClosed(idle)).toBe(900 - 256), SOON)
    const crowded = await statusOf(port, '/health/ready')
    await statusOf(port, '/health/ready', open)
    child.kill('SIGWINCH')
    await waitForOutput(/exhausted/)
    const refused = openIdle(port, 20)
    await Promise.all([setTimeout(EXHAUSTED_MS), vi.waitFor(() => expect(countClosed(refused)).toBe(20), SOON)])
    const exhausted = [await statusOf(port, '/health/ready', open), await statusOf(port, '/exports/places.csv', open)]
    child.kill('SIGWINCH')

    expect([crowded, ...exhausted]).toEqual([200, 200, 503])
    await vi.waitFor(async () => expect(await statusOf(port, '/health/ready')).toBe(200), SOON)
    expect(child.exitCode).toBeNull()
  })
})
