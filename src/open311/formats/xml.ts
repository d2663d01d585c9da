import { toXmlText } from '../../http/formats/xml-text.ts'
import type { Document, Value } from './document.ts'

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
