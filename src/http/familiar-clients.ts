import { type Database, join, type Sql, sql } from '../database/database.ts'
import { loginOf } from './access-queries.ts'

/** So many addresses and browsers of an account are known, the newest of them. */
const CLIENTS_MAX = 20
const FAMILIAR = sql`interval '90 days'`

/**
 * Where the password of an account was right lately: addresses, and browsers by a cookie of their own. Kept in the database, so that a
 * restart forgets nobody and every process knows; as hashes with the account in them, so that two people of one address share nothing.
 */
export interface FamiliarClients {
  /** The first of these marks that the account which this e-mail address logs in to is known by. It costs the same where there is no account. */
  find(email: string, marks: readonly string[]): Promise<string | undefined>
  isNoted(userId: number, mark: string): Promise<boolean>
  /** Writes at most once a day for each. */
  note(userId: number, mark: string): Promise<void>
}

const hashed = (userId: Sql, mark: Sql) => sql`encode(sha256(convert_to(${userId}::text || ' ' || ${mark}, 'UTF8')), 'hex')`

export function familiarClients(db: Database): FamiliarClients {
  return {
    async find(email, marks) {
      const rows = marks.map((mark, n) => sql`(${n}::integer, ${mark}::text)`)
      const [found] = await db.query<{ mark: string }>(sql`
        SELECT given.mark
        FROM (${loginOf(email)}) e
        CROSS JOIN (VALUES ${join(rows)}) AS given (n, mark)
        JOIN familiar_clients f ON f.user_id = e.user_id AND f.mark = ${hashed(sql`e.user_id`, sql`given.mark`)}
        WHERE f.seen_at > now() - ${FAMILIAR}
        ORDER BY given.n LIMIT 1`)
      return found?.mark
    },

    async isNoted(userId, mark) {
      const found = await db.query(sql`
        SELECT f.user_id FROM familiar_clients f
        WHERE f.user_id = ${userId} AND f.mark = ${hashed(sql`${userId}`, sql`${mark}::text`)} AND f.seen_at > now() - ${FAMILIAR}`)
      return found.length > 0
    },

    note: (userId, mark) =>
      db.transaction(async (tx) => {
        const noted = await tx.query(sql`
          INSERT INTO familiar_clients (user_id, mark) VALUES (${userId}, ${hashed(sql`${userId}`, sql`${mark}::text`)})
          ON CONFLICT (user_id, mark) DO UPDATE SET seen_at = now() WHERE familiar_clients.seen_at < now() - interval '1 day'
          RETURNING familiar_clients.user_id`)
        if (noted.length === 0) return
        await tx.query(sql`
          DELETE FROM familiar_clients f WHERE f.user_id = ${userId} AND f.mark IN (
            SELECT o.mark FROM familiar_clients o WHERE o.user_id = ${userId} ORDER BY o.seen_at DESC, o.mark OFFSET ${CLIENTS_MAX})
          RETURNING f.mark`)
      }),
  }
}
