import type { ReadStream } from 'node:fs'
import type { Readable } from 'node:stream'

import { measureSpeed, SPEED_MIN, SPEED_PERIOD_S, type Transfer } from '../../http/request/transfer-speed.ts'

/** Buffers of the kernel take this at once and then more than a megabyte at a time, so that a slow client has periods without progress. */
const BUFFERED = 4_000_000
const AVERAGE_PERIODS = 10
/** A client that reads a large file slowly must not occupy its slot for ever. */
const SENDING_MAX_S = 2 * 60 * 60

export type SentStream = Readable & Pick<ReadStream, 'bytesRead'>

/**
 * Destroys the stream of a file that is sent to a client if its average speed, over the last five minutes, falls below the minimum, or if it
 * lasts too long.
 */
export function limitSendingTime(stream: SentStream): Transfer {
  const end = (reason: string) => stream.destroy(new Error(reason))
  let speeds: readonly number[] = []
  let duration_s = 0
  const { speed, stop } = measureSpeed(
    () => stream.bytesRead,
    (latest) => {
      duration_s += SPEED_PERIOD_S
      speeds = [...speeds.slice(1 - AVERAGE_PERIODS), latest]
      const average = speeds.reduce((sum, one) => sum + one, 0) / speeds.length
      if (average < SPEED_MIN) end('The client reads the download too slowly.')
      if (duration_s >= SENDING_MAX_S) end('The download takes too long.')
    },
    BUFFERED,
  )
  stream.once('close', stop)
  return { speed, giveWay: () => end('The slowest download gives way to another client.') }
}
