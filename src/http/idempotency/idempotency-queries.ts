import Type, { type Static } from 'typebox'

import { nullable, type Executable, sql, type Transaction } from '../../database/database.ts'

/** The lease is longer than nearly every request. A slower request loses only its response: `storeResult` checks the lease. */
export const LEASE_S = 60
export const STORED_H = 24
/** Limit for retries when another request frees the key between the two statements. */
const ATTEMPTS_MAX = 5

/** Result of a change from which the response can be built: ids and flags, no texts. */
const ChangeResult = Type.Record(Type.String(), Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Null()]))
export type ChangeResult = Readonly<Static<typeof ChangeResult>>

export interface KeyLease {
  readonly scope: string
  readonly leaseId: string
  readonly result: ChangeResult | null
}

export interface StoredResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | null
}

type AcquireResult =
  | { readonly kind: 'acquired'; readonly lease: KeyLease }
  | { readonly kind: 'completed'; readonly response: StoredResponse }
  | { readonly kind: 'other request' }
  | { readonly kind: 'in flight' }

const AcquiredKey = Type.Object({ result: nullable(ChangeResult) })

const KeyRow = Type.Object({
  fingerprint: Type.String(),
  status: nullable(Type.Integer()),
  headers: nullable(Type.Record(Type.String(), Type.String())),
  body: nullable(Type.String()),
  is_old: Type.Boolean(),
})
type KeyRow = Static<typeof KeyRow>

/** Acquires the lease of the key if it is free or its lease has expired; otherwise returns its state. */
export async function acquireKey(
  db: Executable,
  { scope, leaseId }: Omit<KeyLease, 'result'>,
  fingerprint: string,
  userId: number | null,
): Promise<AcquireResult> {
  for (let attempt = 0; attempt < ATTEMPTS_MAX; attempt++) {
    const [acquired] = await db.query(sql.type(AcquiredKey)`
      INSERT INTO idempotency_keys AS k (scope, fingerprint, lease_id, leased_until, user_id)
      VALUES (${scope}, ${fingerprint}, ${leaseId}::uuid, now() + make_interval(secs => ${LEASE_S}), ${userId})
      ON CONFLICT (scope) DO UPDATE SET lease_id = excluded.lease_id, leased_until = excluded.leased_until
      WHERE k.fingerprint = excluded.fingerprint AND k.status IS NULL AND k.leased_until <= now()
        AND k.created_at > now() - make_interval(hours => ${STORED_H})
      RETURNING k.result`)
    if (acquired) return { kind: 'acquired', lease: { scope, leaseId, result: acquired.result } }

    const [row] = await db.query(sql.type(KeyRow)`
      SELECT k.fingerprint, k.status, k.headers, k.body, k.created_at <= now() - make_interval(hours => ${STORED_H}) AS is_old
      FROM idempotency_keys k WHERE k.scope = ${scope}`)
    if (row?.is_old) await deleteExpiredKey(db, scope)
    else if (row) return toAcquireResult(row, fingerprint)
  }
  return { kind: 'in flight' }
}

function toAcquireResult({ fingerprint: storedFingerprint, status, headers, body }: KeyRow, fingerprint: string): AcquireResult {
  if (storedFingerprint !== fingerprint) return { kind: 'other request' }
  return status === null || headers === null ? { kind: 'in flight' } : { kind: 'completed', response: { status, headers, body } }
}

function deleteExpiredKey(db: Executable, scope: string): Promise<number> {
  return db.execute(sql`
    DELETE FROM idempotency_keys k WHERE k.scope = ${scope} AND k.created_at <= now() - make_interval(hours => ${STORED_H})`)
}

/** Returns false if another request has acquired the key: roll back then. The row lock keeps others from it until the commit. */
export async function storeResult(tx: Transaction, { scope, leaseId: lease_id }: KeyLease, result: ChangeResult): Promise<boolean> {
  const { count } = await tx.prisma.idempotencyKey.updateMany({ where: { scope, lease_id, status: null }, data: { result } })
  return count > 0
}

// The statement runs for each request with an Idempotency-Key, and Prisma's client takes more processor time.
export async function storeResponse(
  db: Executable,
  { scope, leaseId }: KeyLease,
  { status, headers, body }: StoredResponse,
): Promise<void> {
  await db.execute(sql`
    UPDATE idempotency_keys k SET status = ${status}, headers = ${JSON.stringify(headers)}::jsonb, body = ${body}
    WHERE k.scope = ${scope} AND k.lease_id = ${leaseId}::uuid AND k.status IS NULL`)
}

/** Frees the key without a response. If the change was made, the next request builds its response from the stored result. */
export async function releaseKey(db: Executable, { scope, leaseId }: KeyLease): Promise<void> {
  await db.execute(sql`
    WITH freed AS (
      DELETE FROM idempotency_keys k WHERE k.scope = ${scope} AND k.lease_id = ${leaseId}::uuid AND k.result IS NULL
      RETURNING k.scope)
    UPDATE idempotency_keys k SET leased_until = now()
    WHERE k.scope = ${scope} AND k.lease_id = ${leaseId}::uuid AND k.result IS NOT NULL AND k.status IS NULL`)
}
