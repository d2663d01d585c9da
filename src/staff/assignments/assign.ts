import { IdRow, type Transaction, sql } from '../../database/database.ts'
import { problems } from '../../errors/problems.ts'
import { rolesWith } from '../../http/identity/roles.ts'
import { isId } from '../../http/schema/fields.ts'
import { mayActForIssue } from '../../issue-lifecycle/access.ts'
import { type EditBatch, editIssue, type IssueEdit } from '../../issue-lifecycle/edit-issue.ts'
import { text } from '../../locales/texts.ts'
import { recordEvents } from '../../outbox/queries.ts'

export interface AssignmentBatch extends EditBatch {
  /** The issues of the batch to which the user may be assigned. */
  readonly assignable: ReadonlySet<number>
  /** The issues that were assigned. Their events are recorded at once at the end of the batch. */
  readonly assigned: number[]
}

export interface AssignmentInput extends Omit<IssueEdit, 'capability'> {
  readonly batch?: AssignmentBatch
  /** Null withdraws the assignment. */
  readonly assignee_id: number | null
}

/**
 * Assigns an issue, also an archived one. Idempotent: the same assignee changes nothing.
 * @throws Problem of `editIssue`, and 422 `{assignee_id}` if the user does not exist or may not work on the issue
 */
export async function assignIssue(tx: Transaction, { assignee_id, ...edit }: AssignmentInput): Promise<void> {
  const { batch } = edit
  await editIssue(tx, { ...edit, capability: 'work_on_issues' }, async (issue) => {
    if (assignee_id !== null && !(batch?.assignable ?? (await findAssignable(tx, [issue.id], assignee_id))).has(issue.id))
      throw problems.invalid({ assignee_id: text('assignee_not_employee') })
    if (issue.assignee_id === assignee_id) return undefined
    if (batch) batch.assigned.push(issue.id)
    else await recordAssignments(tx, { ...edit, assignee_id }, [issue.id])
    return {
      // `updated_at` never decreases.
      set: sql`assignee_id = ${assignee_id}, updated_at = greatest(i.updated_at, ${edit.now.toISOString()}::timestamptz)`,
      log: { kind: 'assignee', before: { assignee_id: issue.assignee_id }, after: { assignee_id } },
    }
  })
}

/** Records the event of assignments, and its deliveries. */
export const recordAssignments = (
  tx: Transaction,
  { by, request_id, assignee_id }: Pick<AssignmentInput, 'by' | 'request_id' | 'assignee_id'>,
  issueIds: readonly number[],
) =>
  recordEvents(
    tx,
    { type: 'issue.assigned', actor_id: by.id, payload: assignee_id === null ? {} : { assignee_id }, request_id },
    issueIds,
  )

/** Returns those of the issues on which the user may work. */
export async function findAssignable(tx: Transaction, issueIds: readonly number[], user_id: number): Promise<ReadonlySet<number>> {
  if (!isId(user_id)) return new Set()
  const memberships = sql`ARRAY(SELECT m.organization_id FROM organization_members m
    WHERE m.user_id = ${user_id} AND m.role::text = ANY(${[...rolesWith('work_on_issues')]}::text[]))`
  const issues = await tx.query(sql.type(IdRow)`
    SELECT i.id FROM issues i WHERE i.id = ANY(${issueIds}::integer[]) AND ${mayActForIssue(memberships)}`)
  return new Set(issues.map(({ id }) => id))
}
