import { getDomain } from 'tldts-icann'
import Type, { type Static } from 'typebox'

import { parseLinks } from '../content-policy/links.ts'
import { plainText } from '../content-policy/plain-text.ts'
import { reasons } from '../content-policy/policy.ts'
import { type SubjectType, subjectTypes } from '../content-policy/schema.ts'
import {
  EntriesRow,
  Id,
  IdRow,
  lockName,
  nullable,
  stringEnum,
  Timestamp,
  join,
  type Queryable,
  type Sql,
  sql,
  type PrismaHandle,
  type Transaction,
} from '../database/database.ts'
import type { Viewer } from '../http/auth/authentication.ts'
import { mayActForIssue } from '../issue-lifecycle/access.ts'
import { mayActInPlace } from '../issue-lifecycle/acting-organizations.ts'
import { organizationIdsWith } from '../http/identity/capabilities.ts'
import { rolesWith } from '../http/identity/roles.ts'
import { recordEvents } from '../outbox/queries.ts'
import { limitClause, type Page } from '../http/lists/pagination.ts'
import { transitionNames } from '../issue-lifecycle/transitions.ts'
import { UserSummaryRow, userSummary } from '../users/present.ts'
import { itemAuthorId } from './subject-texts.ts'

/** `held`: no moderator has decided. Subjects have states of their own (`moderationStates`). */
export const itemStates = ['held', 'approved', 'rejected'] as const
export type ItemState = (typeof itemStates)[number]

const ItemRow = Type.Object({
  id: Id,
  subject_type: stringEnum(subjectTypes),
  subject_id: Id,
  state: stringEnum(itemStates),
  reasons: Type.Array(stringEnum(reasons)),
  original: Type.Record(Type.String(), nullable(Type.String())),
  requested_transition: nullable(stringEnum(transitionNames)),
  decided_by: nullable(UserSummaryRow),
  decided_at: nullable(Timestamp),
  created_at: Timestamp,
  note: nullable(Type.String()),
  rejection_reason: nullable(Type.String()),
  /** The author is never returned by the API, because the report may be anonymous. */
  author_id: nullable(Id),
  may_decide: Type.Boolean(),
})
export type ItemRow = Static<typeof ItemRow>

interface ItemFilter {
  /** Only items on which this caller decides. */
  readonly viewer: Viewer
  readonly state: ItemState
  readonly subjectType?: SubjectType | undefined
}

/**
 * Returns whether one of the organisations (a SQL array of ids) decides on row `item`: it may act for the issue, or its area overlaps the city of the question.
 * Names of users belong to no organisation.
 */
const decidedBy = (organizationIds: Sql): Sql => sql`(EXISTS (
    SELECT FROM issues i WHERE i.id = CASE item.subject_type WHEN 'issue' THEN item.subject_id
      WHEN 'comment' THEN (SELECT c.issue_id FROM comments c WHERE c.id = item.subject_id) END AND ${mayActForIssue(organizationIds)})
  OR EXISTS (
    SELECT FROM questions q WHERE q.id = CASE item.subject_type WHEN 'question' THEN item.subject_id
      WHEN 'answer' THEN (SELECT a.question_id FROM answers a WHERE a.id = item.subject_id) END
      AND ${mayActInPlace(organizationIds, sql`q.place_id`)}))`

/** Returns whether the caller decides on row `item`. Admins decide on all. */
export const mayDecide = (viewer: Viewer): Sql =>
  viewer.isAdmin ? sql`TRUE` : decidedBy(sql`${organizationIdsWith(viewer, 'moderate')}::integer[]`)

const moderatingOrganizations = sql`ARRAY(
    SELECT m.organization_id FROM organization_members m JOIN users member ON member.id = m.user_id
    WHERE m.role::text = ANY(${[...rolesWith('moderate')]}::text[]) AND member.disabled_at IS NULL AND m.user_id IS DISTINCT FROM ${itemAuthorId})`

/** Records an event about each Admin, at most one a day, as long as an item waits on which no member of an organisation may decide. */
export async function remindAdmins(tx: Transaction): Promise<void> {
  await lockName(tx, 'remind-admins')
  const admins = await tx.query(sql.type(IdRow)`
    SELECT u.id FROM users u
    WHERE u.role = 'Admin' AND u.disabled_at IS NULL
      AND NOT EXISTS (SELECT FROM events e WHERE e.subject_type = 'user' AND e.subject_id = u.id AND e.type = 'user.review_needed'
        AND e.created_at > now() - interval '1 day')
      AND EXISTS (SELECT FROM moderation_items item WHERE item.state = 'held' AND NOT ${decidedBy(moderatingOrganizations)})
    ORDER BY u.id`)
  const ids = admins.map(({ id }) => id)
  if (ids.length > 0) await recordEvents(tx, { type: 'user.review_needed', actor_id: null }, ids)
}

const itemColumns = (viewer: Viewer) => sql`
  item.id, item.subject_type, item.subject_id, item.state, item.reasons, item.original, item.requested_transition, item.decided_at, item.created_at, item.note,
  item.rejection_reason, ${itemAuthorId} AS author_id, ${userSummary(sql`u`)} AS decided_by, ${mayDecide(viewer)} AS may_decide`

/** The states are literals so that the planner can use the partial indexes. */
const conditions = ({ viewer, state, subjectType }: ItemFilter): Sql => {
  const stateCondition = state === 'held' ? sql`item.state = 'held'` : sql`item.state <> 'held' AND item.state = ${state}`
  return sql`${stateCondition} AND item.subject_type IN (${join(subjectType ? [subjectType] : [...subjectTypes])})
    AND ${mayDecide(viewer)}`
}

/** Returns the number of items that wait for a decision of the caller, at most `limit`. */
export async function countHeldItems(db: Queryable, viewer: Viewer, limit: number): Promise<number> {
  const [total] = await db.query(sql.type(EntriesRow)`
    SELECT count(*)::integer AS entries FROM (SELECT item.id FROM moderation_items item
      WHERE item.state = 'held' AND ${mayDecide(viewer)} LIMIT ${limit}::integer) item`)
  return total?.entries ?? 0
}

export async function listItems(db: Queryable, filter: ItemFilter, page: Page): Promise<{ entries: number; items: ItemRow[] }> {
  const [total] = await db.query(sql.type(EntriesRow)`
    SELECT count(*)::integer AS entries FROM moderation_items item WHERE ${conditions(filter)}`)
  const items = await db.query(sql.type(ItemRow)`
    SELECT ${itemColumns(filter.viewer)}
    FROM moderation_items item
    LEFT JOIN users u ON u.id = item.decided_by
    WHERE ${conditions(filter)}
    ORDER BY item.created_at, item.id
    ${limitClause(page)}`)
  return { entries: total?.entries ?? 0, items }
}

/** Returns undefined for callers other than those who decide on it and the author. Authors do not see items that are only flagged. */
export async function findItem(db: Queryable, id: number, viewer: Viewer): Promise<ItemRow | undefined> {
  const isOwn = sql`${itemAuthorId} = ${viewer.id} AND NOT (item.state = 'held' AND coalesce('flagged' = ANY(item.reasons), FALSE))`
  return db.query(sql.first(ItemRow)`
    SELECT ${itemColumns(viewer)}
    FROM moderation_items item
    LEFT JOIN users u ON u.id = item.decided_by
    WHERE item.id = ${id} AND item.subject_type IN (${join([...subjectTypes])}) AND (${mayDecide(viewer)} OR (${isOwn}))`)
}

/** Stores the hosts of approved links, except shared hosts, or deletes the hosts of a rejected text. */
export async function updateApprovedHosts(
  tx: Transaction,
  texts: readonly string[],
  decision: 'approved' | 'rejected',
): Promise<void> {
  const links = texts.flatMap((text) => parseLinks(plainText(text))).filter((link) => link !== undefined)
  const linkedHosts = [...new Set(links.map(({ host }) => host))].sort()
  const hosts = decision === 'approved' ? linkedHosts.filter((host) => !isSharedHost(host)) : linkedHosts
  if (hosts.length === 0) return
  if (decision === 'rejected') {
    await tx.prisma.moderationHost.deleteMany({ where: { host: { in: hosts } } })
  } else {
    await tx.prisma.moderationHost.createMany({ data: hosts.map((host) => ({ host })), skipDuplicates: true })
  }
}

/** Returns the hosts that a moderator approved and none rejected since. */
export async function filterApprovedHosts(db: PrismaHandle, hosts: readonly string[]): Promise<string[]> {
  // The list of excluded hosts may have grown since a host was approved.
  const candidates = hosts.filter((host) => !isSharedHost(host))
  const rows = await db.prisma.moderationHost.findMany({ where: { host: { in: candidates } }, orderBy: { host: 'asc' } })
  return rows.map(({ host }) => host)
}

/** The links of URL shorteners may redirect anywhere and change later. */
const shorteners = [
  't.co bit.ly bitly.com j.mp tinyurl.com tiny.cc tiny.one goo.gl g.co is.gd v.gd ow.ly buff.ly cutt.ly rebrand.ly t.ly s.id rb.gy',
  'shorturl.at short.io short.gy lnkd.in fb.me amzn.to a.co youtu.be wp.me dlvr.it ift.tt trib.al tr.im po.st soo.gd bl.ink u.to clck.ru vk.cc',
  'adf.ly sh.st bc.vc q.gs ouo.io shorte.st linkvertise.com gg.gg urlz.fr lc.cx x.co x.gd bit.do mcaf.ee qr.ae qr.net snip.ly smarturl.it yourls.org',
  'hyperurl.co lnk.to linktr.ee linkin.bio beacons.ai onelink.to app.link page.link qrco.de me-qr.com dub.co dub.sh kutt.it db.tt git.io redd.it',
  'spoti.fi apple.co aka.ms nyti.ms wa.me t.me 1url.com iplogger.org grabify.link cli.gs snipurl.com tr.ee dwz.cn t.cn url.cn suo.im',
]
const userContentHosts = [
  'google.com googleusercontent.com facebook.com instagram.com threads.net x.com twitter.com tiktok.com snapchat.com pinterest.com linkedin.com',
  'reddit.com tumblr.com vk.com ok.ru telegram.org telegra.ph whatsapp.com discord.com discord.gg weibo.com youtube.com youtube-nocookie.com',
  'vimeo.com dailymotion.com twitch.tv soundcloud.com spotify.com bing.com yahoo.com duckduckgo.com yandex.com yandex.ru baidu.com archive.org archive.ph',
  'medium.com substack.com wordpress.com blogspot.com blogger.com wix.com wixsite.com weebly.com squarespace.com livejournal.com notion.so notion.site',
  'github.com gitlab.com bitbucket.org pastebin.com dropbox.com box.com mega.nz mediafire.com wetransfer.com onedrive.com live.com sharepoint.com icloud.com',
  'imgur.com flickr.com ibb.co postimg.cc scribd.com issuu.com slideshare.net canva.com typeform.com jotform.com surveymonkey.com eventbrite.com meetup.com',
  'gofundme.com change.org ebay.com etsy.com amazon.com aliexpress.com craigslist.org airtable.com trello.com carrd.co about.me quora.com wikipedia.org',
]
const sharedHosts = new Set([...shorteners, ...userContentHosts].flatMap((line) => line.split(' ')))

/** Approval of one URL of a shared host says nothing about others. The list cannot be complete. @param host from `createLinks` */
function isSharedHost(host: string): boolean {
  return sharedHosts.has(host) || sharedHosts.has(getDomain(host) ?? host)
}
