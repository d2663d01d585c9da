import { once } from 'node:events'
import net from 'node:net'
import { describe, expect, it, onTestFinished, vi } from 'vitest'

import { sql } from '../../../src/database/database.ts'
import { isLong } from '../../helpers/long.ts'
import { useApp } from '../../helpers/use-app.ts'

const ISSUES = 2_000
const CHANGES = 10
/** A stream is cut off after 30 seconds in which its client took nothing, measured in steps of 30 seconds. */
const CUT_OFF = { interval: 1_000, timeout: 300_000 }

describe.runIf(isLong)('a client that reads nothing', { timeout: 400_000 }, () => {
  const app = useApp({ ownApp: true, env: { STREAM_SECONDS_MAX: '3600' } })

  async function open(isRead: boolean) {
    const { port } = app.fastify.server.address() as net.AddressInfo
    const socket = net.connect(port, '127.0.0.1')
    onTestFinished(() => void socket.destroy())
    await once(socket, 'connect')
    socket.write('GET /api/v2/changes/stream HTTP/1.1\r\nhost: 127.0.0.1\r\nuser-agent: fixpoint-tests\r\n\r\n')
    const state = { text: '' }
    await once(socket, 'readable')
    if (isRead) socket.on('data', (part) => (state.text = (state.text + part.toString()).slice(-10_000)))
    return state
  }
  const connections = () => new Promise<number>((done) => app.fastify.server.getConnections((_error, count) => done(count)))

  it('is cut off, and delays no other client', async () => {
    await app.fastify.listen({ port: 0, host: '127.0.0.1' })
    const reporter = await app.create.user()
    for (let n = 0; n < ISSUES; n++) await app.create.issue({ reporter, description: 'x'.repeat(1_000) })
    const reader = await open(true)
    await open(false)
    await expect.poll(connections, CUT_OFF).toBe(2)

    for (let n = 1; n <= CHANGES; n++) {
      await app.db.execute(sql`UPDATE issues SET summary = 'Change ' || ${n}::integer`)
      await vi.waitFor(() => expect(reader.text).toContain(`"Change ${n}"`), CUT_OFF)
    }

    await expect.poll(connections, CUT_OFF).toBe(1)
    await app.db.execute(sql`UPDATE issues SET summary = 'The last one'`)
    await vi.waitFor(() => expect(reader.text).toContain('"The last one"'), CUT_OFF)
  })
})
