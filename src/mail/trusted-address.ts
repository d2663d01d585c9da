import { type Sql, sql } from '../database/database.ts'

export const isRecentlyRemoved = (alias: Sql): Sql =>
  sql`${alias}.removed_at > now() - make_interval(days => ${REVERT_DAYS}::integer)`

/**
 * Returns SQL that tests whether an address is trusted: confirmed for 72 hours, or the oldest confirmed one of the account. An older address that was removed
 * within the last seven days still counts, so that removing the owner's address does not make a new one the oldest.
 * @param alias a row of `emails`
 */
export const isTrustedAddress = (alias: Sql): Sql => sql`
  ${alias}.confirmed_at IS NOT NULL AND (${alias}.confirmed_at <= now() - make_interval(hours => ${TRUST_HOURS}::integer) OR NOT EXISTS (
    SELECT FROM emails older
    WHERE older.user_id = ${alias}.user_id AND lower(older.email) <> lower(${alias}.email)
      AND coalesce(older.confirmed_at, older.removed_confirmed_at) < ${alias}.confirmed_at
      AND (older.removed_at IS NULL OR ${isRecentlyRemoved(sql`older`)})))`

/** Hours that an address must be confirmed before it may reset the password or undo a change while an older address exists. */
export const TRUST_HOURS = 72

/** Days in which a removed address gets security mails, and in which a change can be undone after its mail. */
export const REVERT_DAYS = 7
