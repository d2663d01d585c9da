import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

import { type HtmlPage, sendPage } from '../../html/page.ts'
import { queryParameters } from '../../http/lists/pagination.ts'
import type { Urls } from '../../http/request/urls.ts'
import { formatLinks, HTML, type Link, negotiateFormat, OPENAPI_JSON, readParameters, SCHEMA_JSON } from './parameters.ts'

const JSON_TYPE = 'application/json'

interface DocumentRoute<Document extends object> {
  readonly path: string
  /** @param links the links of the document to itself and to its other formats */
  readonly toDocument: (links: readonly Link[]) => Document | Promise<Document>
  readonly toPage: (document: Document, links: readonly Link[]) => HtmlPage
  /** The media type of the document. */
  readonly type?: string
}

/** Adds a document of OGC API, as JSON and as a page that shows it. */
export function addDocumentRoute<Document extends object>(
  app: FastifyInstance,
  urls: Urls,
  { path, toDocument, toPage, type = JSON_TYPE }: DocumentRoute<Document>,
): void {
  app.get(path, async (request, reply) => {
    const format = negotiateFormat(request, readParameters(request, ['f']).get('f') ?? null)
    const links = formatLinks(urls, path, queryParameters(request), format, { json: type, html: HTML })
    const document = await toDocument(links)
    return format === 'html'
      ? sendPage(request, reply, urls, toPage(document, links))
      : sendDocument(request, reply, document, type)
  })
}

export function sendDocument(request: FastifyRequest, reply: FastifyReply, document: object, type: string) {
  const json = JSON.stringify(document)
  // GDAL reads the queryables as JSON only.
  const accepted = type === SCHEMA_JSON && request.accepts().type([SCHEMA_JSON, JSON_TYPE]) === JSON_TYPE ? JSON_TYPE : type
  // Fastify rewrites the type of a text, and GDAL knows the type of an OpenAPI document in this form only.
  return reply.type(accepted).send(type === OPENAPI_JSON ? Buffer.from(json) : json)
}
