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

describe('a download while as many as possible are sent', () => {
  const file = { path: 'new', bytes: 1 }
  /** Sends a hundred files. The first one is the slowest. */
  function sendAll(bytesOfSlowest: number, afterMs = PERIOD_MS) {
    const limits = createDownloadLimits(4)
    const all = times(100, 5_000_000).map((bytes, n) => {
      const { stream } = sentStream()
      limits.limitSending(stream, { path: `file ${n}`, bytes: 1 })
      stream.bytesRead += n === 0 ? bytesOfSlowest : bytes
      return stream
    })
    vi.advanceTimersByTime(afterMs)
    return { limits, all }
  }

  it('gets the place of the slowest one', () => {
    const { limits, all } = sendAll(400_000)

    limits.limitSending(sentStream().stream, file)

    expect(all.map(({ destroyed }) => destroyed)).toEqual(all.map((_, n) => n === 0))
  })

  it('gets the place of one that reads hardly more than the buffers take, before it begins again', () => {
    const { limits, all } = sendAll(4_010_000, PERIOD_MS - 1_000)

    limits.limitSending(sentStream().stream, file)

    expect(all.map(({ destroyed }) => destroyed)).toEqual(all.map((_, n) => n === 0))
  })

  it.each([
    ['all have just begun', 0, 5_000],
    ['none is slow', 4_000_000, PERIOD_MS],
  ])('gets 503 while %s', (_, bytesOfSlowest, afterMs) => {
    const { limits, all } = sendAll(bytesOfSlowest, afterMs)
    const { stream } = sentStream()

    expect(() => limits.limitSending(stream, file)).toThrow(expect.objectContaining({ status: 503 }))

    expect([stream.destroyed, all.some(({ destroyed }) => destroyed)]).toEqual([true, false])
  })

  it('gets 503 if the files would take more than 16 GiB on the disk, of which parts of one file count once', () => {
    const limits = createDownloadLimits(4)
    const send = (path: string) => limits.limitSending(sentStream().stream, { path, bytes: 2 ** 32 })
    for (const path of ['a', 'b', 'c', 'd', 'd', 'd']) send(path)

    expect(() => send('e')).toThrow(expect.objectContaining({ status: 503 }))
  })
})

describe('the writing of files', () => {
  it('leaves all slots but one to clients that had less than three seconds of it in ten minutes', async () => {
    const { write } = createDownloadLimits(4)
    const gate = Promise.withResolvers<undefined>()
    const begun: string[] = []
    const begin = (client: string) =>
      write(client, () => {
        begun.push(client)
        return gate.promise
      })
    for (const client of ['heavy', 'also heavy']) await write(client, async () => vi.advanceTimersByTime(3_000))

    const all = ['heavy', 'also heavy', 'heavy', 'light', 'also light'].map(begin)
    await expect.poll(() => begun.toSorted()).toEqual(['also light', 'heavy', 'light'])
    gate.resolve(undefined)
    await Promise.all(all)

    expect(begun).toHaveLength(5)
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
    for (let n = 0; n < 20; n++) {
      await wait(50)
      vi.advanceTimersByTime(PERIOD_MS)
    }
    responses.forEach((response) => response.resume())

    expect((await failures).map(({ message }) => message)).toEqual(['aborted', 'aborted'])
    expect((await anonymous.send('GET', '/exports/places.csv')).status).toBe(200)
  })
})
