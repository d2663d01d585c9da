import { createHmac } from 'node:crypto'
import Type from 'typebox'

import { Count, Id } from '../../database/columns.ts'
import { type Database, join, type Sql, sql } from '../../database/database.ts'
import { findSigningKey } from './signing-keys.ts'

/** Limit for the trusted addresses and browsers of an account; the newest stay. */
const CLIENTS_MAX = 20
const FAMILIAR = sql`interval '90 days'`

/**
 * Addresses and browsers from which the password of an account was right lately. They are stored in the database for all processes.
 * Each mark is an HMAC, because a plain hash of an IPv4 address can be reversed, and is hashed with its account, so that the rows
 * of two users with one address differ.
 */
export interface TrustedDevices {
  /** Returns the first mark that the account trusts. An unknown account takes the same time. */
  find(userId: number, marks: readonly string[]): Promise<string | undefined>
  /** Returns ids of the accounts that claim an unconfirmed e-mail address and trust one of the marks. */
  listClaims(email: string, marks: readonly string[]): Promise<number[]>
  isNoted(userId: number, mark: string): Promise<boolean>
  note(userId: number, mark: string): Promise<void>
}

const hashed = (userId: Sql, mark: Sql) => sql`encode(sha256(convert_to(${userId}::text || ' ' || ${mark}, 'UTF8')), 'hex')`

const keyedWith = (key: string, mark: string) => createHmac('sha256', key).update(mark).digest('base64url')

const KnownMark = Type.Object({ n: Count })
const Account = Type.Object({ user_id: Id })

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
      const [found] = await db.query(
        KnownMark,
        sql`
          SELECT given.n
          FROM (${await rowsOf(marks)}) AS given (n, mark)
          JOIN trusted_devices f ON f.user_id = ${userId} AND f.mark = ${hashed(sql`${userId}`, sql`given.mark`)}
          WHERE f.seen_at > now() - ${FAMILIAR}
          ORDER BY given.n LIMIT 1`,
      )
      return found && marks[found.n]
    },

    async listClaims(email, marks) {
      const claims = await db.query(
        Account,
        sql`
          SELECT DISTINCT e.user_id
          FROM emails e
          CROSS JOIN (${await rowsOf(marks)}) AS given (n, mark)
          JOIN trusted_devices f ON f.user_id = e.user_id AND f.mark = ${hashed(sql`e.user_id`, sql`given.mark`)}
          WHERE lower(e.email) = lower(${email}) AND e.removed_at IS NULL AND f.seen_at > now() - ${FAMILIAR}`,
      )
      return claims.map(({ user_id }) => user_id)
    },

    async isNoted(userId, mark) {
      const found = await db.query(
        Account,
        sql`
          SELECT f.user_id FROM trusted_devices f
          WHERE f.user_id = ${userId} AND f.mark = ${hashed(sql`${userId}`, sql`${await keyed(mark)}::text`)} AND f.seen_at > now() - ${FAMILIAR}`,
      )
      return found.length > 0
    },

    async note(userId, mark) {
      const keyedMark = await keyed(mark)
      await db.transaction(async (tx) => {
        const noted = await tx.execute(sql`
          INSERT INTO trusted_devices (user_id, mark) VALUES (${userId}, ${hashed(sql`${userId}`, sql`${keyedMark}::text`)})
          ON CONFLICT (user_id, mark) DO UPDATE SET seen_at = now() WHERE trusted_devices.seen_at < now() - interval '1 day'`)
        if (noted === 0) return
        await tx.execute(sql`
          DELETE FROM trusted_devices f WHERE f.user_id = ${userId} AND f.mark IN (
            SELECT o.mark FROM trusted_devices o WHERE o.user_id = ${userId} ORDER BY o.seen_at DESC, o.mark OFFSET ${CLIENTS_MAX})`)
      })
    },
  }
}

/** Deletes up to `count` expired marks. @returns the number of deleted marks */
export function removeOldTrustedDevices(db: Database, now: Date, count: number): Promise<number> {
  return db.transaction((tx) =>
    tx.execute(sql`
      DELETE FROM trusted_devices f
      WHERE (f.user_id, f.mark) IN (
        SELECT o.user_id, o.mark FROM trusted_devices o
        WHERE o.seen_at <= ${now.toISOString()}::timestamptz - ${FAMILIAR}
        ORDER BY o.seen_at LIMIT ${count}
        FOR UPDATE SKIP LOCKED)`),
  )
}
