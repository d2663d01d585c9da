import type { OwedEffect } from '../src/events/queries.ts'
import { Problem } from '../src/http/problems.ts'
import { findItemToCheck } from '../src/moderation/check-queries.ts'
import { approveItem } from '../src/moderation/decide.ts'
import { lockItem, writeNote } from '../src/moderation/decide-queries.ts'
import { checkSlowly } from '../src/moderation/slower-checks.ts'
import type { Effect } from './effects.ts'
import { queueEffects } from './queue.ts'

/** Looks once more at what the policy held, with more time: releases what is clear by now, and notes the rest for whoever decides. */
export const moderate: Effect = async ({ type, subject_id }, { db, urls, clock, queue }) => {
  const item = await findItemToCheck(db, type === 'issue.held' ? 'issue' : 'comment', subject_id)
  if (!item) return undefined
  const { released, note } = await checkSlowly(db, item, urls.root)
  let owed: readonly OwedEffect[] = []
  return {
    async write(tx) {
      // As whoever decides does: the issue, then the item.
      await lockItem(tx, item.id)
      await writeNote(tx, item.id, note)
      if (!released) return
      try {
        owed = await approveItem(tx, { item_id: item.id, by: null, at: clock() })
      } catch (error) {
        // A moderator was quicker, or its issue is no longer public: then it is for people.
        if (!(error instanceof Problem)) throw error
      }
    },
    wake: () => queueEffects(queue, owed),
  }
}
