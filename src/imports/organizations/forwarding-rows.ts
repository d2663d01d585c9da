import type { Transaction } from '../../database/database.ts'
import {
  deleteForwardingSettings,
  findUnknownTitles,
  type ForwardingSettings,
  writeForwardingSettings,
} from '../../organizations/forwarding-settings.ts'
import { toMailbox } from '../../http/schema/mailbox.ts'
import { isObject } from '../reading/source-row.ts'
import { DocumentErrors } from './document-errors.ts'
import { Forwarding, type ForwardingDocument } from './document-schema.ts'

/** Stores the document of an organisation; null removes it. @throws Problem 422 with all errors by their paths */
export async function changeForwarding(tx: Transaction, organizationId: number, document: unknown): Promise<void> {
  const errors = new DocumentErrors()
  // The answer of the GET has `api_key_set` for the key.
  const { api_key_set: _, ...input } = isObject(document) ? document : {}
  const read = document === null ? false : errors.validate(Forwarding, isObject(document) ? input : document, 'forwarding')
  for (const key of errors.ignored) errors.add(key, 'is unknown')
  const settings = readForwarding(read, 'forwarding', errors)
  errors.throwProblem()
  await writeForwarding(tx, organizationId, settings, 'forwarding', errors)
  errors.throwProblem()
}

/** Returns whether anything changed. Adds an error for each title that is no request type of the organisation. */
export async function writeForwarding(
  tx: Transaction,
  organizationId: number,
  forwarding: ForwardingSettings | false | null,
  path: string,
  errors: DocumentErrors,
): Promise<boolean> {
  if (forwarding === null) return false
  if (forwarding === false) return deleteForwardingSettings(tx, organizationId)
  for (const title of await findUnknownTitles(
    tx,
    organizationId,
    Object.keys(forwarding.service_codes).map((title) => title.trim()),
  ))
    errors.add(`${path}.service_codes.${title}`, 'is no request type of the organisation')
  return writeForwardingSettings(tx, organizationId, forwarding)
}

/** Returns null if the file does not have the key, and false to remove the endpoint. */
export function readForwarding(
  document: ForwardingDocument | boolean | undefined,
  path: string,
  errors: DocumentErrors,
): ForwardingSettings | false | null {
  if (document === undefined || document === false) return document ?? null
  if (document === true) {
    errors.add(path, 'must be an object, or false for none')
    return null
  }
  const { endpoint, receiver } = document
  if (!isPlainUrl(endpoint))
    errors.add(`${path}.endpoint`, 'must be an http or https address without user, password, query and fragment')
  if (document.receive_updates && receiver === undefined)
    errors.add(`${path}.receiver`, 'is missing: it is the member whose name received updates have')
  const hasCodes = Object.keys(document.service_codes).length > 0 || document.default_service_code !== undefined
  if (document.send_reports && !hasCodes)
    errors.add(path, 'must have service_codes or a default_service_code: without them, no report is sent')
  return { ...document, endpoint: endpoint.replace(/\/+$/, ''), receiver: receiver && toMailbox(receiver) }
}

function isPlainUrl(address: string): boolean {
  if (!URL.canParse(address)) return false
  const { protocol, username, password, search, hash } = new URL(address)
  return /^https?:$/.test(protocol) && [username, password, search, hash].every((part) => part === '')
}
