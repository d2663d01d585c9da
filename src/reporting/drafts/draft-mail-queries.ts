import Type, { type Static } from 'typebox'

import { Count, Id, IdRow } from '../../database/columns.ts'
import { type Database, sql, type Transaction } from '../../database/database.ts'
import { countMail } from '../../mail/limit-queries.ts'
import { LEASE_S, type MailResult } from '../../mail/queries.ts'
import { emailAddressHash } from '../../mail/unsubscribe-token.ts'
import { recordEvent } from '../../outbox/queries.ts'

const MAILS_PER_DRAFT = 3

/** A link that arrives later is of no use to a resident who waits for it. */
const SEND_WITHIN_HOURS = 24

export interface DraftMailRequest {
  readonly draftId: number
  readonly email: string
  readonly locale: string
}

/**
 * Requests a mail with a link to a draft. Accounts are not read, and a mail above the limit of its address is dropped silently, so the
 * result and its timing reveal nothing about an address. Returns false if the draft has had its last mail or is gone.
 */
export async function requestDraftMail(tx: Transaction, { draftId, email, locale }: DraftMailRequest): Promise<boolean> {
  const locked = await tx.query(IdRow, sql`SELECT d.id FROM report_drafts d WHERE d.id = ${draftId} FOR UPDATE`)
  const requested = await tx.prisma.reportDraftMail.count({ where: { draft_id: draftId } })
  if (locked.length === 0 || requested >= MAILS_PER_DRAFT) return false
  const isWithinLimit = (await countMail(tx, 'draft address', email)) > 0
  const { id } = await tx.prisma.reportDraftMail.create({
    data: { draft_id: draftId, email: isWithinLimit ? email : null, locale },
    select: { id: true },
  })
  await recordEvent(tx, { type: 'draft.link_requested', subject_id: id, actor_id: null })
  return true
}

const LeasedDraftMail = Type.Object({
  draft_id: Id,
  message_id: Type.String(),
  email_address: Type.String(),
  address_hash: Type.String(),
  locale: Type.String(),
  attempts: Count,
  is_wanted: Type.Boolean(),
})
export type LeasedDraftMail = Static<typeof LeasedDraftMail>

/** Returns undefined if the mail is leased or done. Links of failed attempts stay valid, because their mails may have been received. */
export function leaseDraftMail(db: Database, id: number, secret_hash: string, now: Date): Promise<LeasedDraftMail | undefined> {
  return db.transaction(async (tx) => {
    const [leased] = await tx.query(
      LeasedDraftMail,
      sql`
        UPDATE report_draft_mails mail
        SET leased_until = now() + make_interval(secs => ${LEASE_S}), attempts = mail.attempts + 1
        FROM report_drafts draft
        WHERE mail.id = ${id} AND draft.id = mail.draft_id AND mail.email IS NOT NULL
          AND (mail.leased_until IS NULL OR mail.leased_until < now())
        RETURNING mail.draft_id, mail.message_id, mail.email AS email_address, mail.locale, mail.attempts,
          ${emailAddressHash(sql`mail.email`)} AS address_hash,
          draft.user_id IS NULL AND draft.expires_at > ${now}::timestamptz
            AND mail.created_at > now() - make_interval(hours => ${SEND_WITHIN_HOURS}::integer)
            AND NOT EXISTS (SELECT FROM draft_mail_opt_outs o WHERE o.address_hash = ${emailAddressHash(sql`mail.email`)})
            AND NOT EXISTS (SELECT FROM suppressed_addresses s WHERE s.address_hash = ${emailAddressHash(sql`mail.email`)}) AS is_wanted`,
    )
    if (leased?.is_wanted) await tx.prisma.reportDraftLink.create({ data: { secret_hash, draft_id: leased.draft_id } })
    return leased
  })
}

/** The address is deleted unless there is another attempt. */
export async function recordDraftMailResult(db: Database, id: number, { outcome, reply }: MailResult): Promise<void> {
  const isDone = outcome !== 'deferred'
  await db.prisma.reportDraftMail.updateMany({
    where: { id, email: { not: null } },
    data: { leased_until: null, reply, ...(isDone ? { email: null } : {}) },
  })
}

export async function isDraftMailPending(db: Pick<Database, 'prisma'>, id: number): Promise<boolean> {
  return (await db.prisma.reportDraftMail.count({ where: { id, email: { not: null } } })) > 0
}
