import Type, { type Static } from 'typebox'

import { Id, nullable } from '../database/columns.ts'
import type { PrismaHandle } from '../database/database.ts'

export const HiddenState = Type.Object({
  item_id: nullable(Id),
  reason: nullable(Type.String()),
})
export type HiddenState = Static<typeof HiddenState>

export async function findHiddenState(db: PrismaHandle, subject_id: number): Promise<HiddenState> {
  const items = await db.prisma.moderationItem.findMany({
    where: { subject_type: 'question', subject_id },
    orderBy: { id: 'desc' },
  })
  const newest = (state: 'held' | 'rejected') => items.find((item) => item.state === state)
  return { item_id: newest('held')?.id ?? null, reason: newest('rejected')?.rejection_reason ?? null }
}
