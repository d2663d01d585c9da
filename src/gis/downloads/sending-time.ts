import type { ReadStream } from 'node:fs'

/** Buffers of the kernel take 4 MB at once, which last 200 s at 20 kB/s. */
const STALLED_MS = 5 * 60_000
/** A client that reads a little every minute must not occupy its slot for ever. */
const SENDING_MAX_MS = 2 * 60 * 60_000

/** Destroys the stream of a file that is sent to a client if it makes no progress or lasts too long. */
export function limitSendingTime(stream: Pick<ReadStream, 'bytesRead' | 'destroy' | 'once'>): void {
  let bytesBefore = -1
  let duration_ms = 0
  const timer = setInterval(() => {
    duration_ms += STALLED_MS
    if (stream.bytesRead === bytesBefore) stream.destroy(new Error('The client reads no more of the download.'))
    if (duration_ms >= SENDING_MAX_MS) stream.destroy(new Error('The client reads the download too slowly.'))
    bytesBefore = stream.bytesRead
  }, STALLED_MS).unref()
  stream.once('close', () => clearInterval(timer))
}
