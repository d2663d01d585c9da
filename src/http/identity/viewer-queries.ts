import { type Queryable, type Sql, sql, type Transaction } from '../../database/database.ts'
import { prepared } from '../../database/prepared.ts'

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
  /** Whether any address of the account is confirmed. Without one, its requests count against the client address, too. */
  readonly isConfirmed: boolean
  /** When anything of the account last changed, or what it works for, follows and votes for; ISO 8601, never the same twice. */
  readonly changedAt: string
  /** Where the log of the primary stood after their last change (a pg_lsn); null where nothing was noted, as there are no replicas. */
  readonly wroteUpTo: string | null
}

const viewerColumns = sql`
  u.id, u.name, u.role, u.role = 'Admin' AS "isAdmin", u.role = 'Admin' OR EXISTS (
    SELECT FROM organization_members m WHERE m.user_id = u.id AND m.role = 'moderator') AS "isModerator",
  u.credentials_version AS "credentialsVersion",
  EXISTS (SELECT FROM emails e WHERE e.user_id = u.id AND e.confirmed_at IS NOT NULL) AS "isConfirmed",
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

/** The most accounts that may log in with one address that they claim: each costs one check of a password. */
export const LOGINS_MAX = 4

/**
 * The accounts that an address logs in to, in whatever case, as rows of `user_id` and `oldest`, their order: the one that has confirmed it,
 * else those that claim it. Of many these are the familiar ones, then the oldest and the newest: neither claims that follow nor earlier ones
 * keep an account out where it is familiar. Everything that turns an address into an account asks here.
 * @param email from `mailboxOf`
 * @param familiar ids of accounts that know the client
 */
const loginsOf = (email: string, familiar: readonly number[] = []): Sql => sql`
  SELECT c.user_id, c.oldest FROM (
    SELECT e.user_id, e.confirmed_at, bool_or(e.confirmed_at IS NOT NULL) OVER () AS is_decided,
      row_number() OVER (ORDER BY e.created_at, e.id) AS oldest, row_number() OVER (ORDER BY e.created_at DESC, e.id DESC) AS newest
    FROM emails e WHERE lower(e.email) = lower(${email}) AND e.removed_at IS NULL) c
  WHERE CASE WHEN c.is_decided THEN c.confirmed_at IS NOT NULL
    ELSE c.user_id = ANY (${[...familiar]}::integer[]) OR least(c.oldest, c.newest) <= ${LOGINS_MAX / 2}::integer END
  ORDER BY c.user_id = ANY (${[...familiar]}::integer[]) DESC, least(c.oldest, c.newest), c.oldest
  LIMIT ${LOGINS_MAX}`

export async function listLogins(db: Queryable, email: string): Promise<number[]> {
  const logins = await db.query<{ user_id: number }>(sql`SELECT l.user_id FROM (${loginsOf(email)}) l ORDER BY l.oldest`)
  return logins.map(({ user_id }) => user_id)
}

export interface Password {
  readonly id: number
  /** Null where the account has no password, so that none is right. */
  readonly hash: string | null
  /** Of the credentials; grows whenever they change. */
  readonly version: number
}

const passwordColumns = sql`u.id, u.password_hash AS hash, u.credentials_version AS version`

/** The passwords of all accounts that the address logs in to, oldest claim first. */
export function listPasswordsByEmail(db: Queryable, email: string, familiar: readonly number[]): Promise<Password[]> {
  return db.query<Password>(sql`
    SELECT ${passwordColumns} FROM (${loginsOf(email, familiar)}) l JOIN users u ON u.id = l.user_id ORDER BY l.oldest`)
}

export async function findPassword(db: Queryable, userId: number): Promise<Password | undefined> {
  const [found] = await db.query<Password>(sql`SELECT ${passwordColumns} FROM users u WHERE u.id = ${userId}`)
  return found
}
