import type { FastifyRequest } from 'fastify'

import { problems } from '../../errors/problems.ts'
import { clientKey, networkKey } from '../../http/request/client-address.ts'
import { limitConcurrency, limitConcurrencyByKey, acquireSlot } from '../../http/request/concurrency-limit.ts'
import { endSlowest, type Transfer } from '../../http/request/transfer-speed.ts'
import { limitSendingTime, type SentStream } from './sending-time.ts'

/** Whole downloads of a client address at a time, and of a /48 network of IPv6. */
const PER_CLIENT_MAX = 2
const PER_NETWORK_MAX = 4
/** Whole downloads of the process at a time; each has a file of at most `FILE_BYTES_MAX` bytes. */
const TOTAL_MAX = 16
/** Programs read a file in parallel parts, and a client has the last byte shortly before its slot is free, so the next download waits. */
const WAITING = { queueMax: 10, waitMaxMs: 30_000 }
const WAITING_OF_ALL = { queueMax: 10, waitMaxMs: 1_000 }
const WRITING = { queueMax: 6, waitMaxMs: 60_000 }

/** Returns limits for whole downloads, which all interfaces share. @param pool connections for snapshots, one of which stays free */
export function createDownloadLimits(pool: number) {
  const refusal = () => problems.tooManyExports(PER_CLIENT_MAX)
  const clientLimiter = limitConcurrencyByKey({ ...WAITING, concurrency: PER_CLIENT_MAX, refusal })
  const networkLimiter = limitConcurrencyByKey({ ...WAITING, concurrency: PER_NETWORK_MAX, refusal })
  const sending = new Set<Transfer>()
  const limitAll = limitConcurrency({ ...WAITING_OF_ALL, concurrency: TOTAL_MAX, onFull: () => endSlowest(sending) })
  return {
    /**
     * Occupies a slot until the returned function is called.
     * @throws Problem 429 if a third download of a client waits for half a minute, 503 if the process has too many
     */
    async occupy(request: Pick<FastifyRequest, 'ip' | 'ips'>): Promise<() => void> {
      const client = clientKey(request)
      const network = networkKey(client)
      const { promise: ended, resolve: release } = Promise.withResolvers<void>()
      try {
        await acquireSlot(clientLimiter(client), ended)
        if (network !== undefined) await acquireSlot(networkLimiter(network), ended)
        await acquireSlot(limitAll, ended)
        return release
      } catch (error) {
        release()
        throw error
      }
    },
    /** Ends the sending of a file that is too slow, or slow while another client waits for a slot. */
    limitSending(stream: SentStream): void {
      const transfer = limitSendingTime(stream)
      sending.add(transfer)
      stream.once('close', () => sending.delete(transfer))
    },
    /** Runs work that writes a file. @throws Problem 503 if too much work waits */
    write: limitConcurrency({ ...WRITING, concurrency: Math.max(1, pool - 1) }),
  }
}
