import pg from 'pg'

import { addressesOf } from '../environment/database-address.ts'
import { UserFacingError } from '../environment/user-facing-error.ts'

interface DatabaseError {
  readonly code?: string
  readonly message?: string
  readonly name?: string
  readonly cause?: unknown
  readonly meta?: { readonly driverAdapterError?: { readonly cause?: AdapterCause } }
}

interface AdapterCause {
  readonly originalCode?: string
  readonly kind?: string
}

/** Returns false for a server that only refuses a statement. */
export function isUnreachable(error: unknown): boolean {
  const databaseError = error as DatabaseError
  const { originalCode, kind } = adapterCause(databaseError)
  return (
    [databaseError.code, originalCode].some((code) => CODES.test(code ?? '')) ||
    MESSAGES.test(databaseError.message ?? '') ||
    (kind !== undefined && KINDS.has(kind))
  )
}

/** Returns whether a statement (SQLSTATE 57014), a lock (55P03) or a transaction of Prisma's client (P2028) took too long. */
export function isTimeout(error: unknown): boolean {
  const databaseError = error as DatabaseError
  return [databaseError.code, adapterCause(databaseError).originalCode].some((code) => TIMEOUTS.test(code ?? ''))
}

/** Prisma's client wraps the adapter's error of a statement, but not of the start or end of a transaction. */
function adapterCause({ name, cause, meta }: DatabaseError): AdapterCause {
  return (name === 'DriverAdapterError' ? (cause as AdapterCause | undefined) : meta?.driverAdapterError?.cause) ?? {}
}

const CODES = /^(ECONN|EPIPE|ETIMEDOUT|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|08|57P0|53|25006|P1001|P1002|P1008|P1017|P2024)/
const TIMEOUTS = /^(57014|55P03|P2028)$/
/** The driver has no codes for broken connections. */
const MESSAGES =
  /Connection terminated|Client has encountered a connection error|timeout exceeded when trying to connect|Query read timeout|Can't reach database server/
const KINDS: ReadonlySet<string> = new Set(['ConnectionClosed', 'DatabaseNotReachable', 'SocketTimeout', 'TooManyConnections'])

/** Explains an error of the first statement on a new connection. */
export function serverError(error: unknown, url: string): UserFacingError {
  return new UserFacingError(`${describeServerError(error, url)}${parenthesizedReason(error)}`, { cause: error })
}

function describeServerError(error: unknown, url: string): string {
  const { code = '', message = '' } = error as { code?: string; message?: string }
  const host = `The database server${serverAddress(url)}`
  if (code === '3D000') return `${host} has no database with this name. Create it, or correct the name in DATABASE_URL.`
  // The driver reports a missing password without a code.
  if (code.startsWith('28') || message.startsWith('SASL')) {
    return `${host} refused the login. Correct the user and the password in DATABASE_URL.`
  }
  if (code === '53300')
    return `${host} has no free connection. Close other connections, or increase max_connections of the server in DATABASE_URL.`
  if (code === '57P03')
    return `${host} still starts or recovers. Start again when it is ready, or correct the address in DATABASE_URL.`
  if (isUnreachable(error)) return `${host} cannot be reached. Start it, or correct the address in DATABASE_URL.`
  return `${host} cannot be used. Correct DATABASE_URL.`
}

/** SQLSTATE 57P03 means that the server starts, recovers or shuts down. A refused connection may be a server that starts. */
export const isServerStarting = (error: unknown): boolean =>
  ['57P03', 'ECONNREFUSED'].includes((error as { readonly code?: string }).code ?? '')

/** A standby can neither be migrated nor written to. */
export function readOnlyServerError(url: string): UserFacingError {
  return new UserFacingError(
    `The database server${serverAddress(url)} is read-only. Set DATABASE_URL to the primary, and list replicas in DATABASE_REPLICA_URLS.`,
  )
}

/** A pooler passes no settings on. */
export const roleSettingsError = (url: string): UserFacingError =>
  new UserFacingError(
    `The role of DATABASE_URL has not the settings that a pooler needs. Run "ALTER ROLE ${new pg.Client(url).user} SET timezone = 'UTC'" and the other statements of docs/scaling.md.`,
  )

/** The address has hosts and ports without the password. */
function serverAddress(url: string): string {
  try {
    const clients = addressesOf(url).map((address) => new pg.Client(address))
    return ` ${clients.map(({ host, port }) => `${host}:${port}`).join(', ')}`
  } catch {
    return ''
  }
}

function parenthesizedReason(error: unknown): string {
  const reason = errorReason(error)
  return reason === '' ? '' : ` (${reason})`
}

/** A name with several IP addresses fails with an AggregateError, which has no message of its own. */
function errorReason(error: unknown): string {
  if (error instanceof AggregateError) return [...new Set(error.errors.map(errorReason))].join('; ')
  return error instanceof Error ? error.message : ''
}

export function folderError(error: unknown, folder: string): UserFacingError {
  return new UserFacingError(
    `The data folder ${folder} cannot be used. Set DATA_DIR to a folder that this user can create or write to.${parenthesizedReason(error)}`,
    { cause: error },
  )
}

export function embeddedDatabaseError(error: unknown, folder: string): UserFacingError {
  return new UserFacingError(
    `The embedded database in ${folder} cannot be opened. It is damaged, was created by another version, or is not writable. ` +
      `Restore a backup (docs/backup.md), or set DATA_DIR to another folder.${parenthesizedReason(error)}`,
    { cause: error },
  )
}

export function databaseMissingError(folder: string, pictures: string): UserFacingError {
  return new UserFacingError(
    `The embedded database in ${folder} is missing, but ${pictures} has pictures, which a new database would delete. ` +
      'Restore the database (docs/backup.md), or move the pictures to another folder to start with a new one.',
  )
}
