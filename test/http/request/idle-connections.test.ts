import { once } from 'node:events'
import { createServer, get, type IncomingMessage } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { describe, expect, onTestFinished, it, vi } from 'vitest'

import { limitConnections } from '../../../src/process/connection-limits.ts'
import { createTestDatabase, engine } from '../../helpers/database.ts'
import { startNode } from '../../helpers/processes.ts'
import { testDatabaseUrl } from '../../helpers/servers.ts'
import { createTemporaryFolder } from '../../helpers/temporary-folder.ts'

const OTHER_ADDRESS = '127.0.0.2'
const SOON = { timeout: 30_000, interval: 50 }

/** Opens idle connections. Returns a function that counts those that the server has closed. */
function openIdle(port: number, count: number): () => number {
  const sockets = Array.from({ length: count }, (): Socket =>
    connect(port, '127.0.0.1')
      .on('error', () => undefined)
      .resume(),
  )
  onTestFinished(() => sockets.forEach((socket) => socket.destroy()))
  return () => sockets.filter(({ destroyed }) => destroyed).length
}

async function statusFor(localAddress: string, port: number): Promise<number | undefined> {
  const request = get({ host: '127.0.0.1', port, path: '/health/ready', localAddress, agent: false })
  const [response] = (await once(request, 'response')) as [IncomingMessage]
  response.resume()
  return response.statusCode
}

/** A limit of 16 open files allows eight connections, two of them for an address. */
async function startServer(isProxy: (address: string) => boolean): Promise<number> {
  const server = createServer((_request, response) => response.end())
  limitConnections(server, isProxy, 16)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  onTestFinished(() => void server.close())
  return (server.address() as AddressInfo).port
}

describe('limitConnections', () => {
  it('closes connections of an address beyond a quarter of all, and serves other addresses', async () => {
    const port = await startServer(() => false)

    const closed = openIdle(port, 5)

    await vi.waitFor(() => expect(closed()).toBe(3), SOON)
    expect(await statusFor(OTHER_ADDRESS, port)).toBe(200)
  })

  it('allows a trusted proxy all connections', async () => {
    const port = await startServer((address) => address === '127.0.0.1')

    const closed = openIdle(port, 10)

    await vi.waitFor(() => expect(closed()).toBe(2), SOON)
  })
})

describe.runIf(engine === 'server')('the web process', { timeout: 120_000 }, () => {
  it('survives more idle connections of one address than it may open files, and serves others', async () => {
    const { url, drop } = await createTestDatabase(testDatabaseUrl ?? '')
    onTestFinished(drop)
    const env = { DATABASE_URL: url, PUBLIC_URL: 'http://127.0.0.1', PORT: '0', DATA_DIR: createTemporaryFolder() }
    const { child, waitForOutput } = startNode('src/server.ts', [], env, 700)
    const [, digits] = await waitForOutput(/listening at http:\/\/127\.0\.0\.1:(\d+)/)
    const port = Number(digits)

    const closed = openIdle(port, 900)

    await vi.waitFor(() => expect(closed()).toBe(813), SOON)
    expect([await statusFor(OTHER_ADDRESS, port), child.exitCode]).toEqual([200, null])
  })
})
