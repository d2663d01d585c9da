import type { Database } from '../database/database.ts'
import { organizationIdsWith } from '../http/identity/capabilities.ts'
import type { Viewer } from '../http/identity/viewer-queries.ts'
import type { Urls } from '../http/request/urls.ts'
import { type Colleague, listColleagues } from './assignments/colleague-queries.ts'
import type { StaffIssue } from './schema.ts'
import { listOfferedTemplates, type OfferedTemplate } from './templates/templates.ts'
import { findStaffIssue } from './staff-issue.ts'

const COLLEAGUES_MAX = 500

/** The staff side of a page: the issue, the choices of its forms, and the present names in its log. */
export interface StaffSide {
  readonly issue: StaffIssue
  readonly colleagues: readonly Colleague[]
  readonly types: readonly TypeChoice[]
  readonly templates: readonly OfferedTemplate[]
  readonly names: Readonly<Record<'users' | 'types' | 'organizations', ReadonlyMap<number, string>>>
}

export interface TypeChoice {
  readonly id: number
  readonly title: string
  readonly translations: unknown
}

/** Returns undefined if the caller lacks `read_issues` for the issue. */
export async function findStaffSide(db: Database, id: number, viewer: Viewer | null, urls: Urls): Promise<StaffSide | undefined> {
  if (!viewer || !(viewer.isAdmin || viewer.organizationIds.length > 0)) return undefined
  const issue = await findStaffIssue(db, id, viewer, urls)
  if (!issue) return undefined
  const mayWork = issue.capabilities.includes('work_on_issues')
  const [colleagues, types, templates, names] = await Promise.all([
    mayWork ? listColleagues(db, id, COLLEAGUES_MAX) : [],
    mayWork ? listTypeChoices(db, viewer, issue.request_type_id) : [],
    mayWork ? listOfferedTemplates(db, { viewer, issue }) : [],
    findNames(db, issue),
  ])
  return { issue, colleagues, types, templates, names }
}

/** Returns the active types of the issue's organisation, of the caller's and of the community. */
const listTypeChoices = ({ prisma }: Database, viewer: Viewer, requestTypeId: number | null): Promise<TypeChoice[]> =>
  prisma.requestType.findMany({
    where: {
      active: true,
      OR: [
        { organization_id: null },
        { organization_id: { in: organizationIdsWith(viewer, 'work_on_issues') } },
        { organization: { request_types: { some: { id: requestTypeId ?? 0 } } } },
      ],
    },
    select: { id: true, title: true, translations: true },
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
