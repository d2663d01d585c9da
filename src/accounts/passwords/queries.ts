import { type Database, type Queryable, sql } from '../../database/database.ts'
import { type OwedEffect, recordEvent } from '../../outbox/queries.ts'
import { isEstablished } from '../../mail/established.ts'
import { hashPassword, hashToken } from '../../http/identity/credentials.ts'
import { countMail } from '../../mail/limit-queries.ts'
import { LINK_TOKEN_MAX } from '../../mail/link-tokens.ts'
import { endResets } from '../emails/queries.ts'

/** Stands for an address that gets no mail. */
const NO_EMAIL = 0

/**
 * Notes that somebody forgot the password of the account with this address. The very same statements are sent whether anybody has the
 * address, has confirmed it, or was written to too often: what is owed is found out to be nothing by the job, out of sight.
 */
export function requestReset(db: Database, email: string): Promise<OwedEffect[]> {
  return db.transaction(async (tx) => {
    const ofAddress = await countMail(tx, 'reset address', email)
    const [found] = await tx.query<{ id: number; user_id: number }>(sql`
      SELECT e.id, e.user_id FROM emails e WHERE lower(e.email) = lower(${email}) AND e.confirmed_at IS NOT NULL`)
    const ofAccount = await countMail(tx, 'reset account', found?.user_id ?? `nobody ${email}`)
    const subject_id = ofAddress > 0 && ofAccount > 0 && found ? found.id : NO_EMAIL
    return recordEvent(tx, { type: 'email.reset_requested', subject_id, actor_id: null })
  })
}

/** Whether the link of a mail still works. Changes nothing. */
export async function isResetOpen(db: Queryable, token: string): Promise<boolean> {
  if (token.length > LINK_TOKEN_MAX) return false
  const found = await db.query(sql`
    SELECT t.id FROM one_time_tokens t JOIN emails e ON e.id = t.email_id
    WHERE t.token_hash = ${hashToken(token)} AND t.purpose = 'reset_password' AND t.used_at IS NULL AND t.expires_at > now()
      AND ${isEstablished(sql`e`)}`)
  return found.length > 0
}

export interface Reset {
  /** Whose password it is: whoever has the mail is no stranger to the account (src/http/login-throttle/attempts.ts). */
  readonly userId: number
  readonly owed: readonly OwedEffect[]
}

/**
 * Sets a new password by the token of a mail, once: all tokens, sessions and further links of the account end with it. Undefined where the
 * token opens nothing.
 */
export async function resetPassword(db: Database, token: string, password: string): Promise<Reset | undefined> {
  // A hash costs some 30 ms of a core: not for whoever guesses.
  if (!(await isResetOpen(db, token))) return undefined
  const password_hash = await hashPassword(password)
  return db.transaction(async (tx) => {
    const [used] = await tx.query<{ user_id: number; email_id: number }>(sql`
      UPDATE one_time_tokens t SET used_at = now() FROM emails e
      WHERE t.token_hash = ${hashToken(token)} AND t.purpose = 'reset_password' AND t.used_at IS NULL AND t.expires_at > now()
        AND e.id = t.email_id AND ${isEstablished(sql`e`)}
      RETURNING t.user_id, t.email_id`)
    if (!used) return undefined
    const { user_id, email_id } = used
    await tx.query(sql`
      UPDATE users u SET password_hash = ${password_hash}, credentials_version = u.credentials_version + 1, updated_at = now()
      WHERE u.id = ${user_id} RETURNING u.id`)
    await tx.query(sql`DELETE FROM tokens t WHERE t.user_id = ${user_id} RETURNING t.id`)
    await endResets(tx, user_id)
    const changed = { type: 'user.password_changed', subject_id: user_id, actor_id: user_id, payload: { email_id } } as const
    return { userId: user_id, owed: await recordEvent(tx, changed) }
  })
}
