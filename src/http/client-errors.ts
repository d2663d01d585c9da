import type { FastifyBaseLogger } from 'fastify'
import { randomUUID } from 'node:crypto'
import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'

import { jsonOf, type Problem, problems } from './problems.ts'
import type { Urls } from './urls.ts'

/** Ids of requests, also of those that never become one: the random ends of a UUID, for which Node fetches randomness once for many. */
export function newRequestId(): string {
  const uuid = randomUUID()
  return uuid.slice(0, 8) + uuid.slice(-8)
}

/** What Node refuses before it is a request, such as headers without an end, is answered in our own shape all the same. */
export function answerClientErrors(urls: Urls, log: FastifyBaseLogger) {
  return (error: Error & { code?: string }, socket: Socket): void => {
    if (error.code === 'ECONNRESET' || !socket.writable) {
      socket.destroy()
      return
    }
    const requestId = newRequestId()
    const problem = problemOf(error.code)
    log.info({ request_id: requestId, status: problem.status, code: error.code }, 'refused')
    const body = JSON.stringify(jsonOf(problem, { documentation: urls.documentation, requestId }))
    const head = [
      `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}`,
      'Content-Type: application/json; charset=utf-8',
      // What language is wanted stands in headers that could not be read.
      'Content-Language: en',
      `Content-Length: ${Buffer.byteLength(body)}`,
      `X-Request-Id: ${requestId}`,
      'Connection: close',
    ]
    socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
  }
}

function problemOf(code: string | undefined): Problem {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return problems.headersTooLarge()
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return problems.tooSlow()
    default:
      return problems.badRequest('This is not an HTTP request.')
  }
}
