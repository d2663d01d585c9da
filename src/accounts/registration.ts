import { text, type Text } from '../locales/texts.ts'
import type { Queryable, Transaction } from '../database/database.ts'
import { addUnconfirmedEmail, revokeResetTokens } from './emails/queries.ts'
import { recordEvent } from '../outbox/queries.ts'
import { lockVerifiedAccount, type VerifiedAccount } from '../http/identity/viewer-queries.ts'
import { hashPassword } from '../http/identity/credentials.ts'
import { toMailbox } from '../http/schema/mailbox.ts'
import { problems } from '../errors/problems.ts'
import { findPlaceByUrlName } from '../places/queries.ts'
import type { Services } from '../services.ts'
import type { ProfileChange, Registration } from './schema.ts'
import { storeAvatar, setAvatar } from './avatar.ts'
import { wrongPassword } from './current-password.ts'

type AccountServices = Pick<Services, 'db' | 'files'>

export type Registered = { readonly id: number }

const PLACE_UNKNOWN = [text('must_be', { allowed: text('url_name_of_place') })]
const NOT_CONFIRMED = [text('must_equal_password')]

/**
 * Hashes the password before any lookup, so that timing does not reveal known addresses.
 * @param inTransaction `db.transaction`, or `idempotent` for a request with an Idempotency-Key
 * @throws Problem 422 `{errors}`
 */
export async function register(
  { db, files }: AccountServices,
  { place_url_name, uploaded_data, ...input }: Registration,
  locale: string,
  inTransaction: (callback: (tx: Transaction) => Promise<Registered>) => Promise<Registered> = (callback) =>
    db.transaction(callback),
): Promise<number> {
  const { home_place_id, errors } = await validateAccount(db, { ...input, place_url_name })
  if (Object.keys(errors).length > 0) throw problems.invalidErrors(errors)
  const password_hash = await hashPassword(input.password)
  const avatar = await storeAvatar(files, uploaded_data)
  const { id } = await inTransaction(async (tx) => {
    const { id } = await tx.prisma.user.create({
      data: { name: input.name.trim(), password_hash, home_place_id: home_place_id ?? null, locale: input.locale ?? locale },
      select: { id: true },
    })
    await addEmail(tx, id, toMailbox(input.email))
    await setAvatar(tx, id, avatar)
    return { id }
  })
  return id
}

interface ProfileChangeContext {
  readonly userId: number
  /** The request's own token stays valid after a password change; null if the caller used a password. */
  readonly tokenHash: string | null
  readonly verified?: VerifiedAccount
}

/** A new password revokes all other tokens and sessions; verify the current one first. @throws Problem 422 `{errors}` */
export async function changeProfile(
  { db, files }: AccountServices,
  { userId, tokenHash, verified }: ProfileChangeContext,
  change: ProfileChange,
): Promise<void> {
  const { name, email, password, locale } = change
  const { home_place_id, errors } = await validateAccount(db, change)
  if (Object.keys(errors).length > 0) throw problems.invalidErrors(errors)
  const password_hash = password === undefined ? undefined : await hashPassword(password)
  const share_location = change.share_location === undefined ? undefined : String(change.share_location) === 'true'
  const issue_mails = change.issue_mails === undefined ? undefined : String(change.issue_mails) === 'true'
  const avatar = await storeAvatar(files, change.uploaded_data)
  await db.transaction(async (tx) => {
    if (password_hash !== undefined && !(verified && (await lockVerifiedAccount(tx, verified)))) throw wrongPassword()
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
    if (email !== undefined) await addEmail(tx, userId, toMailbox(email))
    if (password_hash !== undefined) {
      await revokeResetTokens(tx, userId)
      await tx.prisma.token.deleteMany({
        where: { user_id: userId, ...(tokenHash === null ? {} : { token_hash: { not: tokenHash } }) },
      })
      await recordEvent(tx, { type: 'user.password_changed', subject_id: userId, actor_id: userId })
    }
    await setAvatar(tx, userId, avatar)
  })
}

/** Validates what the schema cannot. The home place is null for none, and undefined if the field is missing. */
export async function validateAccount(
  db: Queryable,
  body: unknown,
): Promise<{ home_place_id: number | null | undefined; errors: Record<string, readonly Text[]> }> {
  const { password, password_confirmation, place_url_name } = (
    typeof body === 'object' && body !== null ? body : {}
  ) as AccountFields
  const errors: Record<string, readonly Text[]> = {}
  if (password_confirmation !== password) errors['password_confirmation'] = NOT_CONFIRMED
  if (place_url_name === null || isBlank(place_url_name)) return { home_place_id: null, errors }
  const place = typeof place_url_name === 'string' ? await findPlaceByUrlName(db, place_url_name) : undefined
  if (typeof place_url_name === 'string' && !place) errors['place_url_name'] = PLACE_UNKNOWN
  return { home_place_id: place?.id, errors }
}

const isBlank = (value: unknown) => typeof value === 'string' && value.trim() === ''

type AccountFields = Readonly<Partial<Record<'password' | 'password_confirmation' | 'place_url_name', unknown>>>

async function addEmail(tx: Transaction, userId: number, email: string): Promise<void> {
  const added = await addUnconfirmedEmail(tx, userId, email)
  if ('refused' in added) throw problems.invalidErrors({ email: [added.refused] })
}
