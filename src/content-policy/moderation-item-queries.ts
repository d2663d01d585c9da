import type { Transaction } from '../database/database.ts'
import type { Closing } from '../issue-lifecycle/status.ts'
import type { TransitionName } from '../issue-lifecycle/transitions.ts'
import type { Reason } from './policy.ts'
import type { SubjectType } from './schema.ts'

export interface NewModerationItem {
  readonly subject_type: SubjectType
  readonly subject_id: number
  readonly reasons: readonly Reason[]
  readonly original: Readonly<Record<string, string | null>>
  readonly requested_transition?: TransitionName | undefined
  readonly requested_closing?: Closing | undefined
  readonly created_at: Date
}

/** Returns undefined if the subject already has a held item. Visibility depends on the subject's own `moderation_state`. */
export async function addModerationItem(
  tx: Transaction,
  { requested_closing, ...item }: NewModerationItem,
): Promise<number | undefined> {
  const [inserted] = await tx.prisma.moderationItem.createManyAndReturn({
    data: {
      ...item,
      reasons: [...item.reasons],
      requested_transition: item.requested_transition ?? null,
      ...(requested_closing && { requested_closing: { ...requested_closing } }),
    },
    skipDuplicates: true,
    select: { id: true },
  })
  return inserted?.id
}
