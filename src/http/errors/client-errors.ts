import type { FastifyBaseLogger, FastifyInstance } from 'fastify'
import { randomUUID } from 'node:crypto'
import { METHODS, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'

import { routableUrl } from '../request/normalize-url.ts'
import { jsonOf, type Problem, problems } from '../../errors/problems.ts'
import { unknownAddress } from './unknown-address.ts'
import type { Urls } from '../request/urls.ts'

/** What Node tells of a request that it refuses; `rawPacket` is the Buffer that it read last. */
type ClientError = Error & { readonly code?: string; readonly rawPacket?: unknown }

/** Ids of requests, also of those that never become one: the random ends of a UUID, for which Node fetches randomness once for many. */
export function newRequestId(): string {
  const uuid = randomUUID()
  return uuid.slice(0, 8) + uuid.slice(-8)
}

/** Answers what Node refuses before it is a request, such as headers without an end, in our own shape. Fastify calls it on the app. */
export function answerClientErrors(urls: Urls, log: FastifyBaseLogger) {
  return function (this: unknown, error: ClientError, socket: Socket): void {
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy()
      return
    }
    const requestId = newRequestId()
    const problem = problemOf(error, this as FastifyInstance)
    log.info({ request_id: requestId, status: problem.status, code: error.code }, 'refused')
    const body = JSON.stringify(jsonOf(problem, { documentation: urls.documentation, requestId }))
    const head = [
      `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}`,
      'Content-Type: application/json; charset=utf-8',
      // What language is wanted stands in headers that could not be read.
      'Content-Language: en',
      `Content-Length: ${Buffer.byteLength(body)}`,
      `X-Request-Id: ${requestId}`,
      ...Object.entries(problem.headers).map(([name, value]) => `${name}: ${value}`),
      'Connection: close',
    ]
    socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
  }
}

function problemOf({ code, rawPacket }: ClientError, app: FastifyInstance): Problem {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return problems.headersTooLarge()
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return problems.tooSlow()
    case 'HPE_INVALID_METHOD':
      return unknownMethod(rawPacket, app) ?? notHttp()
    default:
      return notHttp()
  }
}

const notHttp = () => problems.badRequest('This is not an HTTP request.')

/** A request line of RFC 9112, 3, whose target is a path. */
const REQUEST_LINE = /^([\w!#$%&'*+.^`|~-]{1,40}) (\/[\x21-\x7e]{0,8000}) HTTP\/1\.[01]\r?\n/

/** Node's parser refuses methods that it does not know. Undefined where it refused something else. */
function unknownMethod(packet: unknown, app: FastifyInstance): Problem | undefined {
  const [, method = '', url] = REQUEST_LINE.exec(Buffer.isBuffer(packet) ? packet.toString('latin1') : '') ?? []
  return url === undefined || METHODS.includes(method) ? undefined : unknownAddress(app, { method, url: routableUrl({ url }) })
}
