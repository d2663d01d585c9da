import type { PrismaHandle, Transaction } from '../../database/database.ts'
import { type Language, languageOf } from '../../locales/texts.ts'

export interface UpdatedIssue {
  readonly organizationId: number | null
  readonly language: Language
}

/** Returns the organisation and the language of a public issue. */
export async function findUpdatedIssue(db: PrismaHandle, id: number): Promise<UpdatedIssue | undefined> {
  const issue = await db.prisma.issue.findUnique({
    where: { id, moderation_state: 'passed' },
    select: { locale: true, request_type: { select: { organization_id: true } } },
  })
  return issue ? { organizationId: issue.request_type?.organization_id ?? null, language: languageOf(issue.locale) } : undefined
}

/** Returns the comment of an update that was received before. A rejected one is not public, so it counts as pending. */
export async function findReceivedUpdate(db: PrismaHandle, issue_id: number, update_id: string) {
  const received = await db.prisma.serviceRequestUpdate.findUnique({
    where: { issue_id_update_id: { issue_id, update_id } },
    select: { comment: { select: { id: true, moderation_state: true } } },
  })
  return received && { id: received.comment.id, isHeld: received.comment.moderation_state !== 'passed' }
}

export async function addReceivedUpdate(tx: Transaction, issueId: number, updateId: string, commentId: number): Promise<void> {
  await tx.prisma.serviceRequestUpdate.create({ data: { issue_id: issueId, update_id: updateId, comment_id: commentId } })
}
