import { type Database, sql } from '../database/database.ts'
import { recordDeadLetter } from '../outbox/dead-letters.ts'

/** The endpoint does not know the token any more: it has rejected the report. Its delivery is a dead letter, whose retry is a new report. */
export async function recordRejectedReport(db: Database, issueId: number): Promise<void> {
  await db.transaction(async (tx) => {
    await tx.execute(sql`
      UPDATE forwarded_issues forwarded SET token = NULL, forwarded_at = NULL, remote_status = 'rejected', idempotency_key = gen_random_uuid()
      WHERE forwarded.issue_id = ${issueId}`)
    await recordDeadLetter(tx, { subject_type: 'issue', subject_id: issueId, handler: 'forward-issue' }, REJECTED)
  })
}

const REJECTED = 'EndpointRefusal: the endpoint accepted the report and rejected it later'
