import type { FastifyReply, FastifyRequest } from 'fastify'

import { isNotModified, setValidators } from '../http/caching/conditional.ts'
import { LICENCE_LINK } from '../http/formats/licence.ts'

/** The types that the compression would not know. */
export const COMPRESSION = { customTypes: /vector-tile|json/ }

/** Sends a document as JSON, or 304. */
export function sendDocument(request: FastifyRequest, reply: FastifyReply, document: object) {
  void reply.header('link', LICENCE_LINK)
  setValidators(request, reply, { etagParts: [JSON.stringify(document)] })
  return isNotModified(request, reply) ? reply.notModified() : reply.send(document)
}
