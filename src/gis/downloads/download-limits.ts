import { clientKey, networkKey } from '../../http/request/client-address.ts'
import { limitConcurrency } from '../../http/request/concurrency-limit.ts'
import { problems } from '../../errors/problems.ts'

/** Whole downloads of a client address at a time, and of a /48 network of IPv6. */
const PER_CLIENT_MAX = 2
const PER_NETWORK_MAX = 4
/** Whole downloads of the process at a time; each has a file of at most `FILE_BYTES_MAX` bytes. */
const TOTAL_MAX = 16
/** Files are written within these limits. They are below the number of connections for snapshots. */
const WRITING = { concurrency: 3, queueMax: 6, waitMaxMs: 60_000 }

/** Returns limits for whole downloads, which all faces share. */
export function createDownloadLimits() {
  const active = new Map<string, number>()
  const limitWriting = limitConcurrency(WRITING)
  let total = 0
  return {
    /**
     * Occupies a place until the returned function is called.
     * @throws Problem 429 for a third download of a client, 503 if the process has too many
     */
    occupy(request: Parameters<typeof clientKey>[0]): () => void {
      const client = clientKey(request)
      const network = networkKey(client)
      const limits: [string, number][] = [
        [client, PER_CLIENT_MAX],
        ...(network === undefined ? [] : [[network, PER_NETWORK_MAX] as [string, number]]),
      ]
      if (limits.some(([key, max]) => (active.get(key) ?? 0) >= max)) throw problems.tooManyExports(PER_CLIENT_MAX)
      if (total >= TOTAL_MAX) throw problems.unavailable()
      const add = (change: 1 | -1) => {
        total += change
        for (const [key] of limits) {
          const count = (active.get(key) ?? 0) + change
          if (count === 0) active.delete(key)
          else active.set(key, count)
        }
      }
      add(1)
      let isActive = true
      return () => {
        if (isActive) add(-1)
        isActive = false
      }
    },
    /** Runs work that writes a file. @throws Problem 503 if too much work waits */
    write: limitWriting,
  }
}
