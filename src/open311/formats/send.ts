import type { FastifyRequest, FastifyReply } from 'fastify'

import { JSON_TYPE, createTypeNegotiator } from '../../http/formats/content-types.ts'
import { LICENCE_LINK } from '../../http/formats/feature-collection.ts'
import { toXmlText } from '../../http/formats/xml-text.ts'
import { queryParameters, refuseTooLong, withParameters } from '../../http/lists/pagination.ts'
import type { Urls } from '../../http/request/urls.ts'

export type Value = string | number | boolean | null | readonly Value[] | { readonly [name: string]: Value }

/** A response of GeoReport v2: JSON is the value alone, XML has a root element around it. */
interface Document {
  readonly root: string
  readonly value: Value
}

const formats = ['json', 'xml'] as const
type Format = (typeof formats)[number]

/** GeoReport v2 names these types with the charset. */
export const contentTypes: Readonly<Record<Format, string>> = { json: JSON_TYPE, xml: 'text/xml; charset=utf-8' }

/** The endings of a path: without one, `Accept` chooses the format. */
export const suffixes = ['', ...formats.map((format) => `.${format}`)]

const SUFFIX = /\.(json|xml)$/
const negotiateType = createTypeNegotiator([contentTypes.json, contentTypes.xml, 'application/xml'])

/** Returns the format that the suffix of the path names, else the one that `Accept` prefers, else JSON. */
export function requestedFormat(request: FastifyRequest): Format {
  const [path = ''] = request.url.split(/[?#]/, 1)
  const suffix = SUFFIX.exec(path.replace(/\/+$/, ''))?.[1]
  const named = formats.find((format) => format === suffix)
  return named ?? (negotiateType(request) === contentTypes.json ? 'json' : 'xml')
}

/** Returns the last segment of a path without `.json` or `.xml`. */
export const withoutSuffix = (segment: string): string => segment.replace(SUFFIX, '')

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

/** Parameters that name a page. */
type Position = Readonly<Record<string, string>>

/**
 * Returns the URL of another page of a list: the parameters that the route knows, without credentials and with another position.
 * @param position an empty value leaves the parameter out
 * @throws Problem 422 for a URL that the service would refuse
 */
export function pageUrl(urls: Urls, request: FastifyRequest, position: Position): string {
  const known = request.routeOptions.config.parameters?.own ?? []
  const others = [...queryParameters(request)].filter(([name]) => {
    const bare = name.replace(/\[\]$/, '')
    return known.includes(bare) && !Object.hasOwn(position, bare)
  })
  const [path = ''] = request.url.split('?', 1)
  const parameters = [...others, ...Object.entries(position).filter(([, value]) => value !== '')]
  const url = urls.at(withParameters(path, parameters))
  refuseTooLong(urls, url)
  return url
}

/** Returns the value of a Link header (RFC 8288) with the licence. */
export const formatPageLinks = (links: readonly (readonly [rel: string, url: string])[]): string =>
  [...links.map(([rel, url]) => `<${url}>; rel="${rel}"`), LICENCE_LINK].join(', ')

/** Sends the result of a write, which has no validators: 200 if it is public, 201 if it waits for approval. */
export function sendWritten(request: FastifyRequest, reply: FastifyReply, isHeld: boolean, document: Document) {
  const format = requestedFormat(request)
  return reply
    .code(isHeld ? 201 : 200)
    .type(contentTypes[format])
    .send(render(document, format))
}
