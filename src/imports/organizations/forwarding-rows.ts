import type { Transaction } from '../../database/database.ts'
import { readMailbox } from '../../http/schema/fields.ts'
import {
  deleteForwardingSettings,
  endpointFormats,
  findUnknownTitles,
  type ForwardingSettings,
  sharedData,
  type SharedData,
  writeForwardingSettings,
} from '../../organizations/forwarding-settings.ts'
import { isObject } from '../reading/source-row.ts'
import { DocumentReader } from './document-reader.ts'

const keys = [
  'endpoint',
  'jurisdiction_id',
  'api_key',
  'format',
  'service_codes',
  'default_service_code',
  'send_reports',
  'send_updates',
  'receive_updates',
  'extended_statuses',
  'share',
  'receiver',
]
const URL_MAX = 500
const TEXT_MAX = 200
const CODES_MAX = 500

/** Stores the document of an organisation; null removes it. @throws Problem 422 with all errors by their paths */
export async function changeForwarding(tx: Transaction, organizationId: number, document: unknown): Promise<void> {
  const reader = new DocumentReader()
  const forwarding = document === null ? 'none' : readForwarding(document, 'forwarding', reader)
  for (const key of reader.ignoredKeys()) if (key !== 'forwarding.api_key_set') reader.addError(key, 'is unknown')
  reader.throwProblem()
  await writeForwarding(tx, organizationId, forwarding, 'forwarding', reader)
  reader.throwProblem()
}

/** Returns whether anything changed. Adds an error for each title that is no request type of the organisation. */
export async function writeForwarding(
  tx: Transaction,
  organizationId: number,
  forwarding: ReturnType<typeof readForwarding>,
  path: string,
  reader: DocumentReader,
): Promise<boolean> {
  if (forwarding === null) return false
  if (forwarding === 'none') return deleteForwardingSettings(tx, organizationId)
  for (const title of await findUnknownTitles(tx, organizationId, [...forwarding.service_codes.keys()]))
    reader.addError(`${path}.service_codes.${title}`, 'is no request type of the organisation')
  return writeForwardingSettings(tx, organizationId, forwarding)
}

/** Returns null if the file does not have the key, and `none` for false, which removes the endpoint. */
export function readForwarding(value: unknown, path: string, reader: DocumentReader): ForwardingSettings | 'none' | null {
  if (value === undefined || value === null) return null
  if (value === false) return 'none'
  const input = reader.object(value, path, keys)
  if (!input) return null
  const fields = reader.fields(input, path, (read) => {
    read.require('endpoint')
    return {
      url: read.url('endpoint', URL_MAX)?.replace(/\/+$/, '') ?? '',
      jurisdiction_id: read.text('jurisdiction_id', TEXT_MAX),
      api_key: read.text('api_key', URL_MAX),
      format: read.oneOf('format', endpointFormats) ?? 'json',
      default_service_code: read.text('default_service_code', TEXT_MAX),
      sends_reports: read.boolean('send_reports') ?? true,
      sends_updates: read.boolean('send_updates') ?? false,
      receives_updates: read.boolean('receive_updates') ?? false,
      extended_statuses: read.boolean('extended_statuses') ?? false,
      receiver: read.text('receiver', TEXT_MAX),
    }
  })
  const { receiver, ...settings } = fields
  if (settings.url !== '' && !isPlainUrl(settings.url)) {
    reader.addError(`${path}.endpoint`, 'must be an address without user, password, query and fragment')
  }
  const receiver_email = receiver === null ? null : (readMailbox(receiver) ?? null)
  if (receiver !== null && receiver_email === null) reader.addError(`${path}.receiver`, 'must be an e-mail address')
  else if (settings.receives_updates && receiver_email === null) {
    reader.addError(`${path}.receiver`, 'is missing: it is the member whose name received updates have')
  }
  const shared = readShared(input['share'], `${path}.share`, reader)
  const service_codes = readCodes(input['service_codes'], `${path}.service_codes`, reader)
  if (settings.sends_reports && service_codes.size === 0 && settings.default_service_code === null) {
    reader.addError(path, 'must have service_codes or a default_service_code: without them, no report is sent')
  }
  return { ...settings, receiver_email, shared, service_codes }
}

function isPlainUrl(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { username, password, search, hash } = new URL(text)
  return [username, password, search, hash].every((part) => part === '')
}

function readShared(value: unknown, path: string, reader: DocumentReader): SharedData[] {
  const list = reader.list(value, path, sharedData.length) ?? []
  return list.flatMap((entry, n) => {
    const known = sharedData.find((name) => name === entry)
    if (!known) reader.addError(`${path}[${n}]`, `must be one of ${sharedData.join(', ')}`)
    return known ?? []
  })
}

function readCodes(value: unknown, path: string, reader: DocumentReader): Map<string, string> {
  if (value === undefined || value === null) return new Map()
  if (!isObject(value) || Object.keys(value).length > CODES_MAX) {
    reader.addError(path, `must be an object of at most ${CODES_MAX} titles of request types and their service codes`)
    return new Map()
  }
  const codes = Object.keys(value).map(
    (title) => [title, reader.fields(value, path, (read) => read.text(title, TEXT_MAX))] as const,
  )
  for (const [title, code] of codes) if (code === null) reader.addError(`${path}.${title}`, 'must be a service code')
  return new Map(codes.map(([title, code]) => [title.trim(), code ?? '']))
}
