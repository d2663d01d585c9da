import type { FastifyReply, FastifyRequest } from 'fastify'

import { LICENCE_LINK } from '../../http/formats/licence.ts'
import type { Document, Value } from './document.ts'
import { contentTypes, type Format, requestedFormat } from './format.ts'
import { toXmlText } from '../../http/formats/xml-text.ts'

export const render = (document: Document, format: Format): string =>
  format === 'json' ? JSON.stringify(document.value) : renderXml(document)

/** Sends a document in the requested format. */
export function sendDocument(request: FastifyRequest, reply: FastifyReply, document: Document) {
  const format = requestedFormat(request)
  if (!reply.hasHeader('link')) void reply.header('link', LICENCE_LINK)
  return reply.type(contentTypes[format]).send(render(document, format))
}

/** The elements in a list, by the name of the list (GeoReport v2 and its extensions). */
const itemNames: Readonly<Record<string, string>> = {
  attributes: 'attribute',
  endpoints: 'endpoint',
  errors: 'error',
  formats: 'format',
  keys: 'key',
  notes: 'note',
  photos: 'photo',
  service_request_updates: 'request_update',
  service_requests: 'request',
  services: 'service',
  values: 'value',
}

/**
 * Returns XML 1.0 in UTF-8 with the same content as the JSON (the Spark Convention). Null and empty values are empty elements, and characters
 * that XML forbids become U+FFFD.
 */
export const renderXml = ({ root, value }: Document): string =>
  `<?xml version="1.0" encoding="UTF-8"?>\n${renderElement(root, value)}\n`

function renderElement(name: string, value: Value): string {
  const content = renderContent(name, value)
  return content === '' ? `<${name}/>` : `<${name}>${content}</${name}>`
}

function renderContent(name: string, value: Value): string {
  if (value === null) return ''
  if (typeof value !== 'object') return escape(String(value))
  if (!isList(value))
    return Object.entries(value)
      .map(([child, content]) => renderElement(child, content))
      .join('')
  const itemName = itemNames[name]
  if (itemName === undefined) throw new Error(`The items of ${name} have no name in XML`)
  return value.map((item) => renderElement(itemName, item)).join('')
}

const isList = (value: object): value is readonly Value[] => Array.isArray(value)

const escapes: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '\r': '&#13;' }

/** A parser turns a carriage return into a line feed unless it is escaped. */
const escape = (text: string): string => toXmlText(text).replaceAll(/[&<>\r]/g, (character) => escapes[character] ?? character)
