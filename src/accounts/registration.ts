import { type Queryable, sql, type Transaction } from '../database/database.ts'
import { claimEmail, endResets } from './emails/queries.ts'
import { type OwedEffect, recordEvent } from '../outbox/queries.ts'
import { lockVerified, type Verified } from '../http/identity/viewer-queries.ts'
import { hashPassword } from '../http/identity/credentials.ts'
import { mailboxOf } from '../http/schema/mailbox.ts'
import { problems } from '../errors/problems.ts'
import { findPlaceByUrlName } from '../places/queries.ts'
import type { Services } from '../services.ts'
import type { ProfileChange, Registration } from './schema.ts'
import { keepAvatar, setAvatar } from './avatar.ts'
import { wrongPassword } from './current-password.ts'

/** What a change of an account needs: what follows from it is woken after the commit. */
type AccountServices = Pick<Services, 'db' | 'files' | 'wakeEffects'>

export type Registered = { readonly id: number }

const PLACE_UNKNOWN = ['must be the url_name of a place']
const NOT_CONFIRMED = ['must equal password']

/**
 * Makes an account whose address is not confirmed yet, and owes the mail that confirms it. The hash is made before anything is looked up, so that it takes the same time
 * whether the address is known or not.
 * @param inTransaction `db.transaction`, or `once` of an Idempotency-Key
 * @throws Problem 422 `{errors}`
 */
export async function register(
  { db, files, wakeEffects }: AccountServices,
  { place_url_name, uploaded_data, ...given }: Registration,
  locale: string,
  inTransaction: (work: (tx: Transaction) => Promise<Registered>) => Promise<Registered> = (work) => db.transaction(work),
): Promise<number> {
  const { home_place_id, faults } = await checkAccount(db, { ...given, place_url_name })
  if (Object.keys(faults).length > 0) throw problems.invalidErrors(faults)
  const password_hash = await hashPassword(given.password)
  const avatar = await keepAvatar(files, uploaded_data)
  let owed: readonly OwedEffect[] = []
  const { id } = await inTransaction(async (tx) => {
    const [user] = await tx.query<{ id: number }>(sql`
      INSERT INTO users (name, password_hash, home_place_id, locale)
      VALUES (${given.name.trim()}, ${password_hash}, ${home_place_id ?? null}, ${given.locale ?? locale}) RETURNING users.id`)
    const id = user?.id ?? 0
    const mailed = await addEmail(tx, id, mailboxOf(given.email))
    owed = [...mailed, ...(await setAvatar(tx, id, avatar))]
    return { id }
  })
  wakeEffects(owed)
  return id
}

export interface ProfileChangeBy {
  readonly userId: number
  /** Of the token that this is asked with, which outlives a new password; null with a password. */
  readonly tokenHash: string | null
  /** What `requirePassword` gave, where the change is of the password: nothing else lets it be changed. */
  readonly verified?: Verified
}

/**
 * Changes what is given and nothing else. A new password ends all other tokens and sessions at once; whoever calls has checked the
 * present one.
 * @throws Problem 422 `{errors}`
 */
export async function changeProfile(
  { db, files, wakeEffects }: AccountServices,
  { userId, tokenHash, verified }: ProfileChangeBy,
  change: ProfileChange,
): Promise<void> {
  const { name, email, password, locale } = change
  const { home_place_id, faults } = await checkAccount(db, change)
  if (Object.keys(faults).length > 0) throw problems.invalidErrors(faults)
  const password_hash = password === undefined ? undefined : await hashPassword(password)
  const share_location = change.share_location === undefined ? undefined : String(change.share_location) === 'true'
  const issue_mails = change.issue_mails === undefined ? undefined : String(change.issue_mails) === 'true'
  const avatar = await keepAvatar(files, change.uploaded_data)
  const owed = await db.transaction(async (tx) => {
    if (password_hash !== undefined && !(verified && (await lockVerified(tx, verified)))) throw wrongPassword()
    await tx.prisma.user.update({
      where: { id: userId },
      data: {
        ...(name === undefined ? {} : { name: name.trim() }),
        ...(locale === undefined ? {} : { locale }),
        ...(home_place_id === undefined ? {} : { home_place_id }),
        ...(share_location === undefined ? {} : { share_location }),
        ...(issue_mails === undefined ? {} : { issue_mails }),
        ...(password_hash === undefined ? {} : { password_hash, credentials_version: { increment: 1 } }),
        updated_at: new Date(),
      },
    })
    const mailed = email === undefined ? [] : await addEmail(tx, userId, mailboxOf(email))
    if (password_hash !== undefined) {
      await endResets(tx, userId)
      await tx.query(sql`
        DELETE FROM tokens t WHERE t.user_id = ${userId} AND t.token_hash IS DISTINCT FROM ${tokenHash} RETURNING t.id`)
      mailed.push(...(await recordEvent(tx, { type: 'user.password_changed', subject_id: userId, actor_id: userId })))
    }
    return [...mailed, ...(await setAvatar(tx, userId, avatar))]
  })
  wakeEffects(owed)
}

/**
 * What a schema cannot tell of an account's fields, all of it at once. Fields of another type than theirs are left to the schema.
 * @returns the home place (null for none, undefined where the field is not given), and texts for the fields at fault
 */
export async function checkAccount(
  db: Queryable,
  body: unknown,
): Promise<{ home_place_id: number | null | undefined; faults: Record<string, readonly string[]> }> {
  const { password, password_confirmation, place_url_name } = (
    typeof body === 'object' && body !== null ? body : {}
  ) as AccountFields
  const faults: Record<string, readonly string[]> = {}
  if (password_confirmation !== password) faults['password_confirmation'] = NOT_CONFIRMED
  if (place_url_name === null || isBlank(place_url_name)) return { home_place_id: null, faults }
  const place = typeof place_url_name === 'string' ? await findPlaceByUrlName(db, place_url_name) : undefined
  if (typeof place_url_name === 'string' && !place) faults['place_url_name'] = PLACE_UNKNOWN
  return { home_place_id: place?.id, faults }
}

const isBlank = (value: unknown) => typeof value === 'string' && value.trim() === ''

type AccountFields = Readonly<Partial<Record<'password' | 'password_confirmation' | 'place_url_name', unknown>>>

async function addEmail(tx: Transaction, userId: number, email: string): Promise<OwedEffect[]> {
  const claim = await claimEmail(tx, userId, email)
  if ('refused' in claim) throw problems.invalidErrors({ email: [claim.refused] })
  return [...claim.owed]
}
