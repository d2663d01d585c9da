import type { FastifyRequest } from 'fastify'

import { problems } from './problems.ts'

/** A poor line of a phone brings several times as much. */
const BYTES_MIN = 30_000
const WITHIN_MS = 15_000

export interface ArrivalBounds {
  /** Of the whole body; whoever sends more is cut off. */
  readonly bytesMax: number
}

/**
 * Reads a body while it arrives. Lengths of parts are limited one by one: this is for what belongs to none, and for what comes after a
 * refusal, which is read and forgotten so that the client gets to read why.
 * @throws Problem 408 where less than 30 kB come within 15 seconds, so that nobody holds a place by sending nothing; or what `read` throws
 */
export async function whileArriving<Result>(
  { raw }: FastifyRequest,
  { bytesMax }: ArrivalBounds,
  read: () => Promise<Result>,
): Promise<Result> {
  let bytes = 0
  let bytesBefore = 0
  let timer: NodeJS.Timeout | undefined
  raw.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes > bytesMax) raw.destroy()
  })
  const tooSlow = new Promise<never>((_resolve, reject) => {
    timer = setInterval(() => {
      // Where it is we who do not read, its sender is not slow.
      if (bytes - bytesBefore < BYTES_MIN && !raw.isPaused() && !raw.readableEnded) reject(problems.tooSlow())
      bytesBefore = bytes
    }, WITHIN_MS)
  })
  try {
    return await Promise.race([read(), tooSlow])
  } catch (error) {
    raw.unpipe()
    raw.resume()
    throw error
  } finally {
    clearInterval(timer)
  }
}
