import Type, { type Static } from 'typebox'

import { Id, nullable, stringEnum, Timestamp } from '../database/columns.ts'
import { sql, type Transaction } from '../database/database.ts'
import { moderationStates, statuses } from '../issue-lifecycle/status.ts'

const LockedIssue = Type.Object({
  id: Id,
  status: stringEnum(statuses),
  moderation_state: stringEnum(moderationStates),
  /**
   * The last change: by this service, to the second, until the endpoint lists it, then by the time at which the endpoint lists it, or an update of
   * the endpoint by its own clock. If the status at the endpoint is unknown, only updates of the endpoint count.
   */
  status_changed_at: nullable(Timestamp),
  /** The status at the endpoint; null if it is unknown, because it may have refused the last change by this service. */
  remote_status: nullable(Type.String()),
  /** A change by this service that the endpoint does not know yet will be its status. */
  has_unsent_change: Type.Boolean(),
})
export type LockedIssue = Static<typeof LockedIssue>

/** Locks the row of the issue for the transaction. Returns undefined if it was deleted. */
export async function lockForwardedIssue(tx: Transaction, issueId: number): Promise<LockedIssue | undefined> {
  const [issue] = await tx.query(sql.type(LockedIssue)`
    SELECT i.id, i.status, i.moderation_state,
      greatest(
        (SELECT date_trunc('second', max(s.created_at)) FROM status_changes s
          WHERE s.issue_id = i.id AND s.from_status IS NOT NULL AND forwarded.remote_status IS NOT NULL AND NOT EXISTS (
            SELECT FROM forwarded_updates known WHERE known.comment_id = s.comment_id AND (known.is_received OR known.happened_at IS NOT NULL))),
        (SELECT max(coalesce(sent.happened_at, date_trunc('second', sent.sent_at))) FROM forwarded_updates sent JOIN status_changes s ON s.comment_id = sent.comment_id
          WHERE sent.issue_id = i.id AND NOT sent.is_received AND forwarded.remote_status IS NOT NULL),
        (SELECT max(least(received.happened_at, now())) FROM forwarded_updates received
          WHERE received.issue_id = i.id AND received.is_received)) AS status_changed_at,
      forwarded.remote_status,
      EXISTS (
        SELECT FROM events event
        JOIN outbox_deliveries delivery ON delivery.event_id = event.id AND delivery.handler = 'forward-update'
        JOIN status_changes s ON s.issue_id = i.id AND s.comment_id = (event.payload ->> 'comment_id')::integer
        JOIN forwarding_endpoints endpoint ON endpoint.organization_id = forwarded.organization_id AND endpoint.sends_updates
        WHERE event.subject_type = 'issue' AND event.subject_id = i.id AND delivery.delivered_at IS NULL AND delivery.dead_at IS NULL
          AND NOT EXISTS (
            SELECT FROM forwarded_updates known
            WHERE known.comment_id = s.comment_id AND (known.is_received OR known.happened_at IS NOT NULL))) AS has_unsent_change
    FROM issues i LEFT JOIN forwarded_issues forwarded ON forwarded.issue_id = i.id
    WHERE i.id = ${issueId} FOR NO KEY UPDATE OF i`)
  return issue
}
