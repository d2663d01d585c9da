import Type, { type Static } from 'typebox'

import { nullable } from '../database/columns.ts'
import { type Queryable, sql } from '../database/database.ts'

const Settings = Type.Object({
  name: Type.String(),
  locale: Type.String(),
  share_location: Type.Boolean(),
  /** False turns off all notifications: mails about issues, questions and watch areas, digests included. */
  issue_mails: Type.Boolean(),
  place_url_name: nullable(Type.String()),
  /** The full size is used until the square one exists. */
  avatar_square: nullable(Type.String()),
})
export type Settings = Static<typeof Settings>

export async function findSettings(db: Queryable, userId: number): Promise<Settings | undefined> {
  const [found] = await db.query(
    Settings,
    sql`
      SELECT u.name, u.locale, u.share_location, u.issue_mails, p.url_name AS place_url_name,
        coalesce(u.avatar_square, u.avatar_full) AS avatar_square
      FROM users u LEFT JOIN places p ON p.id = u.home_place_id WHERE u.id = ${userId}`,
  )
  return found
}
