import type { FastifyInstance, FastifyRequest } from 'fastify'
import { finished } from 'node:stream/promises'

import { problems } from '../../errors/problems.ts'

/** A poor line of a phone brings several times as much. */
const BYTES_MIN = 30_000
const WITHIN_MS = 15_000

export interface ArrivalBounds {
  /** The most bytes of the whole body. The connection of a client that sends more is closed, though it has not read the answer. */
  readonly bytesMax?: number
}

/**
 * Reads a body while it arrives. Lengths of parts are limited one by one: this is for what belongs to none, and for what comes after a
 * refusal, which is read and forgotten so that the client gets to read why.
 * @throws Problem 408 where less than 30 kB come within 15 seconds, so that nobody holds a place by sending nothing; or what `read` throws
 */
export async function whileArriving<Result>(
  { raw }: FastifyRequest,
  { bytesMax = Infinity }: ArrivalBounds,
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

/**
 * Reads and drops what is left of a body that was answered before its end, as a refusal of the headers is. A body that is too slow ends the
 * connection. `Connection: close` would end it at once, and a client that is still sending could not read the answer (RFC 9112, 9.6).
 */
export function limitAnsweredBodies(app: FastifyInstance): void {
  app.addHook('onSend', (request, _reply, payload, done) => {
    const { headers, raw } = request
    const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
    if (hasBody && !raw.complete && !raw.readableEnded) {
      whileArriving(request, {}, () => finished(raw, { writable: false })).catch(() => raw.destroy())
    }
    done(null, payload)
  })
}

/**
 * Returns a body as text (UTF-8), read while it arrives.
 * @throws Problem 413 where it is longer than the route takes, 400 where it ends too early, 408 as `whileArriving` does
 */
export async function readText(request: FastifyRequest): Promise<string> {
  const { bodyLimit } = request.routeOptions
  const said = request.headers['content-length']
  if (Number(said) > bodyLimit) throw bodyTooLarge()
  const body = await whileArriving(request, {}, () => readBytes(request, bodyLimit))
  if (said !== undefined && body.length !== Number(said)) {
    throw problems.unreadableBody('The body is not as long as Content-Length says.')
  }
  return body.toString('utf8')
}

function readBytes({ raw }: FastifyRequest, bytesMax: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let bytes = 0
  return new Promise((resolve, reject) => {
    raw.on('data', (chunk: Buffer) => {
      bytes += chunk.length
      if (bytes > bytesMax) reject(bodyTooLarge())
      else chunks.push(chunk)
    })
    raw.once('end', () => resolve(Buffer.concat(chunks)))
    raw.once('error', () => reject(problems.unreadableBody('The body cannot be read.')))
  })
}

const bodyTooLarge = () => problems.tooLarge('The body is too large.')
