import type { FastifyReply, FastifyRequest } from 'fastify'

import type { Document } from './document.ts'
import { contentTypes, requestedFormat } from './format.ts'
import { render } from './send.ts'

/** Sends the result of a write, which has no validators. */
export function sendWritten(request: FastifyRequest, reply: FastifyReply, document: Document) {
  const format = requestedFormat(request)
  return reply.type(contentTypes[format]).send(render(document, format))
}
