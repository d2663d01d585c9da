import { type Queryable, type Sql, sql, type Transaction } from '../database/database.ts'
import { prepared } from '../database/prepared.ts'

/** A caller who is somebody. */
export interface Viewer {
  readonly id: number
  readonly name: string
  readonly role: string
  readonly isAdmin: boolean
  /** Reads held items and decides on them; an Admin may do what any moderator may. */
  readonly isModerator: boolean
  /** The organisations that the caller works for; whoever has one may acknowledge. */
  readonly organizationIds: readonly number[]
  readonly credentialsVersion: number
  /** When anything of the account last changed, or what it works for, follows and votes for; ISO 8601, never the same twice. */
  readonly changedAt: string
  /** Where the log of the primary stood after their last change (a pg_lsn); null where nothing was noted, as there are no replicas. */
  readonly wroteUpTo: string | null
}

const viewerColumns = sql`
  u.id, u.name, u.role, u.role = 'Admin' AS "isAdmin", u.role = 'Admin' OR EXISTS (
    SELECT FROM organization_members m WHERE m.user_id = u.id AND m.role = 'moderator') AS "isModerator",
  u.credentials_version AS "credentialsVersion",
  u.inner_changed_at AS "changedAt",
  (SELECT w.wal_lsn::text FROM caller_writes w WHERE w.user_id = u.id) AS "wroteUpTo",
  ARRAY(SELECT m.organization_id FROM organization_members m WHERE m.user_id = u.id ORDER BY m.organization_id) AS "organizationIds"`

/** Whose credentials were checked, and which: those of a password that was changed meanwhile count no more. */
export type Verified = Pick<Viewer, 'id' | 'credentialsVersion'>

/**
 * Locks the row of the owner, so that two of theirs are made one after the other; false where the password is another one by now, whose
 * change has ended everything that the former one opened.
 */
export async function lockVerified(tx: Transaction, { id, credentialsVersion }: Verified): Promise<boolean> {
  const [owner] = await tx.query<{ version: number }>(sql`
    SELECT u.credentials_version AS version FROM users u WHERE u.id = ${id} FOR NO KEY UPDATE`)
  return owner?.version === credentialsVersion
}

export async function findViewer(db: Queryable, userId: number): Promise<Viewer | undefined> {
  const [viewer] = await db.query<Viewer>(prepared(sql`SELECT ${viewerColumns} FROM users u WHERE u.id = ${userId}`))
  return viewer
}

/** The owner of a token that is not expired. */
export async function findViewerByToken(db: Queryable, tokenHash: string): Promise<Viewer | undefined> {
  const [viewer] = await db.query<Viewer>(
    prepared(sql`
    SELECT ${viewerColumns} FROM tokens t JOIN users u ON u.id = t.user_id
    WHERE t.token_hash = ${tokenHash} AND t.kind = 'token' AND (t.expires_at IS NULL OR t.expires_at > now())`),
  )
  return viewer
}

/** The owner of a session of the pages that has not ended, and whether its use has to be noted again. */
export async function findViewerBySession(db: Queryable, hash: string): Promise<(Viewer & { isUseOld: boolean }) | undefined> {
  const [found] = await db.query<Viewer & { isUseOld: boolean }>(
    prepared(sql`
    SELECT ${viewerColumns}, t.last_used_at < now() - interval '1 hour' AS "isUseOld" FROM tokens t JOIN users u ON u.id = t.user_id
    WHERE t.token_hash = ${hash} AND t.kind = 'session' AND t.expires_at > now()`),
  )
  return found
}

/**
 * Whose login an address is, in whatever case: of whoever confirmed it, else of the latest claim. A further claim is only taken once the one before it
 * has lapsed (src/emails/queries.ts), so nobody has the login of somebody who confirmed it, or claimed it lately. Everything that turns
 * an address into an account asks here: logins, what is familiar, and the operator's command.
 * @param email from `mailboxOf`
 */
export const loginOf = (email: string): Sql => sql`
  SELECT e.user_id FROM emails e WHERE lower(e.email) = lower(${email})
  ORDER BY e.confirmed_at IS NULL, e.created_at DESC, e.id DESC LIMIT 1`

export async function findOwnerOfEmail(db: Queryable, email: string): Promise<number | undefined> {
  const [found] = await db.query<{ user_id: number }>(loginOf(email))
  return found?.user_id
}

export interface Password {
  readonly id: number
  /** Null where the account has no password, so that none is right. */
  readonly hash: string | null
  /** Of the credentials; grows whenever they change. */
  readonly version: number
}

const passwordColumns = sql`u.id, u.password_hash AS hash, u.credentials_version AS version`

/** Any address of an account logs in, confirmed or not, as long as it is the account's login. */
export async function findPasswordByEmail(db: Queryable, email: string): Promise<Password | undefined> {
  const [found] = await db.query<Password>(sql`SELECT ${passwordColumns} FROM users u WHERE u.id = (${loginOf(email)})`)
  return found
}

export async function findPassword(db: Queryable, userId: number): Promise<Password | undefined> {
  const [found] = await db.query<Password>(sql`SELECT ${passwordColumns} FROM users u WHERE u.id = ${userId}`)
  return found
}
