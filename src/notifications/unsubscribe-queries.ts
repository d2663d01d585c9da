import { type Queryable, type Sql, sql, type Transaction } from '../database/database.ts'
import { type OwedEffect, recordEvent } from '../outbox/queries.ts'
import { addFollow, removeFollow } from '../follows/queries.ts'
import type { Subscription } from '../mail/unsubscribe-token.ts'

/** How it stands with what a link may end. */
export interface SubscriptionState {
  /** Of whoever got the mail; null where it went to an address that nobody had confirmed. */
  readonly user_id: number | null
  readonly locale: string | null
  /** Mails about issues and questions in general. */
  readonly issue_mails: boolean | null
  /** Null where the link is not of one issue, or that is gone. */
  readonly issue_id: number | null
  /** The same of one question. */
  readonly question_id: number | null
  /** The same of one watch area. */
  readonly watch_area_id: number | null
  /** Of the issue, the text of the question or the name of the area; null where it does not show, or has none. */
  readonly summary: string | null
  /** Mails about this issue, question or area were ended, and nothing has changed that. */
  readonly is_muted: boolean
  /** The address wants no mails from strangers. */
  readonly is_unwanted: boolean
}

/** Changes nothing. Undefined where whoever the link was for is gone. */
export async function findSubscription(db: Queryable, of: Subscription): Promise<SubscriptionState | undefined> {
  const [state] = await db.query<SubscriptionState>(statementOf(of))
  return state
}

function statementOf(of: Subscription): Sql {
  if (of.kind === 'address') return addressState(of)
  if (of.kind === 'watch') return watchState(of)
  return of.kind === 'question' ? questionState(of) : userState(of)
}

const userState = (of: Subscription & { readonly user_id: number }) => sql`
  SELECT u.id AS user_id, CASE WHEN i.reporter_id = u.id THEN i.locale ELSE u.locale END AS locale, u.issue_mails, i.id AS issue_id,
    NULL::integer AS question_id, NULL::integer AS watch_area_id, CASE WHEN i.moderation_state = 'passed' THEN i.summary END AS summary, FALSE AS is_unwanted,
    EXISTS (SELECT FROM issue_mutes m WHERE m.user_id = u.id AND m.issue_id = i.id)
      AND NOT EXISTS (SELECT FROM follows f WHERE f.user_id = u.id AND f.issue_id = i.id) AS is_muted
  FROM users u LEFT JOIN issues i ON i.id = ${of.kind === 'issue' ? of.issue_id : null}::integer
  WHERE u.id = ${of.user_id}`

const questionState = ({ user_id, question_id }: Subscription & { readonly kind: 'question' }) => sql`
  SELECT u.id AS user_id, CASE WHEN q.asker_id = u.id THEN q.locale ELSE u.locale END AS locale, u.issue_mails, NULL::integer AS issue_id,
    q.id AS question_id, NULL::integer AS watch_area_id, CASE WHEN q.moderation_state = 'passed' THEN q.question END AS summary, FALSE AS is_unwanted,
    EXISTS (SELECT FROM question_mutes m WHERE m.user_id = u.id AND m.question_id = q.id) AS is_muted
  FROM users u LEFT JOIN questions q ON q.id = ${question_id}
  WHERE u.id = ${user_id}`

const watchState = ({ user_id, watch_area_id }: Subscription & { readonly kind: 'watch' }) => sql`
  SELECT u.id AS user_id, coalesce(w.locale, u.locale) AS locale, u.issue_mails, NULL::integer AS issue_id, NULL::integer AS question_id,
    w.id AS watch_area_id, coalesce(w.name, p.name) AS summary, FALSE AS is_unwanted, coalesce(w.frequency = 'never', FALSE) AS is_muted
  FROM users u
  LEFT JOIN watch_areas w ON w.id = ${watch_area_id} AND w.user_id = u.id
  LEFT JOIN places p ON p.id = w.place_id
  WHERE u.id = ${user_id}`

/** Where somebody has confirmed the address since, it is about the mails to them. */
const addressState = ({ email_id, address_hash }: Subscription & { readonly kind: 'address' }) => sql`
  SELECT u.id AS user_id, u.locale, u.issue_mails, NULL::integer AS issue_id, NULL::integer AS question_id,
    NULL::integer AS watch_area_id, NULL::text AS summary, FALSE AS is_muted,
    EXISTS (SELECT FROM unwanted_addresses w WHERE w.address_hash = ${address_hash}) AS is_unwanted
  FROM (SELECT 1) always
  LEFT JOIN emails e ON e.id = ${email_id} AND e.confirmed_at IS NOT NULL
  LEFT JOIN users u ON u.id = e.user_id`

export interface OfIssue {
  readonly user_id: number
  readonly issue_id: number
}

/** No more mails about one issue: a follow ends, and nothing else that concerns it is mailed. Again, it is the same. */
export async function muteIssue(tx: Transaction, { user_id, issue_id }: OfIssue): Promise<OwedEffect[]> {
  await lockIssueRow(tx, issue_id)
  const was_following = await removeFollow(tx, { user_id, issue_id })
  await tx.query(sql`
    INSERT INTO issue_mutes AS m (user_id, issue_id, was_following)
    SELECT ${user_id}::integer, i.id, ${was_following} FROM issues i WHERE i.id = ${issue_id}
    ON CONFLICT (user_id, issue_id) DO UPDATE SET was_following = m.was_following OR EXCLUDED.was_following
    RETURNING m.user_id`)
  return was_following ? recordEvent(tx, { type: 'issue.unfollowed', subject_id: issue_id, actor_id: user_id }) : []
}

/** Takes that back, the follow with it, where there was one. */
export async function unmuteIssue(tx: Transaction, { user_id, issue_id }: OfIssue, at: Date): Promise<OwedEffect[]> {
  await lockIssueRow(tx, issue_id)
  const [ended] = await tx.query<{ was_following: boolean }>(sql`
    DELETE FROM issue_mutes m WHERE m.user_id = ${user_id} AND m.issue_id = ${issue_id} RETURNING m.was_following`)
  if (!ended?.was_following || !(await addFollow(tx, { user_id, issue_id, at }))) return []
  return recordEvent(tx, { type: 'issue.followed', subject_id: issue_id, actor_id: user_id })
}

/** No more mails about a question and its answers, or such mails again. Doing it again is the same. */
export async function setQuestionMute(
  tx: Transaction,
  { user_id, question_id }: { readonly user_id: number; readonly question_id: number },
  isMuted: boolean,
): Promise<void> {
  await tx.query(
    isMuted
      ? sql`INSERT INTO question_mutes (user_id, question_id) SELECT ${user_id}::integer, q.id FROM questions q WHERE q.id = ${question_id}
          ON CONFLICT DO NOTHING RETURNING question_mutes.user_id`
      : sql`DELETE FROM question_mutes m WHERE m.user_id = ${user_id} AND m.question_id = ${question_id} RETURNING m.user_id`,
  )
}

/** Whether mails about issues and questions go to a user at all. */
export async function setIssueMails(tx: Transaction, userId: number, issue_mails: boolean): Promise<void> {
  await tx.query(sql`
    UPDATE users u SET issue_mails = ${issue_mails} WHERE u.id = ${userId} AND u.issue_mails <> ${issue_mails} RETURNING u.id`)
}

/** Whether an address may be written to while nobody has confirmed it. */
export async function setUnwanted(tx: Transaction, address_hash: string, isUnwanted: boolean): Promise<void> {
  await tx.query(
    isUnwanted
      ? sql`INSERT INTO unwanted_addresses (address_hash) VALUES (${address_hash}) ON CONFLICT DO NOTHING
          RETURNING unwanted_addresses.address_hash`
      : sql`DELETE FROM unwanted_addresses w WHERE w.address_hash = ${address_hash} RETURNING w.address_hash`,
  )
}

/** The issue first, then people. */
const lockIssueRow = (tx: Transaction, id: number) => tx.query(sql`SELECT i.id FROM issues i WHERE i.id = ${id} FOR NO KEY UPDATE`)
