import { type Executable, sql } from './database.ts'

/**
 * Locks a name until the end of the transaction (advisory lock).
 * @param isShared whether others may hold it at once, if theirs is shared too
 */
export async function lockName(tx: Executable, name: string, isShared = false): Promise<void> {
  const lock = isShared ? sql`pg_advisory_xact_lock_shared` : sql`pg_advisory_xact_lock`
  await tx.execute(sql`SELECT ${lock}(hashtext(${name}))`)
}
