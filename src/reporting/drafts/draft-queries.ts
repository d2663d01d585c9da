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
  /** The address to which the reader's link was mailed, if no other address got the draft since; null for another secret and for an account. */
  readonly mailedTo: string | null
  /** The address to which it was last mailed. */
  readonly email: string | null
}

/** The pictures of an invalid report have a draft with nothing but its spot and type. */
export const isIncomplete = ({ formValues }: Draft): boolean => formValues['address'] === undefined

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

/** Adds the secret of a browser that has opened the link of a mail. It is not the token of the link, which may set a password. */
export async function addBrowserSecret(
  db: Pick<Database, 'prisma'>,
  { id: draft_id, mailedTo: email }: Pick<Draft, 'id' | 'mailedTo'>,
  secret_hash: string,
): Promise<void> {
  await db.prisma.reportDraftLink.create({ data: { secret_hash, draft_id, email } })
}

/** Deletes the draft that a browser leaves for that of another report, unless the link of a mail opens it. */
export async function removeUnmailedDraft(tx: Transaction, id: number): Promise<void> {
  await tx.prisma.reportDraft.deleteMany({ where: { id, user_id: null, mails: { none: {} } } })
}

/** True if a draft has the secret, or had it before it was published or claimed. */
export async function isSecretUsed(db: Pick<Database, 'prisma'>, secret_hash: string): Promise<boolean> {
  const where = { where: { secret_hash } }
  return (await db.prisma.reportDraft.count(where)) + (await db.prisma.reportDraftLink.count(where)) > 0
}

export const expiryAfter = (now: Date) => new Date(now.getTime() + LIFETIME_MS)

/** Returns the draft of a browser, or else the newest one of its account. Asks the database only if the reader has a secret or an account. */
export async function findDraft(db: Pick<Database, 'prisma'>, reader: DraftReader, now: Date): Promise<Draft | undefined> {
  const { secretHash, userId } = reader
  const own =
    secretHash === undefined ? undefined : await findNewest(db, { ...hasSecret(secretHash, now), user_id: null }, now, secretHash)
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
  const { id, form_values, images, links, expires_at: expiresAt, user_id, email } = draft
  const linkEmail = links[0]?.email ?? null
  const mailedTo = isSameAddress(linkEmail, email) ? linkEmail : null
  const formValues = form_values as Draft['formValues']
  return { id, formValues, images, expiresAt, isClaimed: user_id !== null, mailedTo, email }
}

const isSameAddress = (one: string | null, other: string | null) => one?.toLowerCase() === other?.toLowerCase()

type DraftFilter =
  | { readonly user_id: number }
  | { readonly id: number; readonly user_id: null }
  | (ReturnType<typeof hasSecret> & { readonly user_id: null })

const hasSecret = (secret_hash: string, now: Date) => ({
  OR: [{ secret_hash }, { links: { some: { secret_hash, OR: [{ expires_at: null }, { expires_at: { gt: now } }] } } }],
})

export interface PublishedIssue {
  readonly id: number
  readonly isPublic: boolean
  /**
   * The reporter, if the account has no password and may get one here; else undefined. Only the link of a mail may set it, soon after the publication:
   * others may use the browser, and learn nothing about the account of an address that they entered.
   */
  readonly withoutPassword: number | undefined
}

/** The link of a mail that is forwarded later sets no password. */
const FIRST_PASSWORD_MS = 3_600_000

/** Returns the issue that a draft has become, for a secret or a mailed link of the draft, within their lifetime. */
export async function findPublishedIssue(
  db: Pick<Database, 'prisma'>,
  secret_hash: string,
  now: Date,
): Promise<PublishedIssue | undefined> {
  const reporter = { select: { id: true, password_hash: true } }
  const link = await db.prisma.reportDraftLink.findFirst({
    where: { secret_hash, expires_at: { gt: now } },
    select: { published_draft_id: true, expires_at: true, issue: { select: { id: true, moderation_state: true, reporter } } },
  })
  if (!link?.issue || !link.expires_at) return undefined
  const { id, moderation_state, reporter: owner } = link.issue
  const sincePublication = now.getTime() + LIFETIME_MS - link.expires_at.getTime()
  const maySetPassword = link.published_draft_id !== null && sincePublication < FIRST_PASSWORD_MS
  const withoutPassword = maySetPassword && owner?.password_hash === null ? owner.id : undefined
  return { id, isPublic: moderation_state === 'passed', withoutPassword }
}

/** Returns the id of the issue that a mailed draft has become. */
export async function findIssueOfDraft(db: Pick<Database, 'prisma'>, published_draft_id: number): Promise<number | undefined> {
  const link = await db.prisma.reportDraftLink.findFirst({ where: { published_draft_id }, select: { issue_id: true } })
  return link?.issue_id ?? undefined
}

/** Deletes a draft that becomes an issue. Returns what `leadToIssue` takes; undefined if another request has published or discarded the draft. */
export async function takeDraft(tx: Transaction, { id, mailedTo }: Pick<Draft, 'id' | 'mailedTo'>) {
  const links = { select: { secret_hash: true, email: true, expires_at: true } }
  const draft = await tx.prisma.reportDraft.findUnique({ where: { id }, select: { id: true, secret_hash: true, links } })
  return draft && (await removeDraft(tx, id)) ? { ...draft, mailedTo } : undefined
}

/** Leads all secrets and links of a draft to its issue, but no link to another address than that of the report. */
export async function leadToIssue(
  tx: Transaction,
  { id, secret_hash, links, mailedTo }: NonNullable<Awaited<ReturnType<typeof takeDraft>>>,
  { issue_id, now }: { readonly issue_id: number; readonly now: Date },
): Promise<void> {
  const expires_at = expiryAfter(now)
  const isOwn = (email: string | null) => mailedTo === null || isSameAddress(email, mailedTo)
  const mailed = links.filter((link) => link.expires_at !== null && link.expires_at > now && isOwn(link.email))
  const browsers = [secret_hash, ...links.filter((link) => link.expires_at === null).map((link) => link.secret_hash)]
  await tx.prisma.reportDraftLink.createMany({
    data: [
      ...browsers.map((hash) => ({ secret_hash: hash, issue_id, expires_at })),
      ...mailed.map((link) => ({ secret_hash: link.secret_hash, issue_id, expires_at, published_draft_id: id })),
    ],
  })
}

/** The account of the browser gets its draft, so that it also reads it in another browser. Returns false if there is none to claim: a mailed one stays with its mail. */
export async function claimDraft(
  db: Pick<Database, 'prisma'>,
  { secretHash, userId }: { readonly secretHash: string; readonly userId: number },
  now: Date,
): Promise<boolean> {
  const where = { ...hasSecret(secretHash, now), user_id: null, email: null }
  const { count } = await db.prisma.reportDraft.updateMany({ where, data: { user_id: userId } })
  return count > 0
}

/** Returns false if another request has published or discarded the draft. */
export async function removeDraft(db: Pick<Database | Transaction, 'prisma'>, id: number): Promise<boolean> {
  const { count } = await db.prisma.reportDraft.deleteMany({ where: { id } })
  return count === 1
}

export async function deleteDraftsThatExpired(db: Pick<Database, 'prisma'>, now: Date): Promise<number> {
  const { count } = await db.prisma.reportDraft.deleteMany({ where: { expires_at: { lte: now } } })
  // The mail of a published draft still shows the picture of its issue.
  await db.prisma.reportDraftLink.deleteMany({ where: { expires_at: { lte: now }, published_draft_id: null } })
  return count
}
