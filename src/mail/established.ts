import { type Sql, sql } from '../database/database.ts'

/** An address that was removed so lately that it still gets security mails. */
export const removedLately = (alias: Sql): Sql =>
  sql`${alias}.removed_at > now() - make_interval(days => ${TAKE_BACK_DAYS}::integer)`

/**
 * Whether an address is confirmed, and trusted: for 72 hours, or as the oldest of the account. An older address that was removed within
 * seven days still counts, so that the removal of the owner's address does not make a new one the oldest.
 * @param alias of a row of `emails`
 */
export const isEstablished = (alias: Sql): Sql => sql`
  ${alias}.confirmed_at IS NOT NULL AND (${alias}.confirmed_at <= now() - make_interval(hours => ${TRUST_HOURS}::integer) OR NOT EXISTS (
    SELECT FROM emails older
    WHERE older.user_id = ${alias}.user_id AND lower(older.email) <> lower(${alias}.email)
      AND coalesce(older.confirmed_at, older.removed_confirmed_at) < ${alias}.confirmed_at
      AND (older.removed_at IS NULL OR ${removedLately(sql`older`)})))`

/** An address that was confirmed for less long resets no password and takes no change back while an older address exists. */
export const TRUST_HOURS = 72

/** A removed address gets security mails for this long, and a change may be taken back for this long after its mail. */
export const TAKE_BACK_DAYS = 7
