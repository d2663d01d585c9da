import Type from 'typebox'

import { Id, nullable } from '../../database/columns.ts'
import { type Queryable, sql, type Transaction } from '../../database/database.ts'
import { type Language, languageOf } from '../../errors/texts/languages.ts'

const UpdatedIssue = Type.Object({ organization_id: nullable(Id), locale: Type.String() })

export interface UpdatedIssue {
  readonly organizationId: number | null
  readonly language: Language
}

/** Returns the organisation and the language of a public issue. */
export async function findUpdatedIssue(db: Queryable, id: number): Promise<UpdatedIssue | undefined> {
  const [issue] = await db.query(
    UpdatedIssue,
    sql`
      SELECT rt.organization_id, i.locale FROM issues i LEFT JOIN request_types rt ON rt.id = i.request_type_id
      WHERE i.id = ${id} AND i.moderation_state = 'passed'`,
  )
  return issue && { organizationId: issue.organization_id, language: languageOf(issue.locale) }
}

const ReceivedUpdate = Type.Object({ id: Id, isHeld: Type.Boolean() })

/** Returns the comment of an update that was received before. A rejected one is not public, so it counts as pending. */
export async function findReceivedUpdate(db: Queryable, issueId: number, updateId: string) {
  const [received] = await db.query(
    ReceivedUpdate,
    sql`
      SELECT c.id, c.moderation_state <> 'passed' AS "isHeld"
      FROM service_request_updates u JOIN comments c ON c.id = u.comment_id
      WHERE u.issue_id = ${issueId} AND u.update_id = ${updateId}`,
  )
  return received
}

export async function addReceivedUpdate(tx: Transaction, issueId: number, updateId: string, commentId: number): Promise<void> {
  await tx.prisma.serviceRequestUpdate.create({ data: { issue_id: issueId, update_id: updateId, comment_id: commentId } })
}
