import pg from 'pg'

import { addressesOf } from '../environment/database-address.ts'
import { UserFacingError } from '../environment/user-facing-error.ts'
import { isUnreachable } from './unreachable.ts'

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
