import type { FastifyReply, FastifyRequest } from 'fastify'

import { isNotModified, setValidators, type Validators } from '../../http/caching/conditional.ts'
import { LICENCE_LINK } from '../../http/formats/licence.ts'
import type { Document } from './document.ts'
import { contentTypes, type Format, requestedFormat } from './format.ts'
import { renderXml } from './xml.ts'

export const render = (document: Document, format: Format): string =>
  format === 'json' ? JSON.stringify(document.value) : renderXml(document)

/** Sends a document in the requested format, or 304. Without `etagParts`, the ETag is a hash of the body. */
export function sendDocument(request: FastifyRequest, reply: FastifyReply, document: Document, validators: Validators = {}) {
  const format = requestedFormat(request)
  const body = render(document, format)
  setValidators(request, reply, { etagParts: [body], ...validators })
  if (isNotModified(request, reply)) return reply.notModified()
  if (!reply.hasHeader('link')) void reply.header('link', LICENCE_LINK)
  return reply.type(contentTypes[format]).send(body)
}
