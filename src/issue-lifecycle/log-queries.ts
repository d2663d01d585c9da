import Type, { type Static } from 'typebox'

import { Id, nullable, Timestamp, type Queryable, sql, prepared } from '../database/database.ts'

/** The kinds of changes by staff. `status` is in the table status_changes, all others are in issue_log. */
export type LogKind = 'merge' | 'assignee' | 'priority' | 'type' | 'transfer' | 'target' | 'report'
export type LogSource = 'web' | 'api' | 'open311' | 'job'
/** Ids and values before and after a change. Names are left out, because they change and people may be erased. */
export type LogValue = Readonly<Record<string, string | number | boolean | null>> | null

const Value = nullable(Type.Unsafe<NonNullable<LogValue>>({ type: 'object' }))

const LogRow = Type.Object({
  kind: Type.String(),
  /** Null for changes of the status before versions were counted. */
  version: nullable(Id),
  at: Timestamp,
  /** Null for automatic changes and deleted users. */
  actor: nullable(Type.Object({ id: Id, name: Type.String() })),
  /** The name of the organisation for which the actor acted. */
  organization: nullable(Type.String()),
  before: Value,
  after: Value,
  is_public: Type.Boolean(),
  source: nullable(Type.String()),
})
type LogRow = Static<typeof LogRow>

/** Returns the newest changes of an issue by status and by staff, newest first. Only staff of the issue may see them. */
export function listLog(
  db: Queryable,
  issueId: number,
  { afterVersion = 0, limit }: { readonly afterVersion?: number; readonly limit: number },
): Promise<LogRow[]> {
  return db.query(
    prepared(sql.type(LogRow)`
    SELECT entry.kind, entry.version, entry.at,
      CASE WHEN u.id IS NOT NULL THEN json_build_object('id', u.id, 'name', u.name) END AS actor, o.name AS organization,
      entry.before, entry.after, entry.is_public, entry.source
    FROM (
      SELECT l.kind, l.version, l.created_at AS at, l.actor_id, l.organization_id, l.before, l.after, l.is_public, l.source, l.id
      FROM issue_log l WHERE l.issue_id = ${issueId} AND l.version > ${afterVersion}::integer
      UNION ALL
      SELECT 'status', s.version, s.created_at, s.actor_id, NULL, jsonb_build_object('status', s.from_status),
        jsonb_build_object('status', s.to_status, 'comment_id', s.comment_id)
          || jsonb_strip_nulls(jsonb_build_object('outcome', s.outcome, 'passed_on_to', s.passed_on_to, 'duplicate_of', s.duplicate_of_id)), TRUE, NULL, s.id
      FROM status_changes s
      WHERE s.issue_id = ${issueId} AND s.from_status IS NOT NULL AND coalesce(s.version, 1) > ${afterVersion}::integer) entry
    LEFT JOIN users u ON u.id = entry.actor_id
    LEFT JOIN organizations o ON o.id = entry.organization_id
    ORDER BY entry.at DESC, entry.version DESC NULLS LAST, entry.kind, entry.id DESC
    LIMIT ${limit}::integer`),
  )
}
