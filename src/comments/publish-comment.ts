import Type, { type Static } from 'typebox'

import type { Reason } from '../content-policy/policy.ts'
import { addModerationItem } from '../content-policy/moderation-item-queries.ts'
import { join, type Sql, sql, type Transaction, Id, stringEnum, empty, type Queryable, prepared } from '../database/database.ts'
import { officialOrganization } from '../issue-lifecycle/access.ts'
import { type TransitionName } from '../issue-lifecycle/transitions.ts'
import { type Closing, type Status, statuses } from '../issue-lifecycle/status.ts'
import { appendToChangeLog, publicChange } from '../issue-lifecycle/version.ts'
import { insertDeliveries, insertEvent, OutboxDelivery, recordEvent } from '../outbox/queries.ts'
import { pointsFor } from '../users/rules.ts'

/** The earlier comments of a user, for `findAuthorAndCountDuplicates`. The user has the alias `u`. */
export const earlierComments = sql`
  SELECT c.created_at, c.comment AS text FROM comments c WHERE c.commenter_id = u.id`

interface NewCommentRow {
  readonly issue_id: number
  readonly commenter_id: number
  readonly comment: string
  readonly video_url: string | null
  readonly locale: string
  readonly device_id: string | null
  readonly created_at: Date
}

/** The SQL that inserts a comment on each issue with a row in `issue`. */
const insertComment = (row: Omit<NewCommentRow, 'issue_id'>, state: 'passed' | 'held', issue: Sql): Sql => sql`
  INSERT INTO comments (issue_id, commenter_id, comment, video_url, locale, device_id, moderation_state, created_at, updated_at, organization_id)
  SELECT issue.id, ${row.commenter_id}::integer, ${row.comment}::text, ${row.video_url}::text, ${row.locale}::text,
    ${row.device_id}::text, ${state}::moderation_state, ${row.created_at.toISOString()}::timestamptz, ${row.created_at.toISOString()}::timestamptz,
    (SELECT ${officialOrganization(sql`${row.commenter_id}::integer`, sql`organization.id`)} FROM issues i WHERE i.id = issue.id)
  FROM ${issue} issue
  RETURNING comments.id, comments.issue_id`

const InsertedRow = Type.Object({ id: Id, issue_id: Id })

/** Inserts a comment that waits for a review. It changes nothing public, but its author and its issue have changed. Requires `lockIssue`. */
async function insertHeldComment(tx: Transaction, row: NewCommentRow): Promise<number> {
  const [inserted] = await tx.query(sql.type(InsertedRow)`
    WITH issue AS (SELECT i.id FROM issues i WHERE i.id = ${row.issue_id}),
    revision AS (SELECT issue.id, revise_issue(issue.id, FALSE) FROM issue),
    author AS (UPDATE users u SET revision = u.revision + 1 WHERE u.id = ${row.commenter_id})
    ${insertComment(row, 'held', sql`revision`)}`)
  if (!inserted) throw new Error(`the issue ${row.issue_id} does not exist, although it is locked`)
  return inserted.id
}

export interface CommentPublication {
  readonly issue_id: number
  /** A new comment, or the id of a stored one. */
  readonly comment: Omit<NewCommentRow, 'issue_id'> | number
  readonly commenter_id: number | null
  /** The authorized transition of the issue; undefined for a plain comment. */
  readonly transition: AuthorizedTransition | undefined
  readonly now: Date
  readonly request_id?: string | undefined
  /** `users.revision` when the comment was checked. Nothing is written if the commenter has changed since. */
  readonly authorRevision?: number
}

interface AuthorizedTransition {
  readonly name: TransitionName
  readonly from: Status
  readonly to: Status
  /** It is present if `to` is Closed. */
  readonly closing?: Closing | undefined
}

const PublishedRow = Type.Object({
  id: Id,
  status: stringEnum(statuses),
  rating: Type.Integer(),
  deliveries: Type.Array(OutboxDelivery),
})

/** Time from a closing by staff to the question whether it is true. */
const ASK_AFTER_MS = 3 * 24 * 60 * 60 * 1000

const events = { open: 'issue.reopened', close: 'issue.closed', acknowledge: 'issue.acknowledged' } as const
const timestampColumns: Readonly<Record<TransitionName, Sql>> = {
  open: sql`reopened_at`,
  close: sql`closed_at`,
  acknowledge: sql`acknowledged_at`,
}

/** Publishes a comment. Returns undefined, and changes nothing, if one of the conditions of `publishOnIssues` is not met. */
export async function publishComment(
  db: Queryable,
  { issue_id, ...publication }: CommentPublication,
): Promise<Static<typeof PublishedRow> | undefined> {
  const [published] = await publishOnIssues(db, [issue_id], publication)
  return published
}

/**
 * Publishes a comment on each issue in one statement: it changes the issue and its status, adds the civic points and records one event. A comment with a
 * transition is not also recorded as `comment.added`. `updated_at` never decreases, even if clocks differ. Changes no issue that is not public or not in the
 * status `from`, and none if the commenter was deleted or has changed. Lock order: the commenter, then the issues by id.
 */
async function publishOnIssues(
  db: Queryable,
  issueIds: readonly number[],
  { comment, commenter_id, transition, now, request_id, authorRevision }: Omit<CommentPublication, 'issue_id'>,
): Promise<Static<typeof PublishedRow>[]> {
  const { outcome = null, passed_on_to = null, duplicate_of_id = null } = transition?.closing ?? {}
  const timestamp = sql`${now.toISOString()}::timestamptz`
  // Residents are not asked about their own closings.
  const isByStaff = transition?.to === 'Closed' && outcome !== 'reported_fixed'
  const askAt = isByStaff ? new Date(now.getTime() + ASK_AFTER_MS).toISOString() : null
  const actor_id = sql`${commenter_id}::integer`
  const isUnchanged = authorRevision === undefined ? empty : sql`AND u.revision = ${authorRevision}::bigint`
  const author = sql`author AS (SELECT u.id FROM users u WHERE u.id = ${actor_id} ${isUnchanged} FOR NO KEY UPDATE),`
  const event = transition
    ? insertEvent({
        type: events[transition.name],
        subject_id: sql`history.issue_id`,
        actor_id,
        payload: sql`jsonb_build_object('comment_id', history.comment_id, 'status_change_id', history.id)`,
        request_id,
        from: sql`history`,
      })
    : insertEvent({
        type: 'comment.added',
        subject_id: sql`comment.id`,
        actor_id,
        payload: sql`jsonb_build_object('issue_id', issue.id, 'comment_id', comment.id)`,
        request_id,
        from: sql`comment JOIN issue ON issue.id = comment.issue_id`,
      })
  return db.query(
    prepared(sql.type(PublishedRow)`
    WITH ${commenter_id === null ? empty : author}
    issue AS (
      UPDATE issues i SET updated_at = greatest(i.updated_at, ${timestamp}), ${publicChange}
        ${transition ? sql`, status = ${transition.to}::issue_status, version = i.version + 1, outcome = ${outcome}::text, ${timestampColumns[transition.name]} = ${timestamp}` : empty}
      ${commenter_id === null ? empty : sql`FROM author`}
      WHERE i.id IN (${join(issueIds)}) AND i.moderation_state = 'passed' ${transition ? sql`AND i.status = ${transition.from}::issue_status` : empty}
      RETURNING i.id, i.cell, i.status, i.rating, i.version),
    comment AS (${typeof comment === 'number' ? sql`SELECT ${comment}::integer AS id, issue.id AS issue_id FROM issue` : insertComment(comment, 'passed', sql`issue`)}),
    ${
      transition
        ? sql`history AS (
      INSERT INTO status_changes (issue_id, actor_id, comment_id, from_status, to_status, created_at, version, outcome, passed_on_to, duplicate_of_id, ask_at)
      SELECT issue.id, ${actor_id}, comment.id, ${transition.from}::issue_status, issue.status, ${timestamp}, issue.version,
        ${outcome}::text, ${passed_on_to}::text, (SELECT original.id FROM issues original WHERE original.id = ${duplicate_of_id}::integer), ${askAt}::timestamptz
      FROM issue JOIN comment ON comment.issue_id = issue.id
      RETURNING status_changes.id, status_changes.issue_id, status_changes.comment_id),`
        : sql`log AS (${appendToChangeLog}),`
    }
    actor AS (
      UPDATE users u SET civic_points = u.civic_points + ${pointsFor.comment}::integer * written.comments, revision = u.revision + 1, summary_revision = u.summary_revision + 1
      FROM (SELECT count(*)::integer AS comments FROM comment) written WHERE u.id = ${actor_id} AND written.comments > 0),
    event AS (${event}),
    delivery AS (${insertDeliveries(transition ? events[transition.name] : 'comment.added')})
    SELECT comment.id, issue.status, issue.rating, (
      SELECT coalesce(json_agg(json_build_object('event_id', d.event_id, 'handler', d.handler, 'requeues', d.requeues)), '[]') FROM delivery d
      JOIN event ON event.id = d.event_id AND event.subject_id = ${transition ? sql`issue.id` : sql`comment.id`}) AS deliveries
    FROM comment JOIN issue ON issue.id = comment.issue_id`),
  )
}

/** Publishes a comment in a transaction that has locked the commenter and the issue and checked both. */
export async function publishLocked(
  tx: Transaction,
  publication: CommentPublication,
): Promise<Omit<Static<typeof PublishedRow>, 'deliveries'>> {
  const [published] = await publishOnLockedIssues(tx, [publication.issue_id], publication)
  return published as Static<typeof PublishedRow>
}

/** Publishes a comment on each issue in a transaction that has locked the commenter and the issues and checked all. */
export async function publishOnLockedIssues(
  tx: Transaction,
  issueIds: readonly number[],
  publication: Omit<CommentPublication, 'issue_id'>,
): Promise<Static<typeof PublishedRow>[]> {
  const published = await publishOnIssues(tx, issueIds, publication)
  if (published.length < issueIds.length)
    throw new Error(`one of the issues ${issueIds.join(', ')} or the commenter has changed, although all are locked`)
  tx.deliveries.push(...published.flatMap(({ deliveries }) => deliveries))
  return published
}

interface HeldComment {
  readonly row: NewCommentRow
  readonly reasons: readonly Reason[]
  /** It is made when the comment is approved. */
  readonly transition?: TransitionName | undefined
  readonly closing?: Closing | undefined
  readonly request_id?: string
}

/** Stores a comment as held, puts it before the moderators and records its event. Requires `lockIssue`. */
export async function holdComment(
  tx: Transaction,
  { row, reasons, transition, closing, request_id }: HeldComment,
): Promise<number> {
  const { issue_id, commenter_id, comment, created_at } = row
  const id = await insertHeldComment(tx, row)
  await addModerationItem(tx, {
    subject_type: 'comment',
    subject_id: id,
    reasons,
    original: { comment, ...(closing?.passed_on_to ? { passed_on_to: closing.passed_on_to } : {}) },
    requested_transition: transition,
    requested_closing: closing,
    created_at,
  })
  await recordEvent(tx, {
    type: 'comment.held',
    subject_id: id,
    payload: { issue_id },
    actor_id: commenter_id,
    ...(request_id === undefined ? {} : { request_id }),
  })
  return id
}
