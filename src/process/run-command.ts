import { isUnreachable } from '../database/unreachable.ts'
import { UserFacingError } from '../environment/user-facing-error.ts'

/** Exits with code 1 after an error. The stack is printed unless the operator can fix the error. */
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
