import type { FastifyRequest } from 'fastify'
import Type, { type Static } from 'typebox'

import type { Prisma } from '../../prisma/generated/client.ts'
import { Id, nullable, stringEnum, empty, type Queryable, type Sql, sql, type Transaction } from '../database/database.ts'
import { problems } from '../errors/problems.ts'
import { requireViewer } from '../http/auth/authentication.ts'
import { mayIn, organizationIdsWith } from '../http/identity/capabilities.ts'
import type { Capability } from '../http/identity/roles.ts'
import type { Viewer } from '../http/identity/viewer-queries.ts'
import { requireVersion } from '../http/request/version-header.ts'
import { text } from '../locales/texts.ts'
import { can, issueReadableBy, mayActForIssue } from './access.ts'
import { lockUser, NOT_PUBLIC } from './lock-issue.ts'
import { listLog, type LogKind, type LogSource, type LogValue } from './log-queries.ts'
import { moderationStates, statuses } from './status.ts'
import { publicChange } from './version.ts'

export interface IssueEdit {
  readonly issue_id: number
  readonly by: Viewer
  readonly capability: Capability
  /** The organisation in which the caller needs the capability. Without it, any that may act for the issue. */
  readonly organization_id?: number | undefined
  /** The version that the caller has read, or `any` for `If-Match: *`. */
  readonly version: number | 'any'
  readonly source: LogSource
  readonly now: Date
  readonly request_id: string
  readonly bulk_run_id?: number
  readonly batch?: EditBatch
}

/** Changes of many issues in one transaction, by a caller who is locked as they are. Their entries of the log are written at once at its end. */
export interface EditBatch {
  /** The issues that the caller may read, by id. They are as they were when they were locked, so that each is edited once. */
  readonly issues: ReadonlyMap<number, EditableIssue>
  readonly log: Prisma.IssueLogCreateManyInput[]
}

const EditableIssue = Type.Object({
  id: Id,
  status: stringEnum(statuses),
  moderation_state: stringEnum(moderationStates),
  version: Id,
  priority: Type.Integer(),
  request_type_id: nullable(Id),
  assignee_id: nullable(Id),
  may_edit: Type.Boolean(),
  /** The organisation for which the caller acts; null for an Admin who is no member. */
  acting_organization_id: nullable(Id),
})
export type EditableIssue = Static<typeof EditableIssue>

export interface EditResult {
  /** Assignments of UPDATE issues `i`, comma-separated. Without them the change is in another table. */
  readonly set?: Sql
  readonly log: { readonly kind: LogKind; readonly before: LogValue; readonly after: LogValue; readonly is_public?: boolean }
}

/**
 * Edits an issue as staff: locks the caller and the issue, compares the version, then updates the issue and adds to the log what `edit` returns.
 * Returns the locked issue as it was before. `edit` returns undefined if nothing changes.
 * @throws Problem 404 if the caller may not read the issue, 403 that names the missing capability, 422 `{base}` if the issue is not public,
 * 412 with the changes since the version if the issue has another one
 */
export async function editIssue(
  tx: Transaction,
  { issue_id, by, capability, organization_id, version, source, now, bulk_run_id, batch }: IssueEdit,
  edit: (issue: EditableIssue) => Promise<EditResult | undefined>,
): Promise<EditableIssue> {
  if (!batch) await lockUser(tx, by.id)
  const issues = batch?.issues ?? (await lockEditableIssues(tx, [issue_id], { by, capability, organization_id }))
  const issue = requireEditable(issues.get(issue_id), capability)
  if (version !== 'any' && version !== issue.version) {
    // Only staff of the issue may see its log.
    const changes = organization_id === undefined ? await listLog(tx, issue_id, { afterVersion: version, limit: CHANGES_MAX }) : []
    throw problems.versionChanged(issue.version, changes)
  }
  const result = await edit(issue)
  if (!result) return issue
  const isShown = result.set !== undefined && result.log.kind !== 'priority'
  // The revisions are raised here, because the trigger would need another UPDATE.
  const revisions = isShown ? publicChange : sql`all_changes_revision = i.all_changes_revision + 1`
  await tx.execute(sql`
    WITH issue AS (
      UPDATE issues i SET ${result.set ? sql`${result.set},` : empty} version = i.version + 1, ${revisions} WHERE i.id = ${issue_id}
      RETURNING i.id, i.cell, i.status)
    INSERT INTO issue_changes (issue_id, cell, former_status, status, revised)
    SELECT issue.id, issue.cell, issue.status, issue.status, ${isShown}::boolean FROM issue`)
  const { before, after, ...entry } = result.log
  const data = {
    ...entry,
    issue_id,
    ...(before && { before }),
    ...(after && { after }),
    version: issue.version + 1,
    actor_id: by.id,
    organization_id: issue.acting_organization_id,
    source,
    bulk_run_id: bulk_run_id ?? null,
    created_at: now,
  }
  if (batch) batch.log.push(data)
  else await tx.prisma.issueLog.create({ data })
  return issue
}

const Permission = Type.Object({ may: Type.Boolean() })

/** @throws Problem 404 if the caller may not read the issue, 403 that names the missing capability */
export async function requireIssueCapability(db: Queryable, id: number, by: Viewer, capability: Capability): Promise<void> {
  const [issue] = await db.query(sql.type(Permission)`
    SELECT ${can(by, capability)} AS may FROM issues i WHERE i.id = ${id} AND ${issueReadableBy(by)}`)
  if (!issue) throw problems.notFound('the_issue')
  if (!issue.may) throw problems.notPermitted(text('capability_missing', { capability }))
}

/** Changes that a 412 lists. */
const CHANGES_MAX = 20

/** Locks the issues that the caller may read, by id. Lock the caller before. */
export async function lockEditableIssues(
  tx: Transaction,
  ids: readonly number[],
  { by, capability, organization_id: organizationId }: Pick<IssueEdit, 'by' | 'capability' | 'organization_id'>,
): Promise<ReadonlyMap<number, EditableIssue>> {
  const mayEdit = organizationId === undefined ? can(by, capability) : sql`${mayIn(by, capability, organizationId)}::boolean`
  const organizationIds = organizationIdsWith(by, capability)
  const acting =
    organizationId === undefined
      ? sql`(SELECT min(o.id) FROM organizations o WHERE o.id = ANY(${organizationIds}::integer[]) AND ${mayActForIssue(sql`ARRAY[o.id]`)})`
      : sql`${organizationIds.includes(organizationId) ? organizationId : null}::integer`
  const issues = await tx.query(sql.type(EditableIssue)`
    SELECT i.id, i.status, i.moderation_state, i.version, i.priority, i.request_type_id, i.assignee_id, ${mayEdit} AS may_edit, ${acting} AS acting_organization_id
    FROM issues i WHERE i.id = ANY(${ids}::integer[]) AND ${issueReadableBy(by)} ORDER BY i.id FOR NO KEY UPDATE OF i`)
  return new Map(issues.map((issue) => [issue.id, issue]))
}

function requireEditable(issue: EditableIssue | undefined, capability: Capability): EditableIssue {
  if (!issue) throw problems.notFound('the_issue')
  if (!issue.may_edit) throw problems.notPermitted(text('capability_missing', { capability }))
  if (issue.moderation_state !== 'passed') throw problems.invalid({ base: NOT_PUBLIC })
  return issue
}

/** Returns who changes an issue by API, and the version that they have read. @throws Problem of `requireVersion` */
export const toEdit = (request: FastifyRequest, now: Date) => ({
  by: requireViewer(request),
  version: requireVersion(request),
  source: 'api' as const,
  now,
  request_id: request.id,
})

/**
 * Copies the times after which issues are late to `issues`, where indexes of lists have them. Run it after each change of `issue_targets`. The revision is
 * increased here, so that the trigger of `issues` does not update the row once more.
 * @param condition on issue `one`
 */
export const copyDueTimes = (condition: Sql): Sql => sql`
  UPDATE issues i SET acknowledge_due = due.acknowledge_due, close_due = due.close_due, all_changes_revision = i.all_changes_revision + 1
  FROM (
    SELECT one.id, CASE WHEN t.acknowledge_by >= t.paused_at THEN '9999-12-31 00:00:00+00' ELSE t.acknowledge_by END AS acknowledge_due,
      CASE WHEN t.close_by >= t.paused_at THEN '9999-12-31 00:00:00+00' ELSE t.close_by END AS close_due
    FROM issues one LEFT JOIN issue_targets t ON t.issue_id = one.id WHERE ${condition}) due
  WHERE due.id = i.id AND (i.acknowledge_due, i.close_due) IS DISTINCT FROM (due.acknowledge_due, due.close_due)`
