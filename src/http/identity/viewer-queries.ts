import Type, { type Static } from 'typebox'

import { Id, nullable, stringEnum, type Queryable, type Sql, sql, type Transaction, prepared } from '../../database/database.ts'
import { memberRoles } from './roles.ts'

const ViewerRow = Type.Object({
  id: Id,
  name: Type.String(),
  role: Type.String(),
  isAdmin: Type.Boolean(),
  credentialsVersion: Type.Integer(),
  /** True if any e-mail address of the account is confirmed. Otherwise its requests count against the IP address as well. */
  isConfirmed: Type.Boolean(),
  /** WAL position of the primary after the caller's last change (pg_lsn); null without replicas. */
  lastWriteLsn: nullable(Type.String()),
  organizationIds: Type.Array(Id),
  memberships: Type.Array(Type.Object({ organization_id: Id, role: stringEnum(memberRoles) })),
})

export type Viewer = Static<typeof ViewerRow>

const viewerColumns = sql`
  u.id, u.name, u.role, u.role = 'Admin' AS "isAdmin",
  u.credentials_version AS "credentialsVersion",
  EXISTS (SELECT FROM email_addresses e WHERE e.user_id = u.id AND e.confirmed_at IS NOT NULL) AS "isConfirmed",
  (SELECT p.wal_lsn::text FROM user_write_positions p WHERE p.user_id = u.id) AS "lastWriteLsn",
  ARRAY(SELECT m.organization_id FROM organization_members m WHERE m.user_id = u.id ORDER BY m.organization_id) AS "organizationIds",
  (SELECT coalesce(json_agg(json_build_object('organization_id', m.organization_id, 'role', m.role) ORDER BY m.organization_id), '[]')
    FROM organization_members m WHERE m.user_id = u.id) AS "memberships"`

/** Account and version of checked credentials. They are invalid after a password change. */
export type VerifiedAccount = Pick<Viewer, 'id' | 'credentialsVersion'>

const CredentialsVersion = Type.Object({ version: Type.Integer() })

/** Locks the row against concurrent changes of the credentials. Returns false if the password has changed since its check. */
export async function lockVerifiedAccount(tx: Transaction, { id, credentialsVersion }: VerifiedAccount): Promise<boolean> {
  const [owner] = await tx.query(sql.type(CredentialsVersion)`
    SELECT u.credentials_version AS version FROM users u WHERE u.id = ${id} FOR NO KEY UPDATE`)
  return owner?.version === credentialsVersion
}

// The query runs for each request: Prisma's client would take 0.38 ms of processor time instead of 0.04.
export const findViewer = (db: Queryable, userId: number): Promise<Viewer | undefined> =>
  db.query(prepared(sql.first(ViewerRow)`SELECT ${viewerColumns} FROM users u WHERE u.id = ${userId}`))

export const findViewerByToken = (db: Queryable, tokenHash: string): Promise<Viewer | undefined> =>
  db.query(
    prepared(sql.first(ViewerRow)`
    SELECT ${viewerColumns} FROM tokens t JOIN users u ON u.id = t.user_id
    WHERE t.token_hash = ${tokenHash} AND t.kind = 'token' AND (t.expires_at IS NULL OR t.expires_at > now())`),
  )

const SessionViewer = Type.Object({ ...ViewerRow.properties, needsTouch: Type.Boolean() })

export const findViewerBySession = (db: Queryable, hash: string): Promise<Static<typeof SessionViewer> | undefined> =>
  db.query(
    prepared(sql.first(SessionViewer)`
    SELECT ${viewerColumns}, t.last_used_at < now() - interval '1 hour' AS "needsTouch" FROM tokens t JOIN users u ON u.id = t.user_id
    WHERE t.token_hash = ${hash} AND t.kind = 'session' AND t.expires_at > now()`),
  )

/** Limit for the accounts that may log in with one unconfirmed e-mail address. Each costs one password check. */
export const LOGIN_ACCOUNTS_MAX = 4

/**
 * Selects the account that has confirmed the e-mail address (from `toMailbox`), otherwise those that entered it: first those that
 * trust the client, then the oldest and the newest, so that other accounts cannot lock out a trusted client. Every lookup by e-mail
 * address uses it.
 */
const loginAccounts = (email: string, trustingUserIds: readonly number[] = []): Sql => sql`
  SELECT c.user_id, c.oldest FROM (
    SELECT e.user_id, e.confirmed_at, bool_or(e.confirmed_at IS NOT NULL) OVER () AS has_confirmed,
      row_number() OVER (ORDER BY e.created_at, e.id) AS oldest, row_number() OVER (ORDER BY e.created_at DESC, e.id DESC) AS newest
    FROM email_addresses e WHERE lower(e.email) = lower(${email}) AND e.removed_at IS NULL) c
  WHERE CASE WHEN c.has_confirmed THEN c.confirmed_at IS NOT NULL
    ELSE c.user_id = ANY (${[...trustingUserIds]}::integer[]) OR least(c.oldest, c.newest) <= ${LOGIN_ACCOUNTS_MAX / 2}::integer END
  ORDER BY c.user_id = ANY (${[...trustingUserIds]}::integer[]) DESC, least(c.oldest, c.newest), c.oldest
  LIMIT ${LOGIN_ACCOUNTS_MAX}`

const Login = Type.Object({ user_id: Id })

export async function listLoginAccounts(db: Queryable, email: string): Promise<number[]> {
  const logins = await db.query(sql.type(Login)`SELECT l.user_id FROM (${loginAccounts(email)}) l ORDER BY l.oldest`)
  return logins.map(({ user_id }) => user_id)
}

const Password = Type.Object({
  id: Id,
  hash: nullable(Type.String()),
  version: Type.Integer(),
})
export type Password = Static<typeof Password>

const passwordColumns = sql`u.id, u.password_hash AS hash, u.credentials_version AS version`

export function listPasswordsByEmail(db: Queryable, email: string, trustingUserIds: readonly number[]): Promise<Password[]> {
  return db.query(sql.type(Password)`
    SELECT ${passwordColumns} FROM (${loginAccounts(email, trustingUserIds)}) l JOIN users u ON u.id = l.user_id
    WHERE u.disabled_at IS NULL ORDER BY l.oldest`)
}

export const findPassword = (db: Queryable, userId: number): Promise<Password | undefined> =>
  db.query(sql.first(Password)`SELECT ${passwordColumns} FROM users u WHERE u.id = ${userId}`)
