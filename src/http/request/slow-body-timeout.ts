import type { FastifyInstance, FastifyRequest } from 'fastify'
import { isUtf8 } from 'node:buffer'
import { finished } from 'node:stream/promises'

import { text } from '../../locales/texts.ts'
import { problems } from '../../errors/problems.ts'
import { measureSpeed, SPEED_MIN, type Transfer } from './transfer-speed.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The body while it arrives. */
    arrivingBody: Transfer | null
  }
}

interface BodyLimits {
  /** Limit in bytes for the whole body. The connection of a client that sends more is closed without a response. */
  readonly bytesMax?: number
}

/**
 * Reads a body with a minimum rate, also one that is discarded after a refusal, so that the client can read the response.
 * @throws Problem 408 below 10 kB/s over 30 seconds, or if the body gives way to another; or any error of `read`
 */
export async function withBodyTimeout<Result>(
  request: FastifyRequest,
  { bytesMax = Infinity }: BodyLimits,
  read: () => Promise<Result>,
): Promise<Result> {
  const { raw } = request
  let bytes = 0
  raw.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes > bytesMax) raw.destroy()
  })
  const { promise: tooSlow, reject } = Promise.withResolvers<never>()
  const giveWay = () => reject(problems.requestTimeout())
  // A paused stream means that the service is slow and not the client.
  const isWaiting = () => !raw.isPaused() && !raw.readableEnded
  const { speed, stop } = measureSpeed(
    () => bytes,
    (bytesPerSecond) => {
      if (bytesPerSecond < SPEED_MIN && isWaiting()) giveWay()
    },
  )
  request.arrivingBody = { giveWay, speed: () => (isWaiting() ? speed() : undefined) }
  try {
    return await Promise.race([read(), tooSlow])
  } catch (error) {
    raw.unpipe()
    raw.resume()
    throw error
  } finally {
    request.arrivingBody = null
    stop()
  }
}

/** An unread body is discarded: `Connection: close` would end the connection before the response is read (RFC 9112, 9.6). */
export function drainUnreadBodies(app: FastifyInstance): void {
  app.decorateRequest('arrivingBody', null)
  app.addHook('onSend', (request, _reply, payload, done) => {
    const { headers, raw } = request
    const hasBody = headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
    if (hasBody && !raw.complete && !raw.readableEnded) {
      withBodyTimeout(request, {}, () => finished(raw, { writable: false })).catch(() => raw.destroy())
    }
    done(null, payload)
  })
}

/** @throws Problem 400 if the body is not UTF-8, and those of `readBody` */
export const readBodyText = async (request: FastifyRequest): Promise<string> => decodeUtf8(await readBody(request))

/** @throws Problem 413 if the body is longer than the route accepts, 400 if it ends early, 408 if it is too slow */
export async function readBody(request: FastifyRequest): Promise<Buffer> {
  const { bodyLimit } = request.routeOptions
  const declaredLength = request.headers['content-length']
  if (Number(declaredLength) > bodyLimit) throw bodyTooLarge()
  const body = await withBodyTimeout(request, {}, () => readBytes(request, bodyLimit))
  if (declaredLength !== undefined && body.length !== Number(declaredLength)) {
    throw problems.unreadableBody(text('body_length_wrong'))
  }
  return body
}

/** @throws Problem 400 instead of replacing bytes that are not UTF-8 */
export function decodeUtf8(bytes: Buffer): string {
  if (!isUtf8(bytes)) throw problems.unreadableBody(text('body_encoding_wrong'))
  return bytes.toString('utf8')
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
    raw.once('error', () => reject(problems.unreadableBody(text('body_unreadable'))))
  })
}

const bodyTooLarge = () => problems.tooLarge(text('body_too_large'))
