import Type, { type Static } from 'typebox'

import { Id, nullable, type Queryable, type Sql, sql, type Transaction } from '../database/database.ts'
import { lockUser } from '../issue-lifecycle/lock-issue.ts'
import { recordEvent } from '../outbox/queries.ts'
import { addFollow, removeFollow, removeMute } from '../follows/follow.ts'
import { emailAddressHash, type Subscription } from '../mail/unsubscribe-token.ts'

const SubscriptionState = Type.Object({
  user_id: nullable(Id),
  locale: nullable(Type.String()),
  issue_mails: nullable(Type.Boolean()),
  issue_id: nullable(Id),
  question_id: nullable(Id),
  watch_area_id: nullable(Id),
  summary: nullable(Type.String()),
  is_muted: Type.Boolean(),
  is_opted_out: Type.Boolean(),
})
export type SubscriptionState = Static<typeof SubscriptionState>

/** Reads the state without changing it. Returns undefined if the account or address of the link was deleted. */
export async function findSubscription(db: Queryable, subscription: Subscription): Promise<SubscriptionState | undefined> {
  const [state] = await db.query(sql.type(SubscriptionState)`${stateQuery(subscription)}`)
  return state
}

function stateQuery(subscription: Subscription): Sql {
  if (subscription.kind === 'address') return emailAddressQuery(subscription)
  if (subscription.kind === 'draft') return draftQuery(subscription)
  if (subscription.kind === 'watch') return watchAreaQuery(subscription)
  if (subscription.kind === 'work') return workQuery(subscription)
  if (subscription.kind === 'inbox') return inboxQuery(subscription)
  return subscription.kind === 'question' ? questionQuery(subscription) : userQuery(subscription)
}

/** `is_muted` also reads the follow, because older versions kept the mute of a user who followed again. */
const userQuery = (subscription: Subscription & { readonly user_id: number }) => sql`
  SELECT u.id AS user_id, CASE WHEN i.reporter_id = u.id THEN i.locale ELSE u.locale END AS locale, u.issue_mails, i.id AS issue_id,
    NULL::integer AS question_id, NULL::integer AS watch_area_id, CASE WHEN i.moderation_state = 'passed' THEN i.summary END AS summary, FALSE AS is_opted_out,
    EXISTS (SELECT FROM issue_mutes m WHERE m.user_id = u.id AND m.issue_id = i.id)
      AND NOT EXISTS (SELECT FROM follows f WHERE f.user_id = u.id AND f.issue_id = i.id) AS is_muted
  FROM users u LEFT JOIN issues i ON i.id = ${subscription.kind === 'issue' ? subscription.issue_id : null}::integer
  WHERE u.id = ${subscription.user_id}`

const questionQuery = ({ user_id, question_id }: Subscription & { readonly kind: 'question' }) => sql`
  SELECT u.id AS user_id, CASE WHEN q.asker_id = u.id THEN q.locale ELSE u.locale END AS locale, u.issue_mails, NULL::integer AS issue_id,
    q.id AS question_id, NULL::integer AS watch_area_id, CASE WHEN q.moderation_state = 'passed' THEN q.question END AS summary, FALSE AS is_opted_out,
    EXISTS (SELECT FROM question_mutes m WHERE m.user_id = u.id AND m.question_id = q.id) AS is_muted
  FROM users u LEFT JOIN questions q ON q.id = ${question_id}
  WHERE u.id = ${user_id}`

const watchAreaQuery = ({ user_id, watch_area_id }: Subscription & { readonly kind: 'watch' }) => sql`
  SELECT u.id AS user_id, coalesce(w.locale, u.locale) AS locale, u.issue_mails, NULL::integer AS issue_id, NULL::integer AS question_id,
    w.id AS watch_area_id, coalesce(w.name, p.name) AS summary, FALSE AS is_opted_out, coalesce(w.frequency = 'never', FALSE) AS is_muted
  FROM users u
  LEFT JOIN watch_areas w ON w.id = ${watch_area_id} AND w.user_id = u.id
  LEFT JOIN places p ON p.id = w.place_id
  WHERE u.id = ${user_id}`

/** The summary is the name of the organisation. */
const workQuery = ({ user_id, organization_id }: Subscription & { readonly kind: 'work' }) => sql`
  SELECT u.id AS user_id, u.locale, u.issue_mails, NULL::integer AS issue_id, NULL::integer AS question_id, NULL::integer AS watch_area_id,
    o.name AS summary, FALSE AS is_opted_out, m.daily_mail IS NOT TRUE AS is_muted
  FROM users u
  JOIN organizations o ON o.id = ${organization_id}
  LEFT JOIN organization_members m ON m.organization_id = o.id AND m.user_id = u.id
  WHERE u.id = ${user_id}`

const inboxQuery = ({ organization_id, address_hash }: Subscription & { readonly kind: 'inbox' }) => sql`
  SELECT NULL::integer AS user_id, o.language AS locale, NULL::boolean AS issue_mails, NULL::integer AS issue_id, NULL::integer AS question_id,
    NULL::integer AS watch_area_id, o.name AS summary, FALSE AS is_opted_out,
    ${emailAddressHash(sql`o.inbox_email`)} IS DISTINCT FROM ${address_hash} AS is_muted
  FROM organizations o WHERE o.id = ${organization_id}`

/** If the address was confirmed since, the link is about all mails to its account. */
const emailAddressQuery = ({ email_address_id, address_hash }: Subscription & { readonly kind: 'address' }) => sql`
  SELECT u.id AS user_id, u.locale, u.issue_mails, NULL::integer AS issue_id, NULL::integer AS question_id,
    NULL::integer AS watch_area_id, NULL::text AS summary, FALSE AS is_muted,
    EXISTS (SELECT FROM suppressed_addresses s WHERE s.address_hash = ${address_hash}) AS is_opted_out
  FROM (SELECT 1) always
  LEFT JOIN email_addresses e ON e.id = ${email_address_id} AND e.confirmed_at IS NOT NULL
  LEFT JOIN users u ON u.id = e.user_id`

/** The accounts are not read, because the link must not reveal whether the address has one. */
const draftQuery = ({ locale, address_hash }: Subscription & { readonly kind: 'draft' }) => sql`
  SELECT NULL::integer AS user_id, ${locale}::text AS locale, NULL::boolean AS issue_mails, NULL::integer AS issue_id,
    NULL::integer AS question_id, NULL::integer AS watch_area_id, NULL::text AS summary, FALSE AS is_muted,
    EXISTS (SELECT FROM draft_mail_opt_outs o WHERE o.address_hash = ${address_hash}) AS is_opted_out`

interface IssueSubscription {
  readonly user_id: number
  readonly issue_id: number
}

/** Ends all mails about one issue and unfollows it. Idempotent. */
export async function muteIssue(tx: Transaction, { user_id, issue_id }: IssueSubscription): Promise<void> {
  await lockRows(tx, { user_id, issue_id })
  const was_following = await removeFollow(tx, { user_id, issue_id })
  await tx.execute(sql`
    INSERT INTO issue_mutes AS m (user_id, issue_id, was_following)
    SELECT ${user_id}::integer, i.id, ${was_following} FROM issues i WHERE i.id = ${issue_id}
    ON CONFLICT (user_id, issue_id) DO UPDATE SET was_following = m.was_following OR EXCLUDED.was_following`)
  if (was_following) await recordEvent(tx, { type: 'issue.unfollowed', subject_id: issue_id, actor_id: user_id })
}

/** Restores the follow if `muteIssue` ended one. */
export async function unmuteIssue(tx: Transaction, { user_id, issue_id }: IssueSubscription, at: Date): Promise<void> {
  await lockRows(tx, { user_id, issue_id })
  const where = { user_id, issue_id }
  const mute = await tx.prisma.issueMute.findUnique({ where: { user_id_issue_id: where }, select: { was_following: true } })
  await removeMute(tx, where)
  if (!mute?.was_following || !(await addFollow(tx, { user_id, issue_id, created_at: at }))) return
  return recordEvent(tx, { type: 'issue.followed', subject_id: issue_id, actor_id: user_id })
}

/** Switches the mails about a question and its answers off or on. Idempotent. */
export async function setQuestionMute(
  tx: Transaction,
  { user_id, question_id }: { readonly user_id: number; readonly question_id: number },
  isMuted: boolean,
): Promise<void> {
  if (!isMuted) {
    await tx.prisma.questionMute.deleteMany({ where: { user_id, question_id } })
    return
  }
  await tx.execute(sql`
    INSERT INTO question_mutes (user_id, question_id)
    SELECT ${user_id}::integer, q.id
    FROM questions q
    WHERE q.id = ${question_id}
    ON CONFLICT DO NOTHING`)
}

export async function setIssueMails(tx: Transaction, userId: number, issue_mails: boolean): Promise<void> {
  await tx.prisma.user.updateMany({ where: { id: userId, issue_mails: !issue_mails }, data: { issue_mails } })
}

/** Switches the daily mail of an organisation on or off. Returns false if the user is no member. */
export async function setDailyMail(
  tx: Transaction,
  where: { readonly user_id: number; readonly organization_id: number },
  daily_mail: boolean,
): Promise<boolean> {
  const { count } = await tx.prisma.organizationMember.updateMany({ where, data: { daily_mail } })
  return count > 0
}

/** Removes the inbox address of an organisation, unless it has another one by now. */
export async function removeInbox(
  tx: Transaction,
  { organization_id, address_hash }: Subscription & { readonly kind: 'inbox' },
): Promise<void> {
  await tx.execute(sql`
    UPDATE organizations o SET inbox_email = NULL WHERE o.id = ${organization_id} AND ${emailAddressHash(sql`o.inbox_email`)} = ${address_hash}`)
}

export async function setEmailAddressOptOut(tx: Transaction, address_hash: string, isOptedOut: boolean): Promise<void> {
  const suppressed = tx.prisma.suppressedAddress
  if (isOptedOut) await suppressed.createMany({ data: { address_hash }, skipDuplicates: true })
  else await suppressed.deleteMany({ where: { address_hash } })
}

export async function setDraftMailOptOut(tx: Transaction, address_hash: string, isOptedOut: boolean): Promise<void> {
  const optOuts = tx.prisma.draftMailOptOut
  if (isOptedOut) await optOuts.createMany({ data: { address_hash }, skipDuplicates: true })
  else await optOuts.deleteMany({ where: { address_hash } })
}

async function lockRows(tx: Transaction, { user_id, issue_id }: IssueSubscription): Promise<void> {
  await lockUser(tx, user_id)
  await tx.execute(sql`SELECT i.id FROM issues i WHERE i.id = ${issue_id} FOR NO KEY UPDATE`)
}
