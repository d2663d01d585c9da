import Type, { type Static } from 'typebox'

import type { Queryable, PrismaHandle } from '../database/database.ts'
import { problems } from '../errors/problems.ts'
import type { AddedColumns } from '../gis/downloads/feature-tables.ts'
import { parseConditions } from '../gis/query.ts'
import { mayIn } from '../http/identity/capabilities.ts'
import type { Viewer } from '../http/identity/viewer-queries.ts'
import { nullable } from '../http/schema/fields.ts'
import type { IssueFilter } from '../issues/list/filter.ts'
import { text } from '../locales/texts.ts'
import { requireOrganizationCapability } from '../organizations/queries.ts'
import { toWorkFields, listWorkRows, parseWorklist, type Worklist } from '../staff/worklist/worklist.ts'
import { WorkIssue, WorkTarget } from '../staff/worklist/schema.ts'
import { type IssueExportQuery, staffFilters } from './schema.ts'

/** Columns that only staff see. */
const { version, priority, notes_count } = WorkIssue.properties
const { reason: target_reason, state: _state, ...times } = WorkTarget.properties
const staffProperties = { version, priority, notes_count, ...times, target_reason }
const personProperties = { assignee: nullable(Type.String({ description: 'The name of the employee in charge.' })) }
export const StaffColumns = Type.Partial(Type.Object({ ...staffProperties, ...personProperties }))

/**
 * Returns the filter of a download for the staff of one organisation, which selects from the issues that it may act for; undefined for the file that all callers get.
 * @throws Problem 401 or 403 without `read_issues` there, or without `manage_organization` for names of people, 422 naming a parameter
 */
export async function parseStaffQuery(
  { db, areas, now }: Pick<Worklist, 'areas' | 'now'> & { readonly db: Queryable & PrismaHandle },
  query: Static<typeof IssueExportQuery>,
  viewer: Viewer | null,
): Promise<IssueFilter | undefined> {
  const { organization_id: ids = [], people, ...conditions } = query
  const organizationId = ids.length === 1 ? Number(ids[0]) : undefined
  const isForStaff = Object.keys(staffFilters).some((name) => name in query)
  if (!isForStaff && (organizationId === undefined || !mayIn(viewer, 'read_issues', organizationId))) return undefined
  if (organizationId === undefined) throw problems.invalid({ organization_id: text('one_organization') })
  if (!viewer) throw problems.loginNeeded()
  await requireOrganizationCapability(db, organizationId, viewer, people ? 'manage_organization' : 'read_issues')
  const { filter } = await parseWorklist(
    {
      ...{ reader: db, areas, viewer, organizationId, now },
      parseCondition: (parsed) => parseConditions({ reader: db, areas }, conditions, parsed),
    },
    conditions,
    { page: 1, perPage: 1 },
  )
  return filter
}

/** @param people whether the file names the employees in charge */
export const staffColumns = (now: Date, people = false): AddedColumns => ({
  properties: { ...staffProperties, ...(people && personProperties) },
  read: async (snapshot, ids) => {
    const rows = await listWorkRows(snapshot, ids)
    return new Map(
      [...rows].map(([id, row]) => {
        const { target, assignee, ...fields } = toWorkFields(row, now)
        return [id, { ...fields, ...target, target_reason: target?.reason ?? null, assignee: assignee?.name ?? null }]
      }),
    )
  },
})
