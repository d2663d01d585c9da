import type { OwedEffect } from '../../src/outbox/queries.ts'
import { Problem } from '../../src/errors/problems.ts'
import { findItemToCheck } from '../../src/moderation/check-queries.ts'
import { approveItem } from '../../src/moderation/decide.ts'
import { lockItem, writeNote } from '../../src/moderation/decide-queries.ts'
import { checkSlowly } from '../../src/moderation/slower-checks.ts'
import { subjectTypes } from '../../src/content-policy/subject-types.ts'
import type { Effect } from './delivery.ts'
import { queueEffects } from '../../src/outbox/dispatch.ts'

/** Looks once more at what the policy held, with more time: releases what is clear by now, and notes the rest for whoever decides. */
export const moderate: Effect = async ({ type, subject_id }, { db, urls, clock, queue }) => {
  const [subject_type] = type.split('.')
  const item = await findItemToCheck(db, subjectTypes.find((one) => one === subject_type) ?? 'issue', subject_id)
  if (!item) return undefined
  const { released, note } = await checkSlowly(db, item, urls.root)
  let owed: readonly OwedEffect[] = []
  return {
    async write(tx) {
      // As whoever decides does: the issue or the question, then the item.
      await lockItem(tx, item.id)
      await writeNote(tx, item.id, note)
      if (!released) return
      try {
        owed = await approveItem(tx, { item_id: item.id, by: null, at: clock() })
      } catch (error) {
        // A moderator was quicker, or its issue or question is no longer public: then it is for people.
        if (!(error instanceof Problem)) throw error
      }
    },
    wake: () => queueEffects(queue, owed),
  }
}
