import { createReadStream, writeFileSync } from 'node:fs'
import { get, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest'

import { sql } from '../../src/database/database.ts'
import { limitSendingTime } from '../../src/gis/downloads/sending-time.ts'
import { createTemporaryFolder } from '../helpers/temporary-folder.ts'
import { useApp } from '../helpers/use-app.ts'
import { appOn } from '../http/app-on.ts'

const app = useApp()
const FIVE_MINUTES = 5 * 60_000

/** Only intervals are fake, because sockets and the database need the other timers. */
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
  onTestFinished(() => void vi.useRealTimers())
})

describe('limitSendingTime', () => {
  const openFile = (bytes: number) => {
    const path = join(createTemporaryFolder(), 'file')
    writeFileSync(path, Buffer.alloc(bytes))
    const stream = createReadStream(path, { highWaterMark: 100 })
    const closed = new Promise<Error | undefined>((resolve) => {
      stream.once('error', resolve).once('close', () => resolve(undefined))
    })
    limitSendingTime(stream)
    return { stream, closed }
  }
  const readChunk = async (stream: ReturnType<typeof openFile>['stream']) => {
    const bytesBefore = stream.bytesRead
    while (stream.read(100) === null) await wait(1)
    // The stream reads the next chunk of the file in the background.
    while (stream.bytesRead === bytesBefore) await wait(1)
  }

  it('lets a client read a chunk every five minutes, for two hours', async () => {
    const { stream, closed } = openFile(10_000)

    for (let n = 0; n < 23; n++) {
      await readChunk(stream)
      vi.advanceTimersByTime(FIVE_MINUTES)
    }
    const isOpenBefore = !stream.destroyed
    await readChunk(stream)
    vi.advanceTimersByTime(FIVE_MINUTES)

    expect(isOpenBefore).toBe(true)
    expect(await closed).toMatchObject({ message: 'The client reads the download too slowly.' })
  })

  it('ends the download of a client that reads nothing for five minutes', async () => {
    const { stream, closed } = openFile(10_000)
    await readChunk(stream)
    vi.advanceTimersByTime(FIVE_MINUTES)
    const isOpenBefore = !stream.destroyed

    vi.advanceTimersByTime(FIVE_MINUTES)

    expect(isOpenBefore).toBe(true)
    expect(await closed).toMatchObject({ message: 'The client reads no more of the download.' })
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
    const refused = await anonymous.send('GET', '/exports/places.csv')

    const failures = Promise.all(responses.map((response) => new Promise<Error>((resolve) => response.once('error', resolve))))
    for (let n = 0; n < 2; n++) {
      await wait(500)
      vi.advanceTimersByTime(FIVE_MINUTES)
    }
    responses.forEach((response) => response.resume())

    expect((await failures).map(({ message }) => message)).toEqual(['aborted', 'aborted'])
    expect([refused.status, (await anonymous.send('GET', '/exports/places.csv')).status]).toEqual([429, 200])
  })
})
