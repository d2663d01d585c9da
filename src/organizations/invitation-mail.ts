import { sql, type Transaction } from '../database/database.ts'
import { countMail } from '../mail/limit-queries.ts'
import { insertDeliveries, insertEvent, OutboxDelivery } from '../outbox/queries.ts'

interface InvitationMail {
  readonly organization_id: number
  readonly email: string
  readonly locale: string
  readonly by: number
}

/** Requests the mail of an invitation. A mail above the limit of its address is dropped silently: the invitation itself stays. */
export async function requestInvitationMail(
  tx: Transaction,
  { organization_id, email, locale, by }: InvitationMail,
): Promise<void> {
  if ((await countMail(tx, 'invitation address', email)) === 0) return
  const event = insertEvent({
    type: 'organization.member_invited',
    subject_id: sql`${organization_id}::integer`,
    actor_id: sql`${by}::integer`,
    request_id: undefined,
    from: sql`(VALUES (1)) change`,
  })
  const deliveries = await tx.query(sql.type(OutboxDelivery)`
    WITH event AS (${event}), mail AS (
      INSERT INTO mails (kind, event_id, email, locale) SELECT 'invitation', event.id, ${email}::text, ${locale}::text FROM event)
    ${insertDeliveries('organization.member_invited')}`)
  tx.deliveries.push(...deliveries)
}
