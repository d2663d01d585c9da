import { get, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { PassThrough } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'

import { sql } from '../../src/database/database.ts'
import { createDownloadLimits } from '../../src/gis/downloads/download-limits.ts'
import { limitSendingTime } from '../../src/gis/downloads/sending-time.ts'
import { useApp } from '../helpers/use-app.ts'
import { appOn } from '../http/app-on.ts'

const app = useApp()
const PERIOD_MS = 30_000

/** Only these timers are fake, because sockets and the database need the others. */
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'performance'] })
  onTestFinished(() => void vi.useRealTimers())
})

/** Returns a stream of which a client reads so many bytes in each period of the measured speed. */
function sentStream() {
  const stream = Object.assign(new PassThrough(), { bytesRead: 0 })
  let reason: string | undefined
  stream.once('error', ({ message }) => (reason = message))
  const read = async (...periods: readonly number[]) => {
    for (const bytes of periods) {
      stream.bytesRead += bytes
      vi.advanceTimersByTime(PERIOD_MS)
      await wait(0)
    }
    return reason
  }
  return { stream, read }
}
const times = (count: number, bytes: number) => Array.from({ length: count }, () => bytes)

describe('limitSendingTime', () => {
  const tooSlow = 'The client reads the download too slowly.'

  it('lets a client read 10 kB/s for two hours', async () => {
    const { stream, read } = sentStream()
    limitSendingTime(stream)

    expect(await read(...times(239, 300_000))).toBeUndefined()
    expect(await read(300_000)).toBe('The download takes too long.')
  })

  it('ends the download of a client below 10 kB/s after 30 seconds', async () => {
    const { stream, read } = sentStream()
    limitSendingTime(stream)

    expect(await read(299_000)).toBe(tooSlow)
  })

  it('allows a client pauses while it reads from buffers, for less than five minutes', async () => {
    const { stream, read } = sentStream()
    limitSendingTime(stream)

    expect(await read(4_000_000, ...times(9, 700))).toBeUndefined()
    expect(await read(700)).toBe(tooSlow)
  })
})

describe('a download while all slots are taken', () => {
  /** Takes all slots with downloads of eight addresses. The first one is the slowest. */
  async function occupyAll(bytesOfSlowest: number, afterMs = PERIOD_MS) {
    const limits = createDownloadLimits(4)
    const all = await Promise.all(
      times(16, 1_000_000).map(async (bytes, n) => {
        const release = await limits.occupy({ ip: `203.0.113.${n >> 1}` })
        const { stream, read } = sentStream()
        stream.once('close', release)
        limits.limitSending(stream)
        stream.bytesRead += n === 0 ? bytesOfSlowest : 5 * bytes
        return { stream, read }
      }),
    )
    vi.advanceTimersByTime(afterMs)
    return { limits, all }
  }

  it('gets the slot of the slowest one', async () => {
    const { limits, all } = await occupyAll(400_000)

    await limits.occupy({ ip: '203.0.113.99' })

    expect(all.map(({ stream }) => stream.destroyed)).toEqual(all.map((_, n) => n === 0))
  })

  it('gets the slot of one that reads hardly more than the buffers take, before it begins again', async () => {
    const { limits, all } = await occupyAll(4_010_000, PERIOD_MS - 1_000)

    await limits.occupy({ ip: '203.0.113.99' })

    expect(all.map(({ stream }) => stream.destroyed)).toEqual(all.map((_, n) => n === 0))
  })

  it('gets 503 while all have just begun', async () => {
    const { limits } = await occupyAll(0, 5_000)

    await expect(limits.occupy({ ip: '203.0.113.99' })).rejects.toMatchObject({ status: 503 })
  })

  it('gets 503 if none is slow', async () => {
    const { limits, all } = await occupyAll(4_000_000)

    await expect(limits.occupy({ ip: '203.0.113.99' })).rejects.toMatchObject({ status: 503 })

    expect(all.some(({ stream }) => stream.destroyed)).toBe(false)
  })
})

describe('a client that stops reading', () => {
  it('loses its connection and its slot after five minutes', async () => {
    // The buffers of both sides hold some megabytes.
    await app.db.execute(sql`
      INSERT INTO issues (summary, video_url, lng, lat)
      SELECT 'Issue ' || n, 'https://example.org/' || repeat('x', 100000), 0, 0 FROM generate_series(1, 300) n`)
    const { fastify, anonymous } = await appOn(app.db)
    await fastify.listen({ port: 0, host: '127.0.0.1' })
    const { port } = fastify.server.address() as AddressInfo
    const startDownload = () =>
      new Promise<IncomingMessage>((resolve, reject) => {
        get({ port, host: '127.0.0.1', path: '/exports/issues.csv', headers: { 'user-agent': 'tests' } }, resolve).once(
          'error',
          reject,
        )
      })
    const responses = await Promise.all([startDownload(), startDownload()])
    const failures = Promise.all(responses.map((response) => new Promise<Error>((resolve) => response.once('error', resolve))))
    for (let n = 0; n < 11; n++) {
      await wait(50)
      vi.advanceTimersByTime(PERIOD_MS)
    }
    responses.forEach((response) => response.resume())

    expect((await failures).map(({ message }) => message)).toEqual(['aborted', 'aborted'])
    expect((await anonymous.send('GET', '/exports/places.csv')).status).toBe(200)
  })
})
