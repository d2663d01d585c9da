import Type, { type Static } from 'typebox'
import { Count, Id, nullable, join, type Queryable, type Sql, sql, isOneOf } from '../../database/database.ts'
import { problems } from '../../errors/problems.ts'
import { type AreaLookup, dropOverriddenParameters } from '../../geo/area-query.ts'
import type { Viewer } from '../../http/identity/viewer-queries.ts'
import { type Page, queryParameters, toMetadata, toPage } from '../../http/lists/pagination.ts'
import { readTimestamp, failsWith } from '../../http/schema/fields.ts'
import { findIssueScope } from '../../issue-lifecycle/acting-organizations.ts'
import { parseIds } from '../../issues/list/filter.ts'
import type { Order } from '../../issues/list/statement.ts'
import { type ListRequest, type ParseCondition, parseListQuery } from '../../issues/list/read-list.ts'
import { text } from '../../locales/texts.ts'
import { dueAt, isLate } from '../targets/conditions.ts'
import { TargetColumns, targetColumns, toTarget } from '../targets/issue-target.ts'
import { NOTE_WORDS_MAX, type WorkIssue, type WorklistQuery, ListWorkQuery, WorkIssueList } from './schema.ts'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { requireLogin, requireViewer } from '../../http/auth/authentication.ts'
import { negotiateLanguage } from '../../http/formats/content-types.ts'
import { withInputTransform } from '../../http/validation/input-transforms.ts'
import { findListPage } from '../../issues/list/page.ts'
import { pickFields } from '../../issues/list/query.ts'
import { toIssue } from '../../issues/present.ts'
import { requireOrganizationCapability } from '../../organizations/queries.ts'
import { OrganizationParams } from '../../organizations/schema.ts'
import type { Services } from '../../services.ts'

export interface Worklist {
  readonly reader: Queryable
  readonly areas: AreaLookup
  readonly viewer: Viewer
  readonly organizationId: number
  readonly now: Date
  /** Returns another condition. */
  readonly parseCondition?: ParseCondition
}

/**
 * Returns the filter, order and page of the issues that the organisation may act for. Check the capability `read_issues` first.
 * @throws Problem 422 naming a parameter with a value that is not allowed
 */
export async function parseWorklist(worklist: Worklist, query: WorklistQuery, page: Page): Promise<ListRequest> {
  const { reader, areas, viewer, organizationId } = worklist
  const conditions = await parseConditions(worklist, query)
  const { sort, note, ...others } = query
  return parseListQuery(
    {
      reader,
      areas,
      scope: await findIssueScope(reader, organizationId),
      staffCondition: conditions.length > 0 ? join(conditions, ' AND ') : undefined,
      parseCondition: async (filter) => {
        const condition = await worklist.parseCondition?.(filter)
        const all = [...(note === undefined ? [] : [hasNoteWith(note)]), ...(condition ? [condition] : [])]
        return all.length > 0 ? join(all, ' AND ') : undefined
      },
      order: isStaffSort(sort) ? toOrder(sort, query.sort_direction) : undefined,
    },
    isStaffSort(sort) || sort === undefined ? others : { ...others, sort },
    page,
    viewer,
  )
}

async function parseConditions({ reader, viewer, now }: Worklist, query: WorklistQuery): Promise<Sql[]> {
  const { late, priority, assignee, number, waiting_since_before, outcome } = query
  const waitingBefore = waiting_since_before === undefined ? undefined : readTimestamp(waiting_since_before)
  return [
    ...(late
      ? [
          sql`(${join(
            late.map((kind) => isLate(kind, now)),
            ' OR ',
          )})`,
        ]
      : []),
    ...(priority ? [sql`i.priority = ANY(${priority.map(Number)}::smallint[])`] : []),
    ...(assignee === undefined ? [] : [await isAssignedTo(reader, assignee, viewer)]),
    ...(number === undefined ? [] : [sql`i.id = ${number}::integer`]),
    ...(waitingBefore === undefined
      ? []
      : [
          sql`i.status IN ('Open', 'Acknowledged') AND i.created_at < ${waitingBefore}::timestamptz
            AND greatest(i.created_at, i.reopened_at) < ${waitingBefore}::timestamptz`,
        ]),
    ...(outcome ? [sql`i.outcome = ANY(${outcome}::text[])`] : []),
  ]
}

async function isAssignedTo(reader: Queryable, assignee: string, viewer: Viewer): Promise<Sql> {
  if (assignee === 'none') return sql`i.assignee_id IS NULL`
  if (assignee === 'me') return sql`i.assignee_id = ${viewer.id}::integer`
  const { ids } = await parseIds(reader, 'users', [assignee], 'assignee')
  return sql`i.assignee_id = ANY(${ids}::integer[])`
}

function hasNoteWith(search: string): Sql {
  const words = search.normalize('NFC').match(/[\p{L}\p{N}\p{M}]+/gu) ?? []
  if (words.length > NOTE_WORDS_MAX) throw problems.invalid({ note: text('too_many_words', { max: NOTE_WORDS_MAX }) })
  const prefixes = words.map((word) => `${word}:*`).join(' & ')
  return sql`i.id IN (SELECT n.issue_id FROM issue_notes n WHERE n.search @@ to_tsquery('simple', ${prefixes}))`
}

const staffSorts = ['target', 'priority', 'age'] as const
type StaffSort = (typeof staffSorts)[number]
const isStaffSort = (sort: WorklistQuery['sort']): sort is StaffSort => staffSorts.some((one) => one === sort)

/** The oldest of equal priorities comes first: each step of the priority counts as a thousand years. The expression is that of issues_priority_idx. */
const priorityKey = sql`(((i.created_at AT TIME ZONE 'UTC') + (3 - i.priority) * interval '1000 years') AT TIME ZONE 'UTC')`

/** The default of `priority` is DESC, the most urgent first, where the key ascends. */
function toOrder(sort: StaffSort, direction: 'ASC' | 'DESC' | undefined): Order {
  switch (sort) {
    case 'age':
      return { by: 'created_at', direction: direction === 'ASC' ? 'DESC' : 'ASC' }
    case 'priority':
      return { by: 'computed', direction: direction === 'ASC' ? 'DESC' : 'ASC', key: priorityKey }
    case 'target':
      return { by: 'computed', direction: direction ?? 'ASC', key: dueAt }
  }
}

const WorkRow = Type.Object({
  id: Id,
  version: Id,
  priority: Type.Integer(),
  vote_count: Count,
  notes_count: Count,
  assignee: nullable(Type.Object({ id: Id, name: Type.String() })),
  ...TargetColumns,
  has_target: Type.Boolean(),
})
export type WorkRow = Static<typeof WorkRow>

/** Returns what only staff see of these issues in a list. */
export async function listWorkRows(db: Queryable, ids: readonly number[]): Promise<ReadonlyMap<number, WorkRow>> {
  const rows = await db.query(sql.type(WorkRow)`
    SELECT i.id, i.version, i.priority, i.vote_count, ${targetColumns}, target.issue_id IS NOT NULL AS has_target,
      (SELECT json_build_object('id', u.id, 'name', u.name) FROM users u WHERE u.id = i.assignee_id) AS assignee,
      (SELECT count(*)::integer FROM issue_notes n WHERE n.issue_id = i.id) AS notes_count
    FROM issues i LEFT JOIN issue_targets target ON target.issue_id = i.id
    WHERE ${isOneOf(sql`i.id`, ids)}`)
  return new Map(rows.map((row) => [row.id, row]))
}

/** Returns the fields that the list of staff adds to an issue. */
export function toWorkFields(
  row: WorkRow,
  now: Date,
): Pick<WorkIssue, 'version' | 'priority' | 'assignee' | 'vote_count' | 'notes_count' | 'target'> {
  const { version, priority, assignee, vote_count, notes_count, has_target } = row
  return { version, priority, assignee, vote_count, notes_count, target: has_target ? toTarget(row, now) : null }
}

export const worklistRoutes: FastifyPluginAsyncTypebox<Services> = async (app, { db, areas, urls, clock }) => {
  app.get(
    '/organizations/:id/issues',
    {
      onRequest: requireLogin,
      validatorCompiler: withInputTransform(app, 'querystring', dropOverriddenParameters),
      schema: {
        operationId: 'listWork',
        summary: 'List the issues of an organisation for its staff',
        description:
          'The issues that the organisation may act for: those of its request types, and those of the community in its area. Areas, filters and paging are those of `GET /issues`. Needs the capability `read_issues`.',
        tags: ['Staff'],
        params: OrganizationParams,
        querystring: ListWorkQuery,
        response: { 200: WorkIssueList, ...failsWith(404, 422) },
      },
    },
    async (request, reply) => {
      const viewer = requireViewer(request)
      const organizationId = request.params.id
      await requireOrganizationCapability(db, organizationId, viewer, 'read_issues')
      const now = clock()
      const language = negotiateLanguage(request)
      const listRequest = await parseWorklist(
        { reader: db, areas, viewer, organizationId, now },
        request.query,
        toPage(request.query),
      )
      const { filter, order, page } = listRequest
      const { entries, issues } = await findListPage(db, { filter, order, pagePosition: page, viewer })
      const rows = await listWorkRows(
        db,
        issues.map(({ id }) => id),
      )
      void reply.header('content-language', language)
      const fields = request.query['fields[issue]']
      const list = {
        metadata: toMetadata(urls, `/organizations/${organizationId}/issues`, queryParameters(request), page, entries),
        issues: issues.flatMap((issue) => {
          const row = rows.get(issue.id)
          return row ? [{ ...toIssue(issue, urls, language), ...toWorkFields(row, now) }] : []
        }),
        errors: {},
      }
      if (!fields) return list
      return reply.type('application/json').send(JSON.stringify({ ...list, issues: pickFields(list.issues, fields) }) as never)
    },
  )
}
