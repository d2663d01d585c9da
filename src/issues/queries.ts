import { type Queryable, type Sql, sql } from '../database/database.ts'
import type { Viewer } from '../http/access.ts'
import { limitOf, type Page } from '../http/pagination.ts'
import type { UserSummaryRow } from '../users/present.ts'
import { userSummary } from '../users/queries.ts'
import { conditions, type IssueFilter } from './filter.ts'
import { type Order, orderBy, sortKey } from './order.ts'
import type { Status } from './schema.ts'

export interface IssueRow {
  readonly id: number
  readonly status: Status
  readonly summary: string
  readonly description: string | null
  readonly category: string
  readonly rating: number
  readonly lng: number
  readonly lat: number
  readonly address: string | null
  readonly created_at: string
  readonly updated_at: string
  readonly acknowledged_at: string | null
  readonly closed_at: string | null
  readonly reopened_at: string | null
  readonly video_url: string | null
  readonly request_type_id: number | null
  readonly request_type_title: string | null
  readonly organization: string | null
  readonly reporter: UserSummaryRow | null
  readonly image: { readonly full: string; readonly square: string | null; readonly representative: string | null } | null
}

/** The columns of an issue that stand in the table itself. */
const ownColumns = sql`
  i.id, i.status, i.summary, i.description, i.category, i.rating, i.lng, i.lat, i.address, i.created_at, i.updated_at,
  i.acknowledged_at, i.closed_at, i.reopened_at, i.video_url, i.request_type_id`

/** Whether the caller works for the organisation of the request type `rt`, and so may know what is kept from the public. */
export function worksFor(viewer: Viewer | null): Sql {
  if (!viewer) return sql`FALSE`
  return viewer.isAdmin ? sql`TRUE` : sql`rt.organization_id = ANY(${viewer.organizationIds}::integer[])`
}

/** What is joined to an issue `i`: only after the page was cut, so that twenty rows are joined and not the whole area. */
const joined = (viewer: Viewer | null) => sql`
  LEFT JOIN request_types rt ON rt.id = i.request_type_id
  LEFT JOIN organizations o ON o.id = rt.organization_id
  LEFT JOIN users u ON u.id = i.reporter_id AND (NOT i.anonymous OR ${worksFor(viewer)})
  LEFT JOIN LATERAL (
    SELECT json_build_object('full', m.full_key, 'square', m.square_key, 'representative', m.representative_key) AS image
    FROM media m WHERE m.issue_id = i.id AND m.comment_id IS NULL ORDER BY m.id LIMIT 1) picture ON true`

const joinedColumns = sql`
  rt.title AS request_type_title, o.name AS organization, ${userSummary(sql`u`)} AS reporter, picture.image`

export interface IssuePage {
  readonly entries: number
  /** When anything that shows in an issue or a user last changed; null in an empty database. */
  readonly changedAt: string | null
  readonly issues: readonly IssueRow[]
}

/** A page and the exact number of rows over all pages, from one statement and thereby one snapshot. */
export async function listIssues(
  db: Queryable,
  filter: IssueFilter,
  order: Order,
  page: Page,
  viewer: Viewer | null,
): Promise<IssuePage> {
  const wanted = conditions(filter)
  const rows = await db.query<IssueRow & { entries: number; changed_at: string | null }>(sql`
    SELECT total.entries, total.changed_at, i.*, ${joinedColumns}
    FROM (
      SELECT count(*)::integer AS entries,
        greatest((SELECT max(c.changed_at) FROM issues c), (SELECT max(c.changed_at) FROM users c)) AS changed_at
      FROM issues i WHERE ${wanted}) total
    LEFT JOIN (
      SELECT ${ownColumns}, i.anonymous, i.reporter_id, ${sortKey(order)} AS sort_key
      FROM issues i
      WHERE ${wanted}
      ${orderBy(sql`sort_key`, order)}
      ${limitOf(page)}) i ON true
    ${joined(viewer)}
    ${orderBy(sql`i.sort_key`, order)}`)
  return { entries: rows[0]?.entries ?? 0, changedAt: rows[0]?.changed_at ?? null, issues: rows.filter((row) => row.id !== null) }
}

/** What is held or rejected exists for its reporter and for moderators only. */
function readable(viewer: Viewer | null): Sql {
  if (!viewer) return sql`i.moderation_state = 'passed'`
  return viewer.isModerator ? sql`TRUE` : sql`(i.moderation_state = 'passed' OR i.reporter_id = ${viewer.id})`
}

export async function findIssue(db: Queryable, id: number, viewer: Viewer | null): Promise<IssueRow | undefined> {
  const [issue] = await db.query<IssueRow>(sql`
    SELECT ${ownColumns}, ${joinedColumns}
    FROM issues i
    ${joined(viewer)}
    WHERE i.id = ${id} AND ${readable(viewer)}`)
  return issue
}

/** What the answer of one issue depends on, for a fraction of what the answer costs; undefined where there is none for the caller. */
export async function findIssueVersion(db: Queryable, id: number, viewer: Viewer | null): Promise<IssueVersion | undefined> {
  const [version] = await db.query<IssueVersion>(sql`
    SELECT i.revision, i.changed_at, people.revisions, people.changed_at AS people_changed_at, rt.title, o.name
    FROM issues i
    LEFT JOIN request_types rt ON rt.id = i.request_type_id
    LEFT JOIN organizations o ON o.id = rt.organization_id
    CROSS JOIN LATERAL (
      SELECT sum(u.revision)::bigint AS revisions, max(u.changed_at) AS changed_at
      FROM users u
      WHERE u.id IN (SELECT i.reporter_id UNION ALL SELECT i.assignee_id
                     UNION ALL SELECT c.commenter_id FROM comments c WHERE c.issue_id = i.id)) people
    WHERE i.id = ${id} AND ${readable(viewer)}`)
  return version
}

export interface IssueVersion {
  readonly revision: number
  readonly changed_at: string
  readonly revisions: number | null
  readonly people_changed_at: string | null
  readonly title: string | null
  readonly name: string | null
}

export async function isReadableIssue(db: Queryable, id: number, viewer: Viewer | null): Promise<boolean> {
  const rows = await db.query(sql`SELECT i.id FROM issues i WHERE i.id = ${id} AND ${readable(viewer)}`)
  return rows.length > 0
}
