import pg from 'pg'

import { UserFacingError } from '../errors/user-facing-error.ts'
import { isUnreachable } from './unreachable.ts'

/**
 * Returns a message for an unusable server with the variable to check and the remedy.
 * @param error the error of the first statement on a new connection
 */
export function serverError(error: unknown, url: string): UserFacingError {
  return new UserFacingError(`${describeServerError(error, url)}${parenthesizedReason(error)}`, { cause: error })
}

function describeServerError(error: unknown, url: string): string {
  const { code = '', message = '' } = error as { code?: string; message?: string }
  const host = `The database server${serverAddress(url)}`
  if (code === '3D000') return `${host} has no database of that name: create it, or correct the name in DATABASE_URL.`
  // The driver reports a missing password without a code.
  if (code.startsWith('28') || message.startsWith('SASL')) {
    return `${host} refuses the login: correct the user and the password in DATABASE_URL.`
  }
  if (code === '53300') return `${host} has no connection left: end others, or let it take more. DATABASE_URL names it.`
  if (isUnreachable(error)) return `${host} cannot be reached: start it, or correct the address in DATABASE_URL.`
  return `${host} cannot be used: correct DATABASE_URL.`
}

/** Returns a message for a standby, which can neither be migrated nor written to. */
export function readOnlyServerError(url: string): UserFacingError {
  return new UserFacingError(
    `The database server${serverAddress(url)} takes reads only: let DATABASE_URL name the primary; replicas stand in DATABASE_REPLICA_URLS.`,
  )
}

/** The address is host and port without the password. */
function serverAddress(url: string): string {
  try {
    const { host, port } = new pg.Client(url)
    return ` ${host}:${port}`
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

/** Returns a message for an unusable data folder. */
export function folderError(error: unknown, folder: string): UserFacingError {
  return new UserFacingError(
    `The data folder ${folder} cannot be used: let DATA_DIR name a folder that may be made or written to.${parenthesizedReason(error)}`,
    { cause: error },
  )
}

/** Returns a message for a folder that cannot be opened as a database. */
export function embeddedDatabaseError(error: unknown, folder: string): UserFacingError {
  return new UserFacingError(
    `The embedded database in ${folder} cannot be opened: it is damaged, or made by another version, or cannot be written to. ` +
      `Restore a backup of it (docs/backup.md), or let DATA_DIR name another folder.${parenthesizedReason(error)}`,
    { cause: error },
  )
}

/** Returns a message for a missing database next to existing pictures, which a new database would delete. */
export function databaseMissingError(folder: string, pictures: string): UserFacingError {
  return new UserFacingError(
    `The embedded database in ${folder} is missing, but ${pictures} has pictures, which a new database would remove. ` +
      'Restore the database (docs/backup.md), or move the pictures away to begin with a new one.',
  )
}
