import { sql } from '../../src/database/database.ts'
import type { PostgresDatabase } from '../../src/database/postgres.ts'
import { LEASE_S } from '../../src/mail/queries.ts'

/**
 * Leases that began before a moment after which nobody of before lives are over at once. It only shortens the waiting: they
 * would end by themselves, the lease of a key after a minute, that of a mail after two.
 */
export async function endLeasesBefore(db: PostgresDatabase, moment: Date): Promise<void> {
  const at = sql`${moment.toISOString()}::timestamptz`
  await db.execute(sql`
    UPDATE idempotency_keys k SET leased_until = now()
    WHERE k.status IS NULL AND k.leased_until > now() AND k.leased_until < ${at} + interval '60 seconds' RETURNING k.scope`)
  await db.execute(sql`
    UPDATE mail_deliveries d SET leased_until = now(), due_at = CASE WHEN d.due_at IS NOT NULL THEN now() END
    WHERE d.sent_at IS NULL AND d.failed_at IS NULL AND d.leased_until > now()
      AND d.leased_until < ${at} + make_interval(secs => ${LEASE_S})
    RETURNING d.email_id`)
}

/** What waits for its next try has it now. */
export async function endPauses(db: PostgresDatabase): Promise<void> {
  await db.execute(sql`
    UPDATE outbox_deliveries e SET due_at = now() WHERE e.delivered_at IS NULL AND e.due_at > now() RETURNING e.event_id`)
  await db.execute(sql`
    UPDATE mail_deliveries d SET due_at = now()
    WHERE d.sent_at IS NULL AND d.failed_at IS NULL AND d.leased_until IS NULL AND d.due_at > now() RETURNING d.email_id`)
}
