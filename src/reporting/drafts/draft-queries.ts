import type { Database, Transaction } from '../../database/database.ts'
import { problems } from '../../errors/problems.ts'

const LIFETIME_MS = 7 * 86_400_000

export interface NewDraftImage {
  /** The question that the picture answers. */
  readonly primary_key: string
  readonly full_key: string
  readonly bytes: number
}

export interface DraftImage extends NewDraftImage {
  readonly id: number
}

export interface DraftContent {
  /** The fields of the form without files. */
  readonly formValues: object
  readonly images: readonly NewDraftImage[]
}

export interface Draft {
  readonly id: number
  readonly formValues: Readonly<Record<string, unknown>>
  readonly images: readonly DraftImage[]
  readonly expiresAt: Date
  /** Only its account reads it. */
  readonly isClaimed: boolean
  /** The address to which the reader's link was mailed; null for another secret and for an account. */
  readonly mailedTo: string | null
}

/** A browser with the secret, or that of a mailed link, reads a draft until an account claims it. Then only the account reads it. */
export interface DraftReader {
  readonly secretHash: string | undefined
  readonly userId: number | undefined
}

export async function addDraft(
  tx: Transaction,
  { formValues: form_values, images }: DraftContent,
  { secret_hash, now }: { readonly secret_hash: string; readonly now: Date },
): Promise<void> {
  const data = { secret_hash, form_values, created_at: now, expires_at: expiryAfter(now) }
  await tx.prisma.reportDraft.create({ data: { ...data, images: { create: [...images] } } })
}

/**
 * Replaces the content of a draft that no account has claimed. Earlier secrets and links stay valid, because other devices have them.
 * @param draft with the pictures that stay; the others are deleted
 * @throws Problem 404 if another request has claimed, published or discarded the draft
 */
export async function changeDraft(
  tx: Transaction,
  { id, images: stay, mailedTo: email }: Pick<Draft, 'id' | 'images' | 'mailedTo'>,
  { formValues: form_values, images }: DraftContent,
  { secret_hash, now }: { readonly secret_hash: string; readonly now: Date },
): Promise<void> {
  const data = { form_values, expires_at: expiryAfter(now) }
  const { count } = await tx.prisma.reportDraft.updateMany({ where: { id, user_id: null, expires_at: { gt: now } }, data })
  if (count === 0) throw problems.notFound('the_draft')
  await tx.prisma.reportDraftLink.create({ data: { secret_hash, draft_id: id, email } })
  await tx.prisma.reportDraftImage.deleteMany({ where: { draft_id: id, id: { notIn: stay.map((image) => image.id) } } })
  await tx.prisma.reportDraftImage.createMany({ data: images.map((image) => ({ ...image, draft_id: id })) })
}

/** Deletes the draft that a browser leaves for that of another report, unless the link of a mail opens it. */
export async function removeUnmailedDraft(tx: Transaction, id: number): Promise<void> {
  await tx.prisma.reportDraft.deleteMany({ where: { id, user_id: null, mails: { none: {} } } })
}

const expiryAfter = (now: Date) => new Date(now.getTime() + LIFETIME_MS)

/** Returns the draft of a browser, or else the newest one of its account. Asks the database only if the reader has a secret or an account. */
export async function findDraft(db: Pick<Database, 'prisma'>, reader: DraftReader, now: Date): Promise<Draft | undefined> {
  const { secretHash, userId } = reader
  const own =
    secretHash === undefined ? undefined : await findNewest(db, { ...hasSecret(secretHash), user_id: null }, now, secretHash)
  return own ?? (userId === undefined ? undefined : findNewest(db, { user_id: userId }, now))
}

/** Returns a draft that no account has claimed, by its id: check before that the caller may read it. */
export const findMailedDraft = (db: Pick<Database, 'prisma'>, id: number, now: Date): Promise<Draft | undefined> =>
  findNewest(db, { id, user_id: null }, now)

async function findNewest(
  db: Pick<Database, 'prisma'>,
  where: DraftFilter,
  now: Date,
  secret_hash = '',
): Promise<Draft | undefined> {
  const draft = await db.prisma.reportDraft.findFirst({
    where: { ...where, expires_at: { gt: now } },
    orderBy: { id: 'desc' },
    include: { images: { orderBy: { id: 'asc' } }, links: { where: { secret_hash } } },
  })
  if (!draft) return undefined
  const { id, form_values, images, links, expires_at: expiresAt, user_id } = draft
  const mailedTo = links[0]?.email ?? null
  return { id, formValues: form_values as Draft['formValues'], images, expiresAt, isClaimed: user_id !== null, mailedTo }
}

type DraftFilter =
  | { readonly user_id: number }
  | { readonly id: number; readonly user_id: null }
  | (ReturnType<typeof hasSecret> & { readonly user_id: null })

const hasSecret = (secret_hash: string) => ({ OR: [{ secret_hash }, { links: { some: { secret_hash } } }] })

/** The account of the browser gets its draft, so that it also reads it in another browser. Returns false if there is none to claim. */
export async function claimDraft(db: Pick<Database, 'prisma'>, secretHash: string, userId: number): Promise<boolean> {
  const where = { ...hasSecret(secretHash), user_id: null }
  const { count } = await db.prisma.reportDraft.updateMany({ where, data: { user_id: userId } })
  return count > 0
}

/** Returns false if another request has published or discarded the draft. */
export async function removeDraft(db: Pick<Database | Transaction, 'prisma'>, id: number): Promise<boolean> {
  const { count } = await db.prisma.reportDraft.deleteMany({ where: { id } })
  return count === 1
}

export async function deleteDraftsThatExpired(db: Pick<Database, 'prisma'>, now: Date): Promise<void> {
  await db.prisma.reportDraft.deleteMany({ where: { expires_at: { lte: now } } })
}
