import Type, { type Static } from 'typebox'

import { Id, nullable, type Queryable, sql, type Transaction } from '../database/database.ts'
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

const NO_IDS = {
  ...{ user_id: null, issue_id: null, question_id: null, watch_area_id: null, organization_id: null, email_address_id: null },
  ...{ address_hash: null, locale: null },
}

/**
 * Reads the state without changing it. Returns undefined if the account or organisation of the link was deleted. If an address was confirmed since, its
 * link is about all mails to its account. The link of a draft reads no account, because it must not reveal whether the address has one.
 */
export async function findSubscription(db: Queryable, subscription: Subscription): Promise<SubscriptionState | undefined> {
  const { kind, ...ids } = { ...NO_IDS, ...subscription }
  return db.query(sql.first(SubscriptionState)`
    SELECT u.id AS user_id, u.issue_mails, i.id AS issue_id, q.id AS question_id, w.id AS watch_area_id,
      coalesce(CASE WHEN i.reporter_id = u.id THEN i.locale END, CASE WHEN q.asker_id = u.id THEN q.locale END, w.locale, ${ids.locale}::text,
        u.locale, o.language) AS locale,
      coalesce(CASE WHEN i.moderation_state = 'passed' THEN i.summary END, CASE WHEN q.moderation_state = 'passed' THEN q.question END,
        w.name, p.name, o.name) AS summary,
      CASE ${kind}::text
        -- Older versions kept the mute of a user who followed again.
        WHEN 'issue' THEN EXISTS (SELECT FROM issue_mutes mute WHERE mute.user_id = u.id AND mute.issue_id = i.id)
          AND NOT EXISTS (SELECT FROM follows f WHERE f.user_id = u.id AND f.issue_id = i.id)
        WHEN 'question' THEN EXISTS (SELECT FROM question_mutes mute WHERE mute.user_id = u.id AND mute.question_id = q.id)
        WHEN 'watch' THEN coalesce(w.frequency = 'never', FALSE)
        WHEN 'work' THEN m.daily_mail IS NOT TRUE
        WHEN 'inbox' THEN ${emailAddressHash(sql`o.inbox_email`)} IS DISTINCT FROM ${ids.address_hash}::text
        ELSE FALSE END AS is_muted,
      CASE ${kind}::text WHEN 'address' THEN EXISTS (SELECT FROM suppressed_addresses s WHERE s.address_hash = ${ids.address_hash}::text)
        WHEN 'draft' THEN EXISTS (SELECT FROM draft_mail_opt_outs s WHERE s.address_hash = ${ids.address_hash}::text)
        ELSE FALSE END AS is_opted_out
    FROM (SELECT 1) link
    LEFT JOIN email_addresses e ON e.id = ${ids.email_address_id}::integer AND e.confirmed_at IS NOT NULL
    LEFT JOIN users u ON u.id = coalesce(${ids.user_id}::integer, e.user_id)
    LEFT JOIN issues i ON i.id = ${ids.issue_id}::integer
    LEFT JOIN questions q ON q.id = ${ids.question_id}::integer
    LEFT JOIN watch_areas w ON w.id = ${ids.watch_area_id}::integer AND w.user_id = u.id
    LEFT JOIN places p ON p.id = w.place_id
    LEFT JOIN organizations o ON o.id = ${ids.organization_id}::integer
    LEFT JOIN organization_members m ON m.organization_id = o.id AND m.user_id = u.id
    WHERE (${ids.user_id}::integer IS NULL OR u.id IS NOT NULL) AND (${ids.organization_id}::integer IS NULL OR o.id IS NOT NULL)`)
}

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
