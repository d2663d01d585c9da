import { isUnreachable } from '../database/unreachable.ts'
import { UserFacingError } from '../errors/user-facing-error.ts'

/**
 * Runs a start file. On an error it prints to standard error and exits with code 1: the message alone if the operator can fix it,
 * otherwise the stack.
 */
export async function runCommand(work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    process.stderr.write(`${describeError(error)}\n`)
    process.exit(1)
  }
}

function describeError(error: unknown): string {
  if (error instanceof UserFacingError) return error.message
  if (isUnreachable(error)) {
    return `The database of DATABASE_URL was lost (${(error as Error).message}). Run the command again when it is back.`
  }
  return error instanceof Error ? (error.stack ?? error.message) : JSON.stringify(error)
}
