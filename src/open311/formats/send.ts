import type { FastifyReply, FastifyRequest } from 'fastify'

import { LICENCE_LINK } from '../../http/formats/licence.ts'
import type { Document } from './document.ts'
import { contentTypes, type Format, requestedFormat } from './format.ts'
import { renderXml } from './xml.ts'

export const render = (document: Document, format: Format): string =>
  format === 'json' ? JSON.stringify(document.value) : renderXml(document)

/** Sends a document in the requested format. */
export function sendDocument(request: FastifyRequest, reply: FastifyReply, document: Document) {
  const format = requestedFormat(request)
  if (!reply.hasHeader('link')) void reply.header('link', LICENCE_LINK)
  return reply.type(contentTypes[format]).send(render(document, format))
}
