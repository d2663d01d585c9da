import { type Database, sql } from '../../src/database/database.ts'
import { hashToken } from '../../src/http/identity/credentials.ts'
import { queryRows } from '../helpers/query-rows.ts'

/* The access rules for private data, implemented independently of the service. */

export interface SentRequest {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: unknown
}

export interface AccessCheck extends SentRequest {
  readonly db: Database
  readonly succeeded: boolean
  /** The user id of the caller, or 0 for an anonymous caller. */
  readonly viewer: number
}

/** Returns the user id of a token, password, cookie or mailed link, or 0. */
export async function findCallerId({ url, headers, body }: SentRequest, db: Database): Promise<number> {
  const of = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
  const [scheme = '', credentials = ''] = (of['authorization'] ?? '').split(' ')
  const [address = ''] = scheme === 'Basic' ? Buffer.from(credentials, 'base64').toString().split(':') : []
  const cookie = /fixpoint_session=([\w-]+)/.exec(of['cookie'] ?? '')?.[1] ?? ''
  const link = /token"?[=:]"?([\w-]+)/.exec(`${url} ${bodyText(body)}`)?.[1] ?? ''
  const hashes = [credentials, cookie, link].map(hashToken)
  const [owner] = await queryRows<{ id: number }>(
    db,
    sql`
    SELECT t.user_id AS id FROM tokens t WHERE t.token_hash = ANY(${hashes}::text[])
    UNION SELECT o.user_id FROM one_time_tokens o WHERE o.token_hash = ANY(${hashes}::text[])
    UNION SELECT e.user_id FROM email_addresses e WHERE lower(e.email) = lower(${address})
    ORDER BY id LIMIT 1`,
  )
  return owner?.id ?? 0
}

const bodyText = (body: unknown): string => {
  if (typeof body === 'string') return body
  if (Buffer.isBuffer(body)) return body.toString()
  if (body instanceof FormData) return [...body.values()].filter((value) => typeof value === 'string').join(' ')
  return JSON.stringify(body ?? '')
}

export function requestContains({ url, body }: SentRequest, text: string): boolean {
  const sent = `${url} ${bodyText(body)}`.replaceAll('+', ' ')
  return sent.includes(text) || sent.includes(encodeURIComponent(text).replaceAll('%20', ' '))
}

/** Anyone may read the mailbox for developers, because it exists only on their own machine. */
const isMailbox = ({ url }: AccessCheck) => url.startsWith('/dev/mails')

export const maySeeAddress = (owner: number, ask: AccessCheck): boolean => ask.viewer === owner || isMailbox(ask)

/** The browser that entered an address for the mail of a draft sees it again, and so does the owner of the mail. */
export async function maySeeDraftAddress(email: string, { url, headers, body, db }: AccessCheck): Promise<boolean> {
  const cookie = /fixpoint_draft=([\w-]+)/.exec(headers['cookie'] ?? '')?.[1] ?? ''
  const link = /token"?[=:]"?([\w-]+)/.exec(`${url} ${bodyText(body)}`)?.[1] ?? ''
  const secret_hash = { in: [cookie, link].map(hashToken) }
  const drafts = await db.prisma.reportDraft.count({
    where: { email, OR: [{ secret_hash }, { links: { some: { secret_hash } } }] },
  })
  return drafts > 0 || (await db.prisma.reportDraftLink.count({ where: { email, secret_hash } })) > 0
}

/** Managers and owners see the addresses that their organisation has invited, and admins those of all. */
export async function maySeeInvitation(email: string, { db, viewer }: AccessCheck): Promise<boolean> {
  const [may] = await queryRows<{ may: boolean }>(
    db,
    sql`
    SELECT EXISTS (
      SELECT FROM pending_memberships p
      JOIN users u ON u.id = ${viewer}
      LEFT JOIN organization_members m ON m.organization_id = p.organization_id AND m.user_id = u.id AND m.role IN ('manager', 'owner')
      WHERE p.email = lower(${email}) AND (u.role = 'Admin' OR m.user_id IS NOT NULL)) AS may`,
  )
  return may?.may ?? false
}

/** Returns true for admins and members of the organisation of the issue's request type. */
export async function isStaffOfIssue(issue: number, { db, viewer }: AccessCheck): Promise<boolean> {
  const [may] = await queryRows<{ may: boolean }>(
    db,
    sql`
    SELECT EXISTS (SELECT FROM users u WHERE u.id = ${viewer} AND u.role = 'Admin')
      OR EXISTS (
        SELECT FROM issues i
        JOIN request_types rt ON rt.id = i.request_type_id
        JOIN organization_members m ON m.organization_id = rt.organization_id
        WHERE i.id = ${issue} AND m.user_id = ${viewer}) AS may`,
  )
  return may?.may ?? false
}

/** Returns true for admins and members of the organisation of the issue or, if it has none, of those whose area covers its point. */
export async function mayActFor(issue: number, { db, viewer }: AccessCheck): Promise<boolean> {
  const [may] = await queryRows<{ may: boolean }>(
    db,
    sql`
    SELECT EXISTS (SELECT FROM users u WHERE u.id = ${viewer} AND u.role = 'Admin')
      OR EXISTS (
        SELECT FROM issues i
        LEFT JOIN request_types rt ON rt.id = i.request_type_id AND NOT rt.is_other
        JOIN organizations o ON CASE WHEN rt.organization_id IS NULL THEN ST_Covers(o.area, i.point) ELSE o.id = rt.organization_id END
        JOIN organization_members m ON m.organization_id = o.id
        WHERE i.id = ${issue} AND m.user_id = ${viewer}) AS may`,
  )
  return may?.may ?? false
}

/** Returns true for members of both organisations of a transfer with this text. */
export async function maySeeTransfer(text: string, { db, viewer }: AccessCheck): Promise<boolean> {
  const [may] = await queryRows<{ may: boolean }>(
    db,
    sql`
    SELECT EXISTS (
      SELECT FROM issue_transfers t JOIN organization_members m ON m.organization_id IN (t.from_id, t.to_id)
      WHERE (t.reason = ${text} OR t.refusal = ${text}) AND m.user_id = ${viewer}) AS may`,
  )
  return may?.may ?? false
}

/**
 * The name of an anonymous reporter is public if the user, or another one of this name, did something under it. A response about the issue
 * itself may contain it only if the user did something there. A profile page reveals nothing about the report.
 */
export async function maySeeReporter({ issue, person }: { issue: number; person: number }, ask: AccessCheck): Promise<boolean> {
  if (ask.viewer === person || isMailbox(ask) || new RegExp(`/users/${person}\\b`).test(ask.url)) return true
  if (await isStaffOfIssue(issue, ask)) return true
  const only = isAboutIssue(ask.url, issue) ? issue : null
  const [known] = await queryRows<{ known: boolean }>(
    ask.db,
    sql`
    SELECT EXISTS (
      SELECT FROM users u
      WHERE u.name = (SELECT p.name FROM users p WHERE p.id = ${person})
        AND (u.id <> ${person}
          OR EXISTS (SELECT FROM issues i WHERE i.reporter_id = u.id AND NOT i.anonymous AND (i.id = ${only} OR ${only}::integer IS NULL))
          OR EXISTS (SELECT FROM issues i WHERE i.assignee_id = u.id AND (i.id = ${only} OR ${only}::integer IS NULL))
          OR EXISTS (SELECT FROM comments c WHERE c.commenter_id = u.id AND (c.issue_id = ${only} OR ${only}::integer IS NULL))
          OR EXISTS (SELECT FROM questions q WHERE q.asker_id = u.id)
          OR EXISTS (SELECT FROM answers a WHERE a.answerer_id = u.id))) AS known`,
  )
  return known?.known ?? true
}

const isAboutIssue = (url: string, issue: number) =>
  new RegExp(`^(/api/v2)?/issues/${issue}\\b`).test(url) || new RegExp(`^/i/${issue.toString(36)}\\b`).test(url)
