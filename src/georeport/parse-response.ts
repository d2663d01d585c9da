import { SaxesParser } from 'saxes'

import { EndpointError } from './endpoint-client.ts'
import states from './states.json' with { type: 'json' }

/** The same for JSON and XML: an object of texts, objects and lists. */
type ParsedValue = string | readonly ParsedValue[] | { readonly [name: string]: ParsedValue }
export type ParsedRecord = Readonly<Record<string, ParsedValue>>

const DEPTH_MAX = 12
const NODES_MAX = 200_000

/** Elements of GeoReport v2 and of FixMyStreet's extension, which has two spellings, whose children are a list. */
const LISTS = new Set([
  'services',
  'service_requests',
  'service_request_updates',
  'service_requests_updates',
  'errors',
  'attributes',
  'values',
  'service_definitions',
])

/** Returns the records of a response in JSON or XML. A single object is a list of one. @throws EndpointError if it is neither */
export function parseRecords(text: string): ParsedRecord[] {
  // Blanks include a byte order mark.
  const content = text.trim()
  const value = content.startsWith('<') ? parseXml(content) : parseJson(content)
  const unwrapped = unwrap(value)
  const list = Array.isArray(unwrapped) ? (unwrapped as ParsedValue[]) : [unwrapped]
  return list.filter(isRecord)
}

const isRecord = (value: ParsedValue | undefined): value is ParsedRecord => typeof value === 'object' && !Array.isArray(value)

/** Returns the text of a field; undefined if it is missing, blank or no text. */
export function textOf(record: ParsedRecord, name: string): string | undefined {
  const value = Object.hasOwn(record, name) ? record[name] : undefined
  const text = typeof value === 'string' ? value.replaceAll('\0', '').toWellFormed().trim() : ''
  return text === '' ? undefined : text
}

/** Longer ids do not fit into an index. */
export const ID_MAX = 500

/** Returns the id or token in a field; undefined if it is missing, blank or too long. */
export function idOf(record: ParsedRecord, name: string): string | undefined {
  const id = textOf(record, name)
  return id !== undefined && id.length <= ID_MAX ? id : undefined
}

export function listOf(record: ParsedRecord, name: string): ParsedRecord[] {
  const value = Object.hasOwn(record, name) ? record[name] : undefined
  return Array.isArray(value) ? (value as ParsedValue[]).filter(isRecord) : []
}

/** Some servers wrap the list in an object with its name, as XML does. */
function unwrap(value: ParsedValue): ParsedValue {
  if (!isRecord(value)) return value
  const [name = '', ...others] = Object.keys(value)
  return others.length === 0 && LISTS.has(name) ? (value[name] ?? []) : value
}

function parseJson(text: string): ParsedValue {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new EndpointError('the response of the endpoint is neither JSON nor XML', true)
  }
  const limit = { nodes: 0 }
  return fromJson(value, limit, 0)
}

function fromJson(value: unknown, limit: { nodes: number }, depth: number): ParsedValue {
  if (depth > DEPTH_MAX || ++limit.nodes > NODES_MAX) throw tooComplex()
  if (Array.isArray(value)) return value.map((entry) => fromJson(entry, limit, depth + 1))
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([name, entry]) => [name, fromJson(entry, limit, depth + 1)]))
  }
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : ''
}

interface Element {
  readonly name: string
  text: string
  readonly children: { name: string; value: ParsedValue }[]
}

/** The parser does not expand entities that a document declares, and reads no other files. */
function parseXml(text: string): ParsedValue {
  const parser = new SaxesParser()
  const open: Element[] = []
  let root: ParsedValue | undefined
  let nodes = 0
  parser.on('opentag', ({ name }) => {
    if (open.length >= DEPTH_MAX || ++nodes > NODES_MAX) throw tooComplex()
    open.push({ name, text: '', children: [] })
  })
  const addText = (part: string) => {
    const element = open.at(-1)
    if (element) element.text += part
  }
  parser.on('text', addText)
  parser.on('cdata', addText)
  parser.on('closetag', () => {
    const element = open.pop()
    if (!element) return
    const value = fromElement(element)
    const parent = open.at(-1)
    if (parent) parent.children.push({ name: element.name, value })
    else root = value
  })
  parser.on('error', () => {
    throw new EndpointError('the response of the endpoint is not well-formed XML', true)
  })
  parser.write(text).close()
  if (root === undefined) throw new EndpointError('the response of the endpoint is empty', true)
  return root
}

function fromElement({ name, text, children }: Element): ParsedValue {
  if (LISTS.has(name)) return children.map(({ value }) => value)
  if (children.length === 0) return text
  return Object.fromEntries(children.map((child) => [child.name, child.value]))
}

const tooComplex = () => new EndpointError('the response of the endpoint has too many or too deep elements', true)

/** Meaning of the states of GeoReport v2, of FixMyStreet's extension and of this service. */
export type UpdateStatus = keyof typeof states

export const knownStates: readonly string[] = Object.values(states).flat()

const statusByState = new Map<string, UpdateStatus>(
  (Object.keys(states) as UpdateStatus[]).flatMap((status) =>
    states[status].map((state): [string, UpdateStatus] => [state, status]),
  ),
)

/** Returns undefined for a state that is not known. Only the letters matter, in either case. */
export function readState(text: string | undefined): UpdateStatus | undefined {
  const state = (text ?? '')
    .toLowerCase()
    .replaceAll(/[^a-z]+/g, '_')
    .replaceAll(/^_|_$/g, '')
  return statusByState.get(state)
}

/**
 * Returns the state of an update, in the capitals of FixMyStreet. GeoReport v2 has two states, so that an acknowledged issue is open for receivers
 * without extended states.
 */
export function toState(status: UpdateStatus | 'Archived', isExtended = false): string {
  if (status === 'Acknowledged') return isExtended ? 'INVESTIGATING' : 'OPEN'
  return status === 'Open' ? 'OPEN' : 'CLOSED'
}
