import { type Sql, sql } from '../database/database.ts'

export const isRecentlyRemoved = (alias: Sql): Sql =>
  sql`${alias}.removed_at > now() - make_interval(days => ${REVERT_DAYS}::integer)`

/**
 * An e-mail address is trusted if it has been confirmed for 72 hours or is the oldest confirmed one of the account. One removed within
 * seven days still counts as older, so that removing the owner's address does not make a new one the oldest.
 * @param alias a row of `email_addresses`
 */
export const isTrustedEmailAddress = (alias: Sql): Sql => sql`
  ${alias}.confirmed_at IS NOT NULL AND (${alias}.confirmed_at <= now() - make_interval(hours => ${TRUST_HOURS}::integer) OR NOT EXISTS (
    SELECT FROM email_addresses older
    WHERE older.user_id = ${alias}.user_id AND lower(older.email) <> lower(${alias}.email)
      AND coalesce(older.confirmed_at, older.removed_confirmed_at) < ${alias}.confirmed_at
      AND (older.removed_at IS NULL OR ${isRecentlyRemoved(sql`older`)})))`

/** A newer address must be confirmed for these hours before it may reset the password or revert a change. */
export const TRUST_HOURS = 72

/** A removed address gets security mails for these days, and a change can be reverted for these days after its mail. */
export const REVERT_DAYS = 7
