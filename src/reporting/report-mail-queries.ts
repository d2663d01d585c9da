import { IdRow } from '../database/columns.ts'
import { sql, type Transaction } from '../database/database.ts'
import { countMail } from '../mail/limit-queries.ts'
import { CANCELLED_REPLY } from '../mail/rules.ts'
import { insertDeliveries, insertEvent, OutboxDelivery } from '../outbox/queries.ts'

/** The first mail, after changes, and to another address after a mistake. */
const MAILS_PER_DRAFT = 5

interface Recipient {
  readonly email: string
  readonly locale: string
}

/**
 * Requests a mail with a link that publishes a draft, and keeps the draft until `expires_at`. Accounts are not read, and a mail above the limit of its address is dropped silently, so the
 * result and its timing reveal nothing about an address. Returns false if the draft has had its last mail or is gone.
 */
export async function requestDraftMail(
  tx: Transaction,
  { draftId, expires_at, ...to }: Recipient & { readonly draftId: number; readonly expires_at: Date },
): Promise<boolean> {
  const locked = await tx.query(sql.type(IdRow)`SELECT d.id FROM report_drafts d WHERE d.id = ${draftId} FOR UPDATE`)
  const requested = await tx.prisma.mail.count({ where: { draft_id: draftId } })
  if (locked.length === 0 || requested >= MAILS_PER_DRAFT) return false
  await tx.prisma.reportDraft.updateMany({ where: { id: draftId }, data: { email: to.email, expires_at } })
  const isWithinLimit = (await countMail(tx, 'draft address', to.email)) > 0
  await addMail(tx, { ...to, kind: 'draft', type: 'draft.link_requested', subject_id: draftId, isWithinLimit })
  return true
}

/** Requests the one mail that confirms a report to an address that has no proven owner. It reveals as little as `requestDraftMail`. */
export async function requestReceipt(tx: Transaction, { issueId, ...to }: Recipient & { readonly issueId: number }): Promise<void> {
  const isWithinLimit = (await countMail(tx, 'receipt address', to.email)) > 0
  await addMail(tx, { ...to, kind: 'receipt', type: 'report.receipt_requested', subject_id: issueId, isWithinLimit })
}

interface NewMail extends Recipient {
  readonly kind: 'draft' | 'receipt'
  readonly type: 'draft.link_requested' | 'report.receipt_requested'
  readonly subject_id: number
  /** A mail above the limit is stored as cancelled and without its address. */
  readonly isWithinLimit: boolean
}

async function addMail(tx: Transaction, { kind, type, subject_id, email, locale, isWithinLimit }: NewMail): Promise<void> {
  const event = insertEvent({
    type,
    subject_id: sql`${subject_id}::integer`,
    actor_id: sql`NULL::integer`,
    request_id: undefined,
    from: sql`(VALUES (1)) change`,
  })
  const deliveries = await tx.query(sql.type(OutboxDelivery)`
    WITH event AS (${event}), mail AS (
      INSERT INTO mails (kind, event_id, email, locale, draft_id, issue_id, failed_at, reply)
      SELECT ${kind}::text, event.id, CASE WHEN ${isWithinLimit}::boolean THEN ${email}::text END, ${locale}::text,
        CASE WHEN ${kind}::text = 'draft' THEN ${subject_id}::integer END, CASE WHEN ${kind}::text = 'receipt' THEN ${subject_id}::integer END,
        CASE WHEN NOT ${isWithinLimit}::boolean THEN now() END, CASE WHEN NOT ${isWithinLimit}::boolean THEN ${CANCELLED_REPLY}::text END
      FROM event)
    ${insertDeliveries(type)}`)
  tx.deliveries.push(...deliveries)
}
