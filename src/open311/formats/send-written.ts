import type { FastifyReply, FastifyRequest } from 'fastify'

import type { Document } from './document.ts'
import { contentTypes, requestedFormat } from './format.ts'
import { render } from './send.ts'

/** Sends the result of a write, which has no validators: 200 if it is public, 201 if it waits for approval. */
export function sendWritten(request: FastifyRequest, reply: FastifyReply, isHeld: boolean, document: Document) {
  const format = requestedFormat(request)
  return reply
    .code(isHeld ? 201 : 200)
    .type(contentTypes[format])
    .send(render(document, format))
}
