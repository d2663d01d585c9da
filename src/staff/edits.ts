import Type, { type Static } from 'typebox'

import { Id, nullable, type Queryable, sql, type Transaction } from '../database/database.ts'
import { problems } from '../errors/problems.ts'
import { isId } from '../http/schema/fields.ts'
import { editIssue, type IssueEdit } from '../issue-lifecycle/edit-issue.ts'
import { text } from '../locales/texts.ts'
import { endOffers } from './transfers/queries.ts'
import { createOffer } from './transfers/transfer.ts'
import { updateTargets } from './targets/update-targets.ts'

/** Sets the priority, from 0 (low) to 3 (urgent). Only staff see it. @throws Problem of `editIssue` */
export async function setPriority(
  tx: Transaction,
  { priority, ...edit }: Omit<IssueEdit, 'capability'> & { readonly priority: number },
): Promise<void> {
  await editIssue(tx, { ...edit, capability: 'work_on_issues' }, async (issue) =>
    issue.priority === priority
      ? undefined
      : {
          set: sql`priority = ${priority}::smallint`,
          log: { kind: 'priority', before: { priority: issue.priority }, after: { priority } },
        },
  )
}

const NewType = Type.Object({
  id: Id,
  category: Type.String(),
  organization_id: nullable(Id),
  is_same_organization: Type.Boolean(),
})

/**
 * Changes the request type, null for `other`. Answers to the questions of the former type stay. For a type of another organisation the issue is offered to it,
 * and the id of the transfer is returned.
 * @throws Problem of `editIssue` and `createOffer`, 422 `{request_type_id}` for a type that does not exist or is retired
 */
export async function changeType(
  tx: Transaction,
  {
    request_type_id,
    reason,
    mayOffer = true,
    ...edit
  }: Omit<IssueEdit, 'capability'> & {
    readonly request_type_id: number | null
    readonly reason?: string | undefined
    readonly mayOffer?: boolean
  },
): Promise<number | null> {
  let transferId: number | null = null
  await editIssue(tx, { ...edit, capability: 'work_on_issues' }, async (issue) => {
    if (issue.request_type_id === request_type_id) return undefined
    const type =
      request_type_id === null
        ? COMMUNITY
        : await findType(tx, request_type_id, issue.request_type_id, issue.acting_organization_id)
    if (!type) throw problems.invalid({ request_type_id: text('request_type_unknown') })
    if (!type.is_same_organization && type.organization_id !== null && request_type_id !== null) {
      if (!mayOffer) throw problems.invalid({ request_type_id: text('request_type_of_others') })
      const offer = { organization_id: type.organization_id, request_type_id, reason }
      const { id, result } = await createOffer(tx, issue, { ...edit, offer })
      transferId = id
      return result
    }
    await endOffers(tx, issue.id, edit.now)
    return {
      set: sql`request_type_id = ${request_type_id}::integer, category = ${type.category}::text,
        updated_at = greatest(i.updated_at, ${edit.now.toISOString()}::timestamptz)`,
      log: { kind: 'type', before: { request_type_id: issue.request_type_id }, after: { request_type_id }, is_public: true },
    }
  })
  await updateTargets(tx, [edit.issue_id])
  return transferId
}

const COMMUNITY = { category: 'other', organization_id: null, is_same_organization: true } as const

async function findType(
  db: Queryable,
  id: number,
  formerTypeId: number | null,
  actingOrganizationId: number | null,
): Promise<Static<typeof NewType> | undefined> {
  if (!isId(id)) return undefined
  const [type] = await db.query(sql.type(NewType)`
    SELECT rt.id, rt.category, rt.organization_id,
      rt.organization_id IS NULL OR rt.organization_id IS NOT DISTINCT FROM ${actingOrganizationId}::integer
        OR rt.organization_id IS NOT DISTINCT FROM (SELECT former.organization_id FROM request_types former WHERE former.id = ${formerTypeId}::integer)
        AS is_same_organization
    FROM request_types rt WHERE rt.id = ${id} AND rt.active`)
  return type
}
