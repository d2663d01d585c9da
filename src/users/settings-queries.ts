import { type Queryable, sql } from '../database/database.ts'

/** What a person may change about their account, as only they see it. */
export interface Settings {
  readonly name: string
  readonly locale: string
  readonly share_location: boolean
  /** Whether mails about issues are sent to them at all. */
  readonly issue_mails: boolean
  readonly place_url_name: string | null
  /** The full one, until that is made. */
  readonly avatar_square: string | null
}

export async function findSettings(db: Queryable, userId: number): Promise<Settings | undefined> {
  const [found] = await db.query<Settings>(sql`
    SELECT u.name, u.locale, u.share_location, u.issue_mails, p.url_name AS place_url_name,
      coalesce(u.avatar_square, u.avatar_full) AS avatar_square
    FROM users u LEFT JOIN places p ON p.id = u.home_place_id WHERE u.id = ${userId}`)
  return found
}
