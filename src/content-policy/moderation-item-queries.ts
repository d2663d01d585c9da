import { IdRow } from '../database/columns.ts'
import { sql, type Transaction } from '../database/database.ts'
import type { TransitionName } from '../issue-lifecycle/transitions.ts'
import type { Reason } from './policy.ts'
import type { SubjectType } from './subject-types.ts'

export interface NewModerationItem {
  readonly subject_type: SubjectType
  readonly subject_id: number
  readonly reasons: readonly Reason[]
  readonly original: Readonly<Record<string, string | null>>
  readonly requested_transition?: TransitionName | undefined
  readonly created_at: Date
}

/** Returns undefined if the subject already has a pending item. Visibility depends on the subject's own `moderation_state`. */
export async function addModerationItem(tx: Transaction, item: NewModerationItem): Promise<number | undefined> {
  const [inserted] = await tx.query(
    IdRow,
    sql`
    INSERT INTO moderation_items (subject_type, subject_id, reasons, original, requested_transition, created_at)
    VALUES (${item.subject_type}, ${item.subject_id}, ${[...item.reasons]}::text[], ${JSON.stringify(item.original)}::jsonb,
      ${item.requested_transition ?? null}, ${item.created_at.toISOString()}::timestamptz)
    ON CONFLICT (subject_type, subject_id) WHERE state = 'held' DO NOTHING
    RETURNING moderation_items.id`,
  )
  return inserted?.id
}
