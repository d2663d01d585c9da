import type { FastifyRequest } from 'fastify'

import { problems } from '../../errors/problems.ts'
import { BoundedMemory } from '../../http/rate-limit/rate-limit-store.ts'
import { limitConcurrency, limitConcurrencyByClient } from '../../http/request/request-limit.ts'
import { endSlowest, type Transfer } from '../../http/request/transfer-speed.ts'
import { limitSendingTime, type SentStream } from './sending-time.ts'
import { FILE_BYTES_MAX, type SpooledFile } from './spool.ts'

/** Whole downloads of a client address at a time, and of a /48 network of IPv6. */
const PER_CLIENT_MAX = 2
const PER_NETWORK_MAX = 4
/** Files that the process sends at a time. A slow client costs only a connection and an open file. */
const SENDING_MAX = 100
/** Their bytes. A file takes its space on the disk until it is sent, also after it was deleted. */
const SENDING_BYTES_MAX = 4 * FILE_BYTES_MAX
/** Programs read a file in parallel parts, and a client has the last byte shortly before its slot is free, so the next download waits. */
const WAITING = { queueMax: 10, waitMaxMs: 30_000 }
const WRITING = { queueMax: 100, waitMaxMs: 60_000 }
/** Time in which files were written for a client, in a window, from which on it takes turns with others of its kind. */
const WRITING_MS = 3_000
const WRITING_WINDOW_S = 600

type SentFile = Pick<SpooledFile, 'path' | 'bytes'>

/** Returns limits for whole downloads, which all interfaces share. @param pool connections for snapshots, one of which stays free */
export function createDownloadLimits(pool: number) {
  const refusal = () => problems.tooManyExports(PER_CLIENT_MAX)
  const acquireSlot = limitConcurrencyByClient({
    ...WAITING,
    concurrency: PER_CLIENT_MAX,
    networkConcurrency: PER_NETWORK_MAX,
    refusal,
  })
  const limitWriting = limitConcurrency({ ...WRITING, concurrency: Math.max(1, pool - 1) })
  const limitHeavyClients = limitConcurrency({ ...WRITING, concurrency: 1 })
  const writingTime = new BoundedMemory({ duration: WRITING_WINDOW_S })
  const sending = new Map<Transfer, SentFile>()
  const isFull = (file: SentFile) => {
    const bytesByPath = new Map([...sending.values(), file].map(({ path, bytes }) => [path, bytes]))
    const bytes = [...bytesByPath.values()].reduce((sum, one) => sum + one, 0)
    return sending.size >= SENDING_MAX || bytes > SENDING_BYTES_MAX
  }
  return {
    /**
     * Occupies a slot until the returned function is called.
     * @throws Problem 429 if a third download of a client waits for half a minute
     */
    async occupy(request: Pick<FastifyRequest, 'ip' | 'ips'>): Promise<() => void> {
      const { promise: ended, resolve: release } = Promise.withResolvers<void>()
      try {
        await acquireSlot(request, ended)
        return release
      } catch (error) {
        release()
        throw error
      }
    },
    /**
     * Ends the sending of a file that is too slow, or slow while there is no room for the file of another client.
     * @throws Problem 503 if there is no room; the stream is then destroyed
     */
    limitSending(stream: SentStream, file: SentFile): void {
      while (isFull(file)) {
        const ended = endSlowest(sending.keys())
        if (!ended) {
          stream.destroy()
          throw problems.unavailable()
        }
        sending.delete(ended)
      }
      const transfer = limitSendingTime(stream)
      sending.set(transfer, file)
      stream.once('close', () => sending.delete(transfer))
    },
    /**
     * Runs work that writes a file. All clients that had much of it lately occupy one slot together, so that others hardly wait for them.
     * @throws Problem 503 if too much work waits
     */
    async write<Result>(client: string, work: () => Promise<Result>): Promise<Result> {
      const timedWork = async () => {
        const startedAt = performance.now()
        try {
          return await work()
        } finally {
          await writingTime.consume(client, Math.ceil(performance.now() - startedAt))
        }
      }
      const spent = await writingTime.get(client)
      const write = () => limitWriting(timedWork)
      return spent && spent.consumedPoints >= WRITING_MS ? limitHeavyClients(write) : write()
    },
  }
}
