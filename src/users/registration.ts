import { type Database, sql, type Transaction } from '../database/database.ts'
import { hashPassword } from '../http/credentials.ts'
import { problems } from '../http/problems.ts'
import { findPlaceByUrlName } from '../places/queries.ts'
import type { ProfileChange, Registration } from './account-schema.ts'

/** More than anybody has; each may be written to. */
const EMAILS_MAX = 10

/** Whether somebody else has it is nobody's business, so the text fits an address of one's own, too. */
const EMAIL_TAKEN = ['cannot be added: use another one, or log in if it is yours']
const PLACE_UNKNOWN = ['must be the url_name of a place']
const NOT_CONFIRMED = ['must equal password']

/**
 * Makes an account whose address is not confirmed yet. The hash is made before anything is looked up, so that it takes the same time
 * whether the address is known or not.
 * @throws Problem 422 `{errors}`
 */
export async function register(db: Database, { place_url_name, ...given }: Registration, locale: string): Promise<number> {
  if (given.password_confirmation !== given.password) throw problems.invalidErrors({ password_confirmation: NOT_CONFIRMED })
  const password_hash = await hashPassword(given.password)
  const home_place_id = await homePlace(db, place_url_name)
  return db.transaction(async (tx) => {
    const [user] = await tx.query<{ id: number }>(sql`
      INSERT INTO users (name, password_hash, home_place_id, locale)
      VALUES (${given.name.trim()}, ${password_hash}, ${home_place_id ?? null}, ${given.locale ?? locale}) RETURNING users.id`)
    const id = user?.id ?? 0
    await addEmail(tx, id, given.email.trim())
    return id
  })
}

export interface ProfileChangeBy {
  readonly userId: number
  /** Of the token that this is asked with, which outlives a new password; null with a password. */
  readonly tokenHash: string | null
}

/**
 * Changes what is given and nothing else. A new password ends all other tokens and sessions at once; whoever calls has checked the
 * present one.
 * @throws Problem 422 `{errors}`
 */
export async function changeProfile(db: Database, { userId, tokenHash }: ProfileChangeBy, change: ProfileChange): Promise<void> {
  const { name, email, password, locale, place_url_name } = change
  if (change.password_confirmation !== password) throw problems.invalidErrors({ password_confirmation: NOT_CONFIRMED })
  const home_place_id = await homePlace(db, place_url_name)
  const password_hash = password === undefined ? undefined : await hashPassword(password)
  const share_location = change.share_location === undefined ? undefined : String(change.share_location) === 'true'
  await db.transaction(async (tx) => {
    await tx.prisma.user.update({
      where: { id: userId },
      data: {
        ...(name === undefined ? {} : { name: name.trim() }),
        ...(locale === undefined ? {} : { locale }),
        ...(home_place_id === undefined ? {} : { home_place_id }),
        ...(share_location === undefined ? {} : { share_location }),
        ...(password_hash === undefined ? {} : { password_hash, credentials_version: { increment: 1 } }),
        updated_at: new Date(),
      },
    })
    if (email !== undefined) await addEmail(tx, userId, email.trim())
    if (password_hash !== undefined) {
      await tx.query(sql`
        DELETE FROM tokens t WHERE t.user_id = ${userId} AND t.token_hash IS DISTINCT FROM ${tokenHash} RETURNING t.id`)
    }
  })
}

async function homePlace(db: Database, urlName: string | undefined): Promise<number | undefined> {
  if (urlName === undefined) return undefined
  const place = await findPlaceByUrlName(db, urlName)
  if (!place) throw problems.invalidErrors({ place_url_name: PLACE_UNKNOWN })
  return place.id
}

/** Unconfirmed. In the transaction that has the user's row: two at once are counted one after the other. */
async function addEmail(tx: Transaction, userId: number, email: string): Promise<void> {
  const added = await tx.query(sql`
    INSERT INTO emails (user_id, email)
    SELECT ${userId}, ${email} WHERE (SELECT count(*) FROM emails e WHERE e.user_id = ${userId}) < ${EMAILS_MAX}
    ON CONFLICT ((lower(email))) DO NOTHING RETURNING emails.id`)
  if (added.length === 0) throw problems.invalidErrors({ email: EMAIL_TAKEN })
}
