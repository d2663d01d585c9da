import { sql, type Transaction } from '../database/database.ts'
import type { Move } from '../issue-lifecycle/transitions.ts'
import type { Reason } from './policy.ts'
import type { SubjectType } from './subject-types.ts'

export interface NewItem {
  readonly subject_type: SubjectType
  readonly subject_id: number
  readonly reasons: readonly Reason[]
  /** The texts as they came, by their fields. */
  readonly original: Readonly<Record<string, string | null>>
  /** What the author wants to happen to the issue with it. */
  readonly requested_move?: Move | undefined
  readonly at: Date
}

/**
 * Puts something before the moderators. Where it lies before them already nothing changes, and it gives undefined: however many flags come
 * at once, there is one open item of a subject. Whether the subject shows meanwhile, its own `moderation_state` says.
 */
export async function holdItem(tx: Transaction, item: NewItem): Promise<number | undefined> {
  const [held] = await tx.query<{ id: number }>(sql`
    INSERT INTO moderation_items (subject_type, subject_id, reasons, original, requested_move, created_at)
    VALUES (${item.subject_type}, ${item.subject_id}, ${[...item.reasons]}::text[], ${JSON.stringify(item.original)}::jsonb,
      ${item.requested_move ?? null}, ${item.at.toISOString()}::timestamptz)
    ON CONFLICT (subject_type, subject_id) WHERE state = 'held' DO NOTHING
    RETURNING moderation_items.id`)
  return held?.id
}
