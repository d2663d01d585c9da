import { createHmac } from 'node:crypto'

import { type Database, join, type Sql, sql } from '../../database/database.ts'
import { findSigningKey } from './signing-keys.ts'

/** So many addresses and browsers of an account are known, the newest of them. */
const CLIENTS_MAX = 20
const FAMILIAR = sql`interval '90 days'`

/**
 * Where the password of an account was right lately: addresses, and browsers by a cookie of their own. Kept in the database, so that a
 * restart forgets nobody and every process knows. Each mark is an HMAC with a key of the server, since all IPv4 addresses could be tried against
 * a plain hash, and is hashed with its account, so that two people of one address share nothing.
 */
export interface TrustedDevices {
  /** The first of these marks that the account is known by. It costs the same where there is no such account. */
  find(userId: number, marks: readonly string[]): Promise<string | undefined>
  /** Ids of the accounts that claim an address, none of which has confirmed it, and are known by one of these marks. */
  listClaims(email: string, marks: readonly string[]): Promise<number[]>
  isNoted(userId: number, mark: string): Promise<boolean>
  /** Writes at most once a day for each. */
  note(userId: number, mark: string): Promise<void>
}

/** @param mark keyed by `keyedWith` */
const hashed = (userId: Sql, mark: Sql) => sql`encode(sha256(convert_to(${userId}::text || ' ' || ${mark}, 'UTF8')), 'hex')`

const keyedWith = (key: string, mark: string) => createHmac('sha256', key).update(mark).digest('base64url')

export function trustedDevices(db: Database): TrustedDevices {
  let key: string | undefined
  const keyed = async (mark: string) => keyedWith((key ??= await findSigningKey(db, 'familiar clients')), mark)
  const rowsOf = async (marks: readonly string[]) => {
    const rows: Sql[] = []
    for (const [n, mark] of marks.entries()) rows.push(sql`(${n}::integer, ${await keyed(mark)}::text)`)
    return sql`VALUES ${join(rows)}`
  }

  return {
    async find(userId, marks) {
      const [found] = await db.query<{ n: number }>(sql`
        SELECT given.n
        FROM (${await rowsOf(marks)}) AS given (n, mark)
        JOIN familiar_clients f ON f.user_id = ${userId} AND f.mark = ${hashed(sql`${userId}`, sql`given.mark`)}
        WHERE f.seen_at > now() - ${FAMILIAR}
        ORDER BY given.n LIMIT 1`)
      return found && marks[found.n]
    },

    async listClaims(email, marks) {
      const claims = await db.query<{ user_id: number }>(sql`
        SELECT DISTINCT e.user_id
        FROM emails e
        CROSS JOIN (${await rowsOf(marks)}) AS given (n, mark)
        JOIN familiar_clients f ON f.user_id = e.user_id AND f.mark = ${hashed(sql`e.user_id`, sql`given.mark`)}
        WHERE lower(e.email) = lower(${email}) AND e.removed_at IS NULL AND f.seen_at > now() - ${FAMILIAR}`)
      return claims.map(({ user_id }) => user_id)
    },

    async isNoted(userId, mark) {
      const found = await db.query(sql`
        SELECT f.user_id FROM familiar_clients f
        WHERE f.user_id = ${userId} AND f.mark = ${hashed(sql`${userId}`, sql`${await keyed(mark)}::text`)} AND f.seen_at > now() - ${FAMILIAR}`)
      return found.length > 0
    },

    async note(userId, mark) {
      const keyedMark = await keyed(mark)
      await db.transaction(async (tx) => {
        const noted = await tx.query(sql`
          INSERT INTO familiar_clients (user_id, mark) VALUES (${userId}, ${hashed(sql`${userId}`, sql`${keyedMark}::text`)})
          ON CONFLICT (user_id, mark) DO UPDATE SET seen_at = now() WHERE familiar_clients.seen_at < now() - interval '1 day'
          RETURNING familiar_clients.user_id`)
        if (noted.length === 0) return
        await tx.query(sql`
          DELETE FROM familiar_clients f WHERE f.user_id = ${userId} AND f.mark IN (
            SELECT o.mark FROM familiar_clients o WHERE o.user_id = ${userId} ORDER BY o.seen_at DESC, o.mark OFFSET ${CLIENTS_MAX})
          RETURNING f.mark`)
      })
    },
  }
}

/** Removes up to `count` marks that are no longer familiar. @returns how many it were */
export async function removeOldTrustedDevices(db: Database, now: Date, count: number): Promise<number> {
  const removed = await db.transaction((tx) =>
    tx.query(sql`
      DELETE FROM familiar_clients f
      WHERE (f.user_id, f.mark) IN (
        SELECT o.user_id, o.mark FROM familiar_clients o
        WHERE o.seen_at <= ${now.toISOString()}::timestamptz - ${FAMILIAR}
        ORDER BY o.seen_at LIMIT ${count}
        FOR UPDATE SKIP LOCKED)
      RETURNING f.user_id`),
  )
  return removed.length
}
