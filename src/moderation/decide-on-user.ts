import { languageOf, textsIn } from '../locales/texts.ts'
import type { Transaction } from '../database/database.ts'
import { problems } from '../errors/problems.ts'
import type { DecisionContext, LockedItem } from './decide-queries.ts'
import { SUBJECT_DELETED } from './decide-on-issue.ts'

/** The user keeps the avatar. @throws Problem 422 `{base}` if the account was deleted */
export async function approveUser(tx: Transaction, { item, now, edits }: DecisionContext): Promise<void> {
  const { subject_id: id } = item
  if ((await tx.prisma.user.count({ where: { id } })) === 0) throw problems.invalid({ base: SUBJECT_DELETED })
  if (edits.name !== undefined) await tx.prisma.user.update({ where: { id }, data: { name: edits.name, updated_at: now } })
  return
}

/** Replaces the name by a neutral one and removes the avatar, whose files `delete-orphaned-files` deletes. */
export async function rejectUser(tx: Transaction, { subject_id: id }: LockedItem, now: Date): Promise<boolean> {
  const user = await tx.prisma.user.findUnique({ where: { id }, select: { locale: true } })
  if (!user) return false
  const name = textsIn(languageOf(user.locale))('neutralUser', { id })
  await tx.prisma.user.update({ where: { id }, data: { name, avatar_full: null, avatar_square: null, updated_at: now } })
  return true
}
