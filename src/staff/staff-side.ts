import type { Prisma } from '../../prisma/generated/client.ts'
import type { Database } from '../database/database.ts'
import { organizationIdsWith } from '../http/identity/capabilities.ts'
import type { Viewer } from '../http/identity/viewer-queries.ts'
import type { Urls } from '../http/request/urls.ts'
import { type Colleague, listColleagues } from './assignments.ts'
import type { StaffIssue } from './schema.ts'
import { listOfferedTemplates, type OfferedTemplate } from './templates.ts'
import { findStaffIssue } from './staff-issue.ts'
import { findOpenTransfer, listReceivers, type Receiver, type TransferRow } from './transfers/queries.ts'
import { mayAnswerFor, maySeeTransfer } from './transfers/transfer.ts'

const COLLEAGUES_MAX = 500

/** The staff side of a page: the issue, the choices of its forms, and the present names in its log. */
export interface StaffSide {
  readonly issue: StaffIssue
  readonly colleagues: readonly Colleague[]
  readonly types: readonly TypeChoice[]
  readonly templates: readonly OfferedTemplate[]
  /** The organisations to which the issue can be offered. */
  readonly receivers: readonly Receiver[]
  /** The issue into which this one is merged. */
  readonly merged_into: number | null
  readonly names: Readonly<Record<'users' | 'types' | 'organizations', ReadonlyMap<number, string>>>
}

export interface TypeChoice {
  readonly id: number
  readonly title: string
  readonly translations: unknown
  readonly is_other: boolean
  readonly organization: { readonly name: string } | null
}

/** Returns undefined if the caller lacks `read_issues` for the issue. */
export async function findStaffSide(db: Database, id: number, viewer: Viewer | null, urls: Urls): Promise<StaffSide | undefined> {
  if (!isStaff(viewer)) return undefined
  const issue = await findStaffIssue(db, id, viewer, urls)
  if (!issue) return undefined
  const mayWork = issue.capabilities.includes('work_on_issues')
  const [colleagues, types, templates, receivers, merge, names] = await Promise.all([
    mayWork ? listColleagues(db, id, COLLEAGUES_MAX) : [],
    mayWork ? listTypeChoices(db, viewer, issue.request_type_id) : [],
    mayWork ? listOfferedTemplates(db, { viewer, issue }) : [],
    mayWork ? listReceivers(db, [id]) : [],
    db.prisma.issueMerge.findFirst({ where: { issue_id: id, undone_at: null }, select: { into_id: true } }),
    findNames(db, issue),
  ])
  return { issue, colleagues, types, templates, receivers, merged_into: merge?.into_id ?? null, names }
}

const isStaff = (viewer: Viewer | null): viewer is Viewer =>
  viewer !== null && (viewer.isAdmin || viewer.organizationIds.length > 0)

/** The open offer of an issue, as the members of both organisations see it. */
export interface OfferSide {
  readonly transfer: TransferRow
  readonly mayAnswer: boolean
  readonly mayWithdraw: boolean
  /** The types that the receiver can give it. */
  readonly types: readonly TypeChoice[]
}

/** Returns undefined without an open offer, and to callers who are no member of one of its organisations. */
export async function findOfferSide(db: Database, id: number, viewer: Viewer | null): Promise<OfferSide | undefined> {
  if (!isStaff(viewer)) return undefined
  const transfer = await findOpenTransfer(db, id)
  if (!transfer || !maySeeTransfer(transfer, viewer)) return undefined
  const mayAnswer = mayAnswerFor(viewer, transfer.to.id)
  const mayWithdraw = mayAnswerFor(viewer, transfer.from?.id ?? null)
  return { transfer, mayAnswer, mayWithdraw, types: mayAnswer ? await listTypes(db, { organization_id: transfer.to.id }) : [] }
}

/** Returns the active types of the issue's organisation, of the caller's and of the community. */
const listTypeChoices = (db: Database, viewer: Viewer, requestTypeId: number | null): Promise<TypeChoice[]> =>
  listTypes(db, {
    OR: [
      { organization_id: null },
      { organization_id: { in: organizationIdsWith(viewer, 'work_on_issues') } },
      { organization: { request_types: { some: { id: requestTypeId ?? 0 } } } },
    ],
  })

/** Returns the active types of a choice, by title. */
export const listTypes = ({ prisma }: Database, where: Prisma.RequestTypeWhereInput): Promise<TypeChoice[]> =>
  prisma.requestType.findMany({
    where: { active: true, ...where },
    select: { id: true, title: true, translations: true, is_other: true, organization: { select: { name: true } } },
    orderBy: [{ title: 'asc' }, { id: 'asc' }],
  })

/** The log has ids, so that it names users, types and organisations as they are called now. */
async function findNames({ prisma }: Database, { log }: StaffIssue) {
  const ids = (key: 'assignee_id' | 'request_type_id' | 'organization_id') =>
    log.flatMap(({ before, after }) =>
      [before, after].map((values) => Number((values as Record<string, unknown> | null)?.[key] ?? 0)),
    )
  const [users, types, organizations] = await Promise.all([
    prisma.user.findMany({ where: { id: { in: ids('assignee_id') } }, select: { id: true, name: true } }),
    prisma.requestType.findMany({ where: { id: { in: ids('request_type_id') } }, select: { id: true, title: true } }),
    prisma.organization.findMany({ where: { id: { in: ids('organization_id') } }, select: { id: true, name: true } }),
  ])
  return {
    users: new Map(users.map(({ id, name }) => [id, name])),
    types: new Map(types.map(({ id, title }) => [id, title])),
    organizations: new Map(organizations.map(({ id, name }) => [id, name])),
  }
}
