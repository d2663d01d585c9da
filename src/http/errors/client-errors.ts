import type { FastifyBaseLogger, FastifyInstance } from 'fastify'
import { METHODS, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'

import { text } from '../../locales/texts.ts'
import { routableUrl } from '../request/normalize-url.ts'
import { type Urls } from '../request/urls.ts'
import { newRequestId } from '../request/request-log.ts'
import { toProblemJson, type Problem, problems } from '../../errors/problems.ts'
import { unknownRouteProblem } from './render-problems.ts'

type ClientError = Error & { readonly code?: string; readonly rawPacket?: unknown }

/** Returns the handler of requests that Node's HTTP parser refuses. Fastify calls it with the app as `this`. */
export function createClientErrorHandler(urls: Urls, log: FastifyBaseLogger) {
  return function (this: unknown, error: ClientError, socket: Socket): void {
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy()
      return
    }
    const requestId = newRequestId()
    const problem = toProblem(error, this as FastifyInstance)
    log.info({ request_id: requestId, status: problem.status, error_code: error.code }, 'request refused by the HTTP parser')
    const body = JSON.stringify(toProblemJson(problem, { documentation: urls.documentation, requestId, language: 'en' }))
    const head = [
      `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}`,
      'Content-Type: application/json; charset=utf-8',
      'Content-Language: en',
      `Content-Length: ${Buffer.byteLength(body)}`,
      `X-Request-Id: ${requestId}`,
      ...Object.entries(problem.headers).map(([name, value]) => `${name}: ${value}`),
      'Connection: close',
    ]
    socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
  }
}

function toProblem({ code, rawPacket }: ClientError, app: FastifyInstance): Problem {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return problems.headersTooLarge()
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return problems.requestTimeout()
    case 'HPE_INVALID_METHOD':
      return unknownMethod(rawPacket, app) ?? notHttpProblem()
    default:
      return notHttpProblem()
  }
}

const notHttpProblem = () => problems.badRequest(text('not_http'))

const REQUEST_LINE = /^([\w!#$%&'*+.^`|~-]{1,40}) (\/[\x21-\x7e]{0,8000}) HTTP\/1\.[01]\r?\n/

/** Returns 404 or 405 for a method that Node's parser does not know, and undefined if the parser refused something else. */
function unknownMethod(packet: unknown, app: FastifyInstance): Problem | undefined {
  const [, method = '', url] = REQUEST_LINE.exec(Buffer.isBuffer(packet) ? packet.toString('latin1') : '') ?? []
  return url === undefined || METHODS.includes(method) ? undefined : unknownRouteProblem(app, { method, url: routableUrl({ url }) })
}
