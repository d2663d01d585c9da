import Type from 'typebox'
import { createHash } from 'node:crypto'

import { IdRow, type Database, Id, type PrismaHandle, sql, type Transaction } from '../database/database.ts'
import { problems } from '../errors/problems.ts'
import { hashToken } from '../http/identity/credentials.ts'
import { lockUser } from '../issue-lifecycle/lock-issue.ts'
import { languages, text, textsIn } from '../locales/texts.ts'
import { countMail } from '../mail/limit-queries.ts'
import { LINK_TOKEN_MAX } from '../mail/link-tokens.ts'
import { findOrphanedKeys } from '../media/queries.ts'
import { lockMemberships } from '../organizations/queries.ts'
import { recordEvent, recordMailEvent } from '../outbox/queries.ts'
import type { FileStore } from '../storage/file-store.ts'
import { storeText } from '../storage/reports.ts'

/**
 * Reports, comments, questions and answers of an erased person stay without the name, or are deleted. A report or question below which
 * others wrote stays without its texts and pictures, because these are not the person's to delete.
 */
export const contentChoices = ['keep', 'delete'] as const
export type ContentChoice = (typeof contentChoices)[number]

/** The list of erased persons is outside of the database, so that they are erased again after the restore of an older backup. */
export const ERASED_FOLDER = 'erased/'

export const EXPORT_FOLDER = 'exports/'
/** The zip of a person's data. A newer one replaces it. */
export const exportKey = (userId: number) => `${EXPORT_FOLDER}${userId}.zip`

interface Services {
  readonly db: Database
  readonly files: FileStore
}

/** @throws Problem 422 with `base` if the account has no confirmed address, or over the limit of mails */
export function requestLink(
  db: Database,
  user_id: number,
  type: 'user.erasure_requested' | 'user.export_requested',
): Promise<void> {
  return db.transaction(async (tx) => {
    const confirmed = await tx.prisma.emailAddress.count({ where: { user_id, confirmed_at: { not: null } } })
    if (confirmed === 0) throw problems.invalid({ base: text('confirmed_address_required') })
    if ((await countMail(tx, `${type} account`, user_id)) === 0) throw problems.invalid({ base: text('too_many_mails_today') })
    await recordEvent(tx, { type, subject_id: user_id, actor_id: user_id })
  })
}

/** Returns the account of a mailed link; undefined if the link is unknown or has expired, or if its address is no longer one of the account. */
export async function findLinkOwner(db: PrismaHandle, token: string, purpose: 'erase_account' | 'download_export') {
  if (token.length > LINK_TOKEN_MAX) return undefined
  const email_address = { removed_at: null, confirmed_at: { not: null } }
  const where = { token_hash: hashToken(token), purpose, expires_at: { gt: new Date() }, email_address }
  return (await db.prisma.oneTimeToken.findUnique({ where, select: { user: { select: { id: true, locale: true } } } }))?.user
}

type ErasurePayload = Readonly<Record<string, unknown>>

interface Erasure {
  readonly userId: number
  readonly content: ContentChoice
  /** An account that was erased before gets no second receipt, and may be the only owner of an organisation. */
  readonly isRepeated?: boolean
}

/** Erases a person, and mails a receipt to the confirmed addresses. @throws Problem 422 with `base` for the only owner of an organisation */
export async function eraseAccount({ db, files }: Services, erasure: Erasure): Promise<void> {
  const { keys, payload } = await db.transaction((tx) => eraseRows(tx, erasure))
  // If the list cannot be written now, the delivery of the event writes it.
  if (payload) await recordErasure(files, erasure.userId, payload).catch(() => undefined)
  // A file that cannot be deleted now has no row, so that `delete-orphaned-files` deletes it.
  for (const key of await findOrphanedKeys(db, keys)) await files.remove(key).catch(() => undefined)
}

const Key = Type.Object({ key: Type.String() })
/** Returns the keys of the pictures that had rows, and the payload of the event; without one there was no account. */
async function eraseRows(
  tx: Transaction,
  { userId, content, isRepeated = false }: Erasure,
): Promise<{ readonly keys: readonly string[]; readonly payload?: ErasurePayload }> {
  const { prisma } = tx
  await lockMemberships(tx)
  await lockUser(tx, userId)
  const owner = {
    members: { some: { user_id: userId, role: 'owner' }, none: { role: 'owner', user_id: { not: userId } } },
  } as const
  if (!isRepeated && (await prisma.organization.count({ where: owner })) > 0) throw problems.invalid({ base: text('last_owner') })
  const user = await prisma.user.findUnique({ where: { id: userId }, include: { email_addresses: true } })
  if (!user) return { keys: [] }
  const proven = user.email_addresses.filter((one) => one.confirmed_at !== null || one.removed_confirmed_at !== null)
  const others = await prisma.emailAddress.findMany({
    where: {
      ...{ user_id: { not: userId }, confirmed_at: { not: null } },
      email: { in: proven.map(({ email }) => email), mode: 'insensitive' },
    },
  })
  // Only a confirmed address proves whose rows these are, and a removed one may have a new owner: rows of others would be deleted.
  const taken = new Set(others.map(({ email }) => email.toLowerCase()))
  const emails = proven.map(({ email }) => email.toLowerCase()).filter((email) => !taken.has(email))
  const isDeleted = content === 'delete'
  const keys = await tx.query(sql.type(Key)`
    SELECT pictures.key FROM (
      SELECT unnest(ARRAY[u.avatar_full, u.avatar_square]) AS key FROM users u WHERE u.id = ${userId}
      UNION SELECT image.full_key FROM report_draft_images image JOIN report_drafts draft ON draft.id = image.draft_id
        WHERE draft.user_id = ${userId} OR lower(draft.email) = ANY (${emails}::text[])
      UNION SELECT unnest(ARRAY[m.full_key, m.square_key, m.representative_key]) FROM media m
        JOIN issues i ON i.id = m.issue_id LEFT JOIN comments c ON c.id = m.comment_id
        WHERE (i.reporter_id = ${userId} AND (${isDeleted} OR m.answer_kept_private)) OR (c.commenter_id = ${userId} AND ${isDeleted})) pictures
    WHERE pictures.key IS NOT NULL`)
  if (isDeleted) await deleteContent(tx, userId)
  else await clearPrivateContent(tx, userId)
  await deletePrivateRows(tx, user, emails)
  await prisma.moderationItem.deleteMany({ where: { subject_type: 'user', subject_id: userId } })
  const receivers = user.email_addresses.filter((one) => one.confirmed_at !== null && !isRepeated)
  const payload = { created_ms: user.created_at.getTime(), content_deleted: Number(isDeleted) }
  const event_id = await recordMailEvent(tx, { type: 'user.erased', subject_id: userId, actor_id: null, payload })
  await prisma.mail.createMany({ data: receivers.map(({ email }) => ({ kind: 'receipt', event_id, email, locale: user.locale })) })
  await tx.execute(sql`
    UPDATE issues i SET vote_count = i.vote_count - 1 FROM votes v WHERE v.issue_id = i.id AND v.user_id = ${userId}`)
  // Foreign keys delete or clear all other rows.
  await prisma.user.delete({ where: { id: userId } })
  return { keys: keys.map(({ key }) => key), payload }
}

async function deleteContent(tx: Transaction, id: number): Promise<void> {
  await emptyAnswered(tx, id)
  await tx.execute(sql`
    DELETE FROM moderation_items item
    WHERE (item.subject_type = 'issue' AND item.subject_id IN (SELECT i.id FROM issues i WHERE i.reporter_id = ${id}))
      OR (item.subject_type = 'comment' AND item.subject_id IN (
        SELECT c.id FROM comments c JOIN issues i ON i.id = c.issue_id WHERE c.commenter_id = ${id} OR i.reporter_id = ${id}))
      OR (item.subject_type = 'question' AND item.subject_id IN (SELECT q.id FROM questions q WHERE q.asker_id = ${id}))
      OR (item.subject_type = 'answer' AND item.subject_id IN (
        SELECT a.id FROM answers a JOIN questions q ON q.id = a.question_id WHERE a.answerer_id = ${id} OR q.asker_id = ${id}))`)
  await tx.prisma.comment.deleteMany({ where: { commenter_id: id } })
  await tx.prisma.issue.deleteMany({ where: { reporter_id: id } })
  await tx.prisma.answer.deleteMany({ where: { answerer_id: id } })
  await tx.prisma.question.deleteMany({ where: { asker_id: id } })
}

/** Takes the content of the reports and questions that others answered, and their author. What waits for a review, or was rejected, no one else sees. */
async function emptyAnswered(tx: Transaction, id: number): Promise<void> {
  const texts = JSON.stringify(Object.fromEntries(languages.map((language) => [language, textsIn(language)('erasedText')])))
  const issues = await tx.query(sql.type(IdRow)`
    UPDATE issues i SET reporter_id = NULL, anonymous = true, summary = coalesce(${texts}::jsonb ->> split_part(i.locale, '-', 1), ${texts}::jsonb ->> 'en'),
      description = NULL, address = NULL, video_url = NULL, device_id = NULL, device_os = NULL, device_name = NULL
    WHERE i.reporter_id = ${id} AND i.moderation_state = 'passed'
      AND EXISTS (SELECT FROM comments c WHERE c.issue_id = i.id AND c.commenter_id IS DISTINCT FROM ${id})
    RETURNING i.id`)
  const of = { issue_id: { in: issues.map((issue) => issue.id) } }
  await tx.prisma.issueAnswer.deleteMany({ where: of })
  await tx.prisma.medium.deleteMany({ where: { ...of, comment_id: null } })
  await tx.prisma.moderationItem.deleteMany({ where: { subject_type: 'issue', subject_id: of.issue_id } })
  const questions = await tx.query(sql.type(IdRow)`
    UPDATE questions q SET asker_id = NULL, question = coalesce(${texts}::jsonb ->> split_part(q.locale, '-', 1), ${texts}::jsonb ->> 'en')
    WHERE q.asker_id = ${id} AND q.moderation_state = 'passed'
      AND EXISTS (SELECT FROM answers a WHERE a.question_id = q.id AND a.answerer_id IS DISTINCT FROM ${id})
    RETURNING q.id`)
  const subject_id = { in: questions.map((question) => question.id) }
  await tx.prisma.moderationItem.deleteMany({ where: { subject_type: 'question', subject_id } })
}

/** The rest of the content stays. Only staff could see these answers. */
async function clearPrivateContent({ prisma }: Transaction, reporter_id: number): Promise<void> {
  const issue = { reporter_id }
  await prisma.issue.updateMany({ where: issue, data: { device_id: null, device_os: null, device_name: null } })
  await prisma.comment.updateMany({ where: { commenter_id: reporter_id }, data: { device_id: null } })
  await prisma.issueAnswer.deleteMany({ where: { issue, OR: [{ is_contact: true }, { answer_kept_private: true }] } })
  await prisma.medium.deleteMany({ where: { issue, answer_kept_private: true } })
}

/** Deletes rows that no foreign key leads to. @param emails the confirmed addresses in lower case */
async function deletePrivateRows(
  tx: Transaction,
  { id: user_id, name }: { readonly id: number; readonly name: string },
  emails: readonly string[],
): Promise<void> {
  await tx.execute(sql`DELETE FROM mails mail WHERE lower(mail.email) = ANY (${emails}::text[])`)
  await tx.execute(
    sql`DELETE FROM report_drafts draft WHERE draft.user_id = ${user_id} OR lower(draft.email) = ANY (${emails}::text[])`,
  )
  await tx.execute(sql`UPDATE report_draft_links link SET email = NULL WHERE lower(link.email) = ANY (${emails}::text[])`)
  await tx.execute(sql`DELETE FROM pending_memberships invited WHERE lower(invited.email) = ANY (${emails}::text[])`)
  // A repeated request gets its response from the stored ids. Quotes within a text are escaped, so a text of others is no value with quotes.
  const marks = [...emails.map((email) => JSON.stringify(email)), `"id":${user_id},"name":${JSON.stringify(name)}`]
  await tx.execute(sql`
    UPDATE idempotency_keys k SET status = NULL, headers = NULL, body = NULL
    WHERE k.user_id = ${user_id}
      OR EXISTS (SELECT FROM unnest(${marks}::text[]) AS mark WHERE position(lower(mark) IN lower(k.body)) > 0)`)
}

/** Writes the entry of the list and deletes the exported data. */
export async function recordErasure(files: FileStore, userId: number, payload: ErasurePayload): Promise<void> {
  const hash = createHash('sha256').update(`${userId} ${Number(payload['created_ms'])}`)
  const content: ContentChoice = payload['content_deleted'] === 1 ? 'delete' : 'keep'
  await storeText(files, `${ERASED_FOLDER}${hash.digest('hex')}-${content}`, '')
  await files.remove(exportKey(userId))
}

const Found = Type.Object({ id: Id, hash: Type.String() })

/** Erases the persons of the list who are in the database again, and returns their number. */
export async function eraseAgain(services: Services): Promise<number> {
  const choices = new Map<string, ContentChoice>()
  for await (const { key } of services.files.list([ERASED_FOLDER])) {
    const [, hash, content] = /^erased\/([0-9a-f]{64})-(keep|delete)$/.exec(key) ?? []
    if (hash !== undefined) choices.set(hash, content === 'delete' ? 'delete' : 'keep')
  }
  const found = await services.db.query(sql.type(Found)`
    SELECT known.id, known.hash FROM (
      SELECT u.id, encode(sha256(convert_to(u.id::text || ' ' || (extract(epoch FROM u.created_at) * 1000)::bigint::text, 'UTF8')), 'hex') AS hash
      FROM users u) known
    WHERE known.hash = ANY (${[...choices.keys()]}::text[]) ORDER BY known.id`)
  for (const { id, hash } of found)
    await eraseAccount(services, { userId: id, content: choices.get(hash) ?? 'keep', isRepeated: true })
  return found.length
}
