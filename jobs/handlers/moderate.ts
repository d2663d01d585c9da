import { Problem } from '../../src/errors/problems.ts'
import { checkedTypes, findItemToCheck } from '../../src/moderation/check-queries.ts'
import { approveItem } from '../../src/moderation/decide.ts'
import { lockItem, saveNote } from '../../src/moderation/decide-queries.ts'
import { runAutomaticChecks } from '../../src/moderation/automatic-checks.ts'
import type { DeliveryHandler } from './prepared-delivery.ts'

export const moderate: DeliveryHandler = async ({ type, subject_id }, { db, urls, clock }) => {
  const [subject_type] = type.split('.')
  const item = await findItemToCheck(db, checkedTypes.find((one) => one === subject_type) ?? 'issue', subject_id)
  if (!item) return undefined
  const { approved, note } = await runAutomaticChecks(db, item, urls.root)
  return async (tx) => {
    await lockItem(tx, item.id)
    await saveNote(tx, item.id, note)
    if (!approved) return
    try {
      await approveItem(tx, { item_id: item.id, moderator_id: null, now: clock() })
    } catch (error) {
      // A moderator decided first, or the issue or question is no longer public and needs a moderator.
      if (!(error instanceof Problem)) throw error
    }
  }
}
