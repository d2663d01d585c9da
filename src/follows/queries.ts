import type { Transaction } from '../database/database.ts'

export interface Follow {
  readonly issue_id: number
  readonly user_id: number
}

/** Inserts a follow. Returns false if the user already follows the issue. Requires `lockIssue`. */
export async function addFollow(
  tx: Transaction,
  { issue_id, user_id, created_at }: Follow & { readonly created_at: Date },
): Promise<boolean> {
  const { count } = await tx.prisma.follow.createMany({ data: { issue_id, user_id, created_at }, skipDuplicates: true })
  return count > 0
}

/** Restores all mails about an issue after `muteIssue`. Requires `lockIssue`. */
export async function removeMute(tx: Transaction, { issue_id, user_id }: Follow): Promise<void> {
  await tx.prisma.issueMute.deleteMany({ where: { issue_id, user_id } })
}

/** Deletes a follow. Returns false if there is none. Requires `lockIssue`. */
export async function removeFollow(tx: Transaction, { issue_id, user_id }: Follow): Promise<boolean> {
  const { count } = await tx.prisma.follow.deleteMany({ where: { issue_id, user_id } })
  return count > 0
}
