import { readFileSync } from 'node:fs'

import { isUnreachable } from '../database/connection-errors.ts'
import { UserFacingError } from '../environment/user-facing-error.ts'
import { openLog } from './log.ts'

/** Wrong arguments: the message is followed by the help of the command. */
export class UsageError extends UserFacingError {
  override name = 'UsageError'
}

/**
 * Prints `help` for `--help`. Exits with code 1 after an error; the stack is printed unless the operator can fix the error.
 * @param about what the command does, and its arguments, or the file with this text
 * @param isService whether collectors of logs read the output: without a terminal, the error is a line of JSON
 */
export async function runCommand(about: string | URL, work: () => Promise<void>, { isService = false } = {}): Promise<void> {
  const help = typeof about === 'string' ? about : readFileSync(about, 'utf8')
  if (process.argv.slice(2).some((argument) => argument === '--help' || argument === '-h')) {
    process.stdout.write(`${help.trim()}\n`)
    return
  }
  try {
    await work()
  } catch (error) {
    const isUsage = error instanceof UsageError || (error as NodeJS.ErrnoException).code?.startsWith('ERR_PARSE_ARGS')
    const reason = isUsage ? `${(error as Error).message}\n\n${help.trim()}` : describeError(error)
    if (isService && !process.stderr.isTTY) openLog('fatal', process.stderr).fatal(reason)
    else process.stderr.write(`${reason}\n`)
    process.exit(1)
  }
}

export const isJson = process.argv.includes('--json')

/** Prints lines for people, or with `--json` an object in one line. Its names are in snake case, as in the API. */
export function printResult(lines: string, result: object): void {
  process.stdout.write(`${isJson ? JSON.stringify(result, toSnakeCase) : lines}\n`)
}

function toSnakeCase(_name: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [
      name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      field as unknown,
    ]),
  )
}

function describeError(error: unknown): string {
  if (error instanceof UserFacingError) return error.message
  if (isUnreachable(error)) {
    return `The database of DATABASE_URL was lost (${(error as Error).message}). Run the command again when it is back.`
  }
  if (error instanceof Error && 'code' in error && error.code === '42501') {
    return `The role of DATABASE_URL may not do this (${error.message}). "Roles of the database" in docs/operations.md has the statements.`
  }
  return error instanceof Error ? (error.stack ?? error.message) : JSON.stringify(error)
}
