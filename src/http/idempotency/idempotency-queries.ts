import { type Queryable, sql, type Transaction } from '../../database/database.ts'

/** Longer than nearly every request takes. A slower one loses nothing but its answer: `writeReceipt` asks whether the lease is still held. */
const LEASE_S = 60
const KEPT_H = 24
/** A key can be freed between two looks at it; not again and again. */
const LOOKS_MAX = 5

/** What a change leaves to make its answer from: ids and flags, never texts. */
export type Receipt = Readonly<Record<string, string | number | boolean | null>>

export interface Claim {
  readonly scope: string
  /** Of this request alone. */
  readonly holder: string
  /** What an earlier request did that never came to its answer. */
  readonly receipt: Receipt | null
}

export interface KeptAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /** Null where there was none. */
  readonly body: string | null
}

export type Claimed =
  | { readonly kind: 'claimed'; readonly claim: Claim }
  | { readonly kind: 'answered'; readonly answer: KeptAnswer }
  | { readonly kind: 'other request' }
  | { readonly kind: 'in flight' }

interface KeyRow {
  readonly fingerprint: string
  readonly status: number | null
  readonly headers: Readonly<Record<string, string>> | null
  readonly body: string | null
  readonly is_old: boolean
}

/** Takes the key for this request, where nobody has it or its holder is gone; else says what became of it. */
export async function claimKey(db: Queryable, scope: string, fingerprint: string): Promise<Claimed> {
  const holder = crypto.randomUUID()
  for (let looks = 0; looks < LOOKS_MAX; looks++) {
    const [taken] = await db.query<{ receipt: Receipt | null }>(sql`
      INSERT INTO idempotency_keys AS k (scope, fingerprint, holder, leased_until)
      VALUES (${scope}, ${fingerprint}, ${holder}::uuid, now() + make_interval(secs => ${LEASE_S}))
      ON CONFLICT (scope) DO UPDATE SET holder = excluded.holder, leased_until = excluded.leased_until
      WHERE k.fingerprint = excluded.fingerprint AND k.status IS NULL AND k.leased_until <= now()
        AND k.created_at > now() - make_interval(hours => ${KEPT_H})
      RETURNING k.receipt`)
    if (taken) return { kind: 'claimed', claim: { scope, holder, receipt: taken.receipt } }

    const [row] = await db.query<KeyRow>(sql`
      SELECT k.fingerprint, k.status, k.headers, k.body, k.created_at <= now() - make_interval(hours => ${KEPT_H}) AS is_old
      FROM idempotency_keys k WHERE k.scope = ${scope}`)
    if (row?.is_old) await forget(db, scope)
    else if (row) return becameOf(row, fingerprint)
  }
  return { kind: 'in flight' }
}

function becameOf({ fingerprint: known, status, headers, body }: KeyRow, fingerprint: string): Claimed {
  if (known !== fingerprint) return { kind: 'other request' }
  return status === null || headers === null ? { kind: 'in flight' } : { kind: 'answered', answer: { status, headers, body } }
}

function forget(db: Queryable, scope: string) {
  return db.query(sql`
    DELETE FROM idempotency_keys k WHERE k.scope = ${scope} AND k.created_at <= now() - make_interval(hours => ${KEPT_H})`)
}

/**
 * Writes what the change left, in its own transaction. From here to the commit nobody else can take the key.
 * @returns false when another request has taken it meanwhile: then this one must change nothing
 */
export async function writeReceipt(tx: Transaction, { scope, holder }: Claim, receipt: Receipt): Promise<boolean> {
  const written = await tx.query(sql`
    UPDATE idempotency_keys k SET receipt = ${JSON.stringify(receipt)}::jsonb
    WHERE k.scope = ${scope} AND k.holder = ${holder}::uuid AND k.status IS NULL
    RETURNING k.scope`)
  return written.length > 0
}

export async function keepAnswer(db: Queryable, { scope, holder }: Claim, { status, headers, body }: KeptAnswer): Promise<void> {
  await db.query(sql`
    UPDATE idempotency_keys k SET status = ${status}, headers = ${JSON.stringify(headers)}::jsonb, body = ${body}
    WHERE k.scope = ${scope} AND k.holder = ${holder}::uuid AND k.status IS NULL
    RETURNING k.scope`)
}

/** The answer is none to keep: the key is free again, or, where its change was made, free for a request that answers from the receipt. */
export async function releaseKey(db: Queryable, { scope, holder }: Claim): Promise<void> {
  await db.query(sql`
    WITH freed AS (
      DELETE FROM idempotency_keys k WHERE k.scope = ${scope} AND k.holder = ${holder}::uuid AND k.receipt IS NULL
      RETURNING k.scope)
    UPDATE idempotency_keys k SET leased_until = now()
    WHERE k.scope = ${scope} AND k.holder = ${holder}::uuid AND k.receipt IS NOT NULL AND k.status IS NULL
    RETURNING k.scope`)
}

/** Removes up to `count` keys that are no longer given again. @returns how many it were */
export async function removeOldKeys(db: Queryable, now: Date, count: number): Promise<number> {
  const removed = await db.query(sql`
    DELETE FROM idempotency_keys k
    WHERE k.scope IN (
      SELECT o.scope FROM idempotency_keys o
      WHERE o.created_at <= ${now.toISOString()}::timestamptz - make_interval(hours => ${KEPT_H})
      ORDER BY o.created_at, o.scope
      LIMIT ${count}
      FOR UPDATE SKIP LOCKED)
    RETURNING k.scope`)
  return removed.length
}
