import Type from 'typebox'

import { Id, nullable } from '../database/columns.ts'
import { type Database, sql } from '../database/database.ts'
import { CLOCK_DIFFERENCE_MS } from '../georeport/geo-report.ts'
import { readState } from '../georeport/update-states.ts'
import { isOlder, type ReceivedUpdate } from './apply-update.ts'
import { forgetRemoteStatus } from './issue-queries.ts'
import { lockForwardedIssue } from './lock-forwarded-issue.ts'
import { isSentText } from './sent-text.ts'

const SentRow = Type.Object({ id: Id, comment: Type.String(), remote_update_id: nullable(Type.String()) })

/**
 * Endpoints list the updates that were sent to them. One whose id is not known, because the response was lost or had none, is recognized by its
 * text and time.
 */
export async function findOrigin(
  db: Database,
  { issue_id, update_id, text, happened_at }: ReceivedUpdate,
): Promise<'endpoint' | 'sent' | 'sent, and listed for the first time'> {
  const candidates = await db.query(sql.type(SentRow)`
    SELECT sent.id, c.comment, sent.remote_update_id FROM forwarded_updates sent JOIN comments c ON c.id = sent.comment_id
    WHERE sent.issue_id = ${issue_id} AND NOT sent.is_received AND (sent.remote_update_id = ${update_id} OR (
      sent.remote_update_id IS NULL AND (sent.sent_at IS NOT NULL OR sent.unknown_since IS NOT NULL)
      AND coalesce(${happened_at?.toISOString() ?? null}::timestamptz BETWEEN c.created_at - make_interval(secs => ${CLOCK_DIFFERENCE_MS / 1_000})
        AND coalesce(sent.sent_at, now()) + make_interval(secs => ${CLOCK_DIFFERENCE_MS / 1_000}), TRUE)
      AND NOT EXISTS (SELECT FROM forwarded_updates known WHERE known.issue_id = ${issue_id} AND known.remote_update_id = ${update_id})))
    ORDER BY sent.remote_update_id NULLS LAST, sent.id`)
  const found = candidates.find(({ comment, remote_update_id }) => remote_update_id !== null || isSentText(text ?? '', comment))
  if (!found) return 'endpoint'
  const changed = await db.execute(sql`
    UPDATE forwarded_updates stored
    SET remote_update_id = ${update_id}, happened_at = coalesce(stored.happened_at, ${happened_at?.toISOString() ?? null}::timestamptz)
    WHERE stored.id = ${found.id} AND (stored.remote_update_id IS NULL OR stored.happened_at IS NULL)`)
  return changed > 0 ? 'sent, and listed for the first time' : 'sent'
}

/**
 * The endpoint may have another status than the one that it accepted: an update that opens an issue leaves it acknowledged, for example. Then
 * the status is to be read.
 */
export function compareListedStatus(db: Database, update: ReceivedUpdate): Promise<void> {
  return db.transaction(async (tx) => {
    const issue = await lockForwardedIssue(tx, update.issue_id)
    const listed = readState(update.status)
    if (!issue || listed === undefined || isOlder(update, issue)) return
    if (listed !== readState(issue.remote_status ?? undefined)) await forgetRemoteStatus(tx, issue.id)
  })
}
