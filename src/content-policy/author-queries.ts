import Type, { type Static } from 'typebox'

import { Count, Timestamp } from '../database/columns.ts'
import { type Queryable, type Sql, sql, type Transaction } from '../database/database.ts'
import { prepared } from '../database/prepared.ts'
import { lockUser } from '../issue-lifecycle/lock-issue.ts'
import { problems } from '../errors/problems.ts'
import { DUPLICATE_WINDOW_S } from './policy.ts'

const Author = Type.Object({
  created_at: Timestamp,
  locale: Type.String(),
  /** The count includes pending and rejected texts of the last hour. */
  duplicate_count: Count,
})
export type Author = Static<typeof Author>

/** Every change of the user, a new text too, increments `revision`. */
const UnlockedAuthor = Type.Object({ ...Author.properties, revision: Count })
export type UnlockedAuthor = Static<typeof UnlockedAuthor>

interface AuthoredText {
  readonly id: number
  readonly text: string
  readonly now: Date
}

/**
 * Locks the author and counts the same texts of the last hour, so that each of several identical texts counts the previous ones.
 * @param earlierTexts a SELECT of `created_at` and `text` of the earlier texts of user `u`
 * @throws Problem 401 if the account was deleted meanwhile
 */
export async function lockAuthorAndCountDuplicates(
  tx: Transaction,
  { id, text, now }: AuthoredText,
  earlierTexts: Sql,
): Promise<Author> {
  await lockUser(tx, id)
  return findAuthorAndCountDuplicates(tx, { id, text, now }, earlierTexts)
}

/** Returns the same as `lockAuthorAndCountDuplicates` without a lock. Compare `revision` when you write. */
export async function findAuthorAndCountDuplicates(
  db: Queryable,
  { id, text, now }: AuthoredText,
  earlierTexts: Sql,
): Promise<UnlockedAuthor> {
  const [author] = await db.query(
    prepared(sql.type(UnlockedAuthor)`
    SELECT u.created_at, u.locale, u.revision, (
      SELECT count(*)::integer FROM (${earlierTexts}) e
      WHERE e.created_at > ${now.toISOString()}::timestamptz - make_interval(secs => ${DUPLICATE_WINDOW_S})
        AND comparable_text(e.text) = comparable_text(${text})) AS duplicate_count
    FROM users u WHERE u.id = ${id}`),
  )
  if (!author) throw problems.loginNeeded()
  return author
}
