import pg from 'pg'

import { UserFacingError } from '../errors/user-facing-error.ts'
import { isUnreachable } from './unreachable.ts'

/**
 * Why a server cannot be used, with the variable to look at and what to do.
 * @param error what the very first statement on a new connection met
 */
export function serverRefused(error: unknown, url: string): UserFacingError {
  return new UserFacingError(`${whyServer(error, url)}${inBrackets(error)}`, { cause: error })
}

function whyServer(error: unknown, url: string): string {
  const { code = '', message = '' } = error as { code?: string; message?: string }
  const host = `The database server${addressOf(url)}`
  if (code === '3D000') return `${host} has no database of that name: create it, or correct the name in DATABASE_URL.`
  // Without any password the driver gives up by itself, and has no code for it.
  if (code.startsWith('28') || message.startsWith('SASL')) {
    return `${host} refuses the login: correct the user and the password in DATABASE_URL.`
  }
  if (code === '53300') return `${host} has no connection left: end others, or let it take more. DATABASE_URL names it.`
  if (isUnreachable(error)) return `${host} cannot be reached: start it, or correct the address in DATABASE_URL.`
  return `${host} cannot be used: correct DATABASE_URL.`
}

/** A standby, which could neither be migrated nor written to. */
export function readOnlyRefused(url: string): UserFacingError {
  return new UserFacingError(
    `The database server${addressOf(url)} takes reads only: let DATABASE_URL name the primary; replicas stand in DATABASE_REPLICA_URLS.`,
  )
}

/** Where the driver would go; never the password. */
function addressOf(url: string): string {
  try {
    const { host, port } = new pg.Client(url)
    return ` ${host}:${port}`
  } catch {
    return ''
  }
}

/** What the system or the server itself said. */
function inBrackets(error: unknown): string {
  const reason = reasonOf(error)
  return reason === '' ? '' : ` (${reason})`
}

/** A name with several IP addresses fails with one error for each and no message of its own. */
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return [...new Set(error.errors.map(reasonOf))].join('; ')
  return error instanceof Error ? error.message : ''
}

/** Why the folder of the embedded database cannot be used. */
export function folderRefused(error: unknown, folder: string): UserFacingError {
  return new UserFacingError(
    `The data folder ${folder} cannot be used: let DATA_DIR name a folder that may be made or written to.${inBrackets(error)}`,
    { cause: error },
  )
}

/** Why what lies in the folder cannot be opened as a database. */
export function embeddedRefused(error: unknown, folder: string): UserFacingError {
  return new UserFacingError(
    `The embedded database in ${folder} cannot be opened: it is damaged, or made by another version, or cannot be written to. ` +
      `Restore a backup of it (docs/backup.md), or let DATA_DIR name another folder.${inBrackets(error)}`,
    { cause: error },
  )
}

/** Why no new database is made where the pictures of another one lie. */
export function databaseMissing(folder: string, pictures: string): UserFacingError {
  return new UserFacingError(
    `The embedded database in ${folder} is missing, but ${pictures} has pictures, which a new database would remove. ` +
      'Restore the database (docs/backup.md), or move the pictures away to begin with a new one.',
  )
}
