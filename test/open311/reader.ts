import { PUBLIC_URL, type TestApp } from '../helpers/use-app.ts'
import { type Element, parseXml } from '../feeds/xml.ts'

export interface ServiceRequest {
  readonly service_request_id: string
  readonly status: string
  readonly status_notes: string
  readonly description: string
  readonly notes?: readonly { readonly type: string; readonly description: string; readonly datetime: string }[]
  readonly extended_attributes?: Readonly<Record<string, unknown>>
}

export const V2 = '/open311/v2'

/** Returns functions that send requests of an anonymous caller to paths below `/open311/v2`. */
export function createReader(app: TestApp) {
  const ask = (path: string, headers: Record<string, string> = {}) => app.as.anonymous.send('GET', `${V2}${path}`, { headers })
  const readRequests = async (query: string, root = '') => {
    const { text, status } = await ask(`${root}/requests.json${query}`)
    if (status !== 200) throw new Error(`${query}: ${status} ${text}`)
    return JSON.parse(text) as ServiceRequest[]
  }
  const readIds = async (query: string, root = '') =>
    (await readRequests(query, root)).map(({ service_request_id }) => Number(service_request_id))
  return { ask, readRequests, readIds }
}

/** Returns the target of a Link header, relative to the root. */
export const linkOf = (header: unknown, rel: string): string | undefined =>
  new RegExp(`<([^>]*)>; rel="${rel}"`).exec(String(header))?.[1]?.replace(PUBLIC_URL, '')

/** The lists of GeoReport v2 and its extensions, whose elements are their items. */
const lists = [
  'services',
  'attributes',
  'values',
  'service_requests',
  'service_request_updates',
  'errors',
  'notes',
  'photos',
  'endpoints',
  'formats',
  'keys',
]

export type Content = string | readonly Content[] | { readonly [name: string]: Content }

/** Returns the content of an XML document: each value is text, and an empty element is an empty text or list. */
export function readXml(document: string): { readonly root: string; readonly content: Content } {
  const element = parseXml(document)
  return { root: element.name, content: toContent(element) }
}

function toContent({ name, children, text }: Element): Content {
  if (lists.includes(name)) return children.map(toContent)
  return children.length > 0 ? Object.fromEntries(children.map((child) => [child.name, toContent(child)])) : text
}

/** Returns JSON as XML can show it: each value as text, null as empty text, and U+FFFD for characters that XML forbids. */
export function asContent(value: unknown): Content {
  if (Array.isArray(value)) return value.map(asContent)
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([name, content]) => [name, asContent(content)]))
  const text = typeof value === 'string' ? value : value === null ? '' : JSON.stringify(value)
  return text.replaceAll(/[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu, '\u{FFFD}')
}
