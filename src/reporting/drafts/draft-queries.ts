import type { Database, Transaction } from '../../database/database.ts'

const LIFETIME_MS = 7 * 86_400_000

export interface DraftImage {
  /** The question that the picture answers. */
  readonly primary_key: string
  readonly full_key: string
  readonly bytes: number
}

export interface NewDraft {
  readonly secretHash: string
  /** The fields of the form without files. */
  readonly formValues: object
  readonly images: readonly DraftImage[]
}

export interface Draft {
  readonly id: number
  readonly formValues: Readonly<Record<string, unknown>>
  readonly images: readonly DraftImage[]
  readonly expiresAt: Date
  /** Only its account reads it. */
  readonly isClaimed: boolean
}

/** A browser with the secret, or that of a mailed link, reads a draft until an account claims it. Then only the account reads it. */
export interface DraftReader {
  readonly secretHash: string | undefined
  readonly userId: number | undefined
}

export async function addDraft(db: Pick<Database, 'prisma'>, draft: NewDraft, now: Date): Promise<void> {
  const { secretHash: secret_hash, formValues: form_values, images } = draft
  const expires_at = new Date(now.getTime() + LIFETIME_MS)
  await db.prisma.reportDraft.create({
    data: { secret_hash, form_values, created_at: now, expires_at, images: { create: [...images] } },
  })
}

/** Returns the draft of a browser, or else the newest one of its account. Asks the database only if the reader has a secret or an account. */
export async function findDraft(db: Pick<Database, 'prisma'>, reader: DraftReader, now: Date): Promise<Draft | undefined> {
  const { secretHash, userId } = reader
  const own = secretHash === undefined ? undefined : await findNewest(db, { ...hasSecret(secretHash), user_id: null }, now)
  return own ?? (userId === undefined ? undefined : findNewest(db, { user_id: userId }, now))
}

async function findNewest(db: Pick<Database, 'prisma'>, where: DraftFilter, now: Date): Promise<Draft | undefined> {
  const draft = await db.prisma.reportDraft.findFirst({
    where: { ...where, expires_at: { gt: now } },
    orderBy: { id: 'desc' },
    include: { images: { orderBy: { id: 'asc' } } },
  })
  if (!draft) return undefined
  const images = draft.images.map(({ primary_key, full_key, bytes }) => ({ primary_key, full_key, bytes }))
  const { id, form_values, expires_at: expiresAt, user_id } = draft
  return { id, formValues: form_values as Draft['formValues'], images, expiresAt, isClaimed: user_id !== null }
}

type DraftFilter = { readonly user_id: number } | (ReturnType<typeof hasSecret> & { readonly user_id: null })

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
