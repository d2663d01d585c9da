import { sql } from '../../src/database/database.ts'
import type { PostgresDatabase } from '../../src/database/postgres.ts'
import { LEASE_S as ISSUE_LEASE_S } from '../../src/forwarding/issue-queries.ts'
import { LEASE_S as UPDATE_LEASE_S } from '../../src/forwarding/update-queries.ts'
import { LEASE_S } from '../../src/mail/rules.ts'

/** Ends the leases of processes killed before this time, which would last one minute (idempotency keys, updates) or two (mails, reports). */
export async function endLeasesBefore(db: PostgresDatabase, killedBefore: Date): Promise<void> {
  const at = sql`${killedBefore.toISOString()}::timestamptz`
  await db.execute(sql`
    UPDATE idempotency_keys k SET leased_until = now()
    WHERE k.status IS NULL AND k.leased_until > now() AND k.leased_until < ${at} + interval '60 seconds' RETURNING k.scope`)
  await db.execute(sql`
    UPDATE mails d SET leased_until = now(), due_at = now()
    WHERE d.sent_at IS NULL AND d.failed_at IS NULL AND d.leased_until > now()
      AND d.leased_until < ${at} + make_interval(secs => ${LEASE_S})
    RETURNING d.email_address_id`)
  await db.execute(sql`
    UPDATE forwarded_issues f SET leased_until = now()
    WHERE f.forwarded_at IS NULL AND f.leased_until > now() AND f.leased_until < ${at} + make_interval(secs => ${ISSUE_LEASE_S})`)
  await db.execute(sql`
    UPDATE forwarded_updates f SET leased_until = now()
    WHERE f.sent_at IS NULL AND f.leased_until > now() AND f.leased_until < ${at} + make_interval(secs => ${UPDATE_LEASE_S})`)
}

export async function endPauses(db: PostgresDatabase): Promise<void> {
  await db.execute(sql`
    UPDATE outbox_deliveries e SET due_at = now() WHERE e.delivered_at IS NULL AND e.due_at > now() RETURNING e.event_id`)
  await db.execute(sql`
    UPDATE mails d SET due_at = now()
    WHERE d.sent_at IS NULL AND d.failed_at IS NULL AND d.leased_until IS NULL AND d.due_at > now() RETURNING d.email_address_id`)
}
