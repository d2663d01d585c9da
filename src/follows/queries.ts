import type { Transaction } from '../database/database.ts'

export interface Follow {
  readonly issue_id: number
  readonly user_id: number
}

/** False where the user follows the issue already. The issue is locked (`lockIssue`). */
export async function addFollow(tx: Transaction, { issue_id, user_id, at }: Follow & { readonly at: Date }): Promise<boolean> {
  const { count } = await tx.prisma.follow.createMany({ data: { issue_id, user_id, created_at: at }, skipDuplicates: true })
  return count > 0
}

/** False where the user does not follow the issue. The issue is locked. */
export async function removeFollow(tx: Transaction, { issue_id, user_id }: Follow): Promise<boolean> {
  const { count } = await tx.prisma.follow.deleteMany({ where: { issue_id, user_id } })
  return count > 0
}
