import Type, { type Static } from 'typebox'

import { Count, Id, stringEnum } from '../../database/columns.ts'
import { type Database, sql, type Transaction } from '../../database/database.ts'
import { moderationStates } from '../../issue-lifecycle/status.ts'
import { countMail } from '../../mail/limit-queries.ts'
import { LEASE_S, type MailResult } from '../../mail/queries.ts'
import { emailAddressHash } from '../../mail/unsubscribe-token.ts'
import { recordEvent } from '../../outbox/queries.ts'

/** A later confirmation would only confuse. */
const SEND_WITHIN_HOURS = 24

export interface ReceiptRequest {
  readonly issueId: number
  readonly email: string
  readonly locale: string
}

/**
 * Requests the one mail that confirms a report to an address that has no proven owner. Accounts are not read, and a mail above the limit of
 * its address is dropped silently, so the result and its timing reveal nothing about an address.
 */
export async function requestReceipt(tx: Transaction, { issueId, email, locale }: ReceiptRequest): Promise<void> {
  const isWithinLimit = (await countMail(tx, 'receipt address', email)) > 0
  const { id } = await tx.prisma.reportReceipt.create({
    data: { issue_id: issueId, email: isWithinLimit ? email : null, locale },
    select: { id: true },
  })
  return recordEvent(tx, { type: 'report.receipt_requested', subject_id: id, actor_id: null })
}

const LeasedReceipt = Type.Object({
  issue_id: Id,
  moderation_state: stringEnum(moderationStates),
  message_id: Type.String(),
  email_address: Type.String(),
  address_hash: Type.String(),
  locale: Type.String(),
  attempts: Count,
  is_wanted: Type.Boolean(),
})
export type LeasedReceipt = Static<typeof LeasedReceipt>

/** Returns undefined if the mail is leased or done. */
export async function leaseReceipt(db: Database, id: number): Promise<LeasedReceipt | undefined> {
  const [leased] = await db.query(
    LeasedReceipt,
    sql`
      UPDATE report_receipts mail
      SET leased_until = now() + make_interval(secs => ${LEASE_S}), attempts = mail.attempts + 1
      FROM issues i
      WHERE mail.id = ${id} AND i.id = mail.issue_id AND mail.email IS NOT NULL
        AND (mail.leased_until IS NULL OR mail.leased_until < now())
      RETURNING mail.issue_id, i.moderation_state, mail.message_id, mail.email AS email_address, mail.locale, mail.attempts,
        ${emailAddressHash(sql`mail.email`)} AS address_hash,
        i.moderation_state <> 'rejected' AND mail.created_at > now() - make_interval(hours => ${SEND_WITHIN_HOURS}::integer)
          AND NOT EXISTS (SELECT FROM draft_mail_opt_outs o WHERE o.address_hash = ${emailAddressHash(sql`mail.email`)})
          AND NOT EXISTS (SELECT FROM suppressed_addresses s WHERE s.address_hash = ${emailAddressHash(sql`mail.email`)}) AS is_wanted`,
  )
  return leased
}

/** The address is deleted unless there is another attempt. */
export async function recordReceiptResult(db: Database, id: number, { outcome, reply }: MailResult): Promise<void> {
  const isDone = outcome !== 'deferred'
  await db.prisma.reportReceipt.updateMany({
    where: { id, email: { not: null } },
    data: { leased_until: null, reply, ...(isDone ? { email: null } : {}) },
  })
}

export async function isReceiptPending(db: Pick<Database, 'prisma'>, id: number): Promise<boolean> {
  return (await db.prisma.reportReceipt.count({ where: { id, email: { not: null } } })) > 0
}
