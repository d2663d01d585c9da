import type { FastifyReply, FastifyRequest } from 'fastify'

import { LICENCE_LINK } from '../http/formats/licence.ts'

/** The types that the compression would not know. */
export const COMPRESSION = { customTypes: /vector-tile|json/ }

/** Sends a document as JSON. */
export function sendDocument(request: FastifyRequest, reply: FastifyReply, document: object) {
  void reply.header('link', LICENCE_LINK)
  return reply.send(document)
}
