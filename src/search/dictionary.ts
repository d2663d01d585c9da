import { type Database, type Executable, raw, type Sql, sql } from '../database/database.ts'

/** Longer than a worker is usually down, because words of older issues are added only by `countWords`. */
const ADDED_WITHIN = '1 day'

/** Adds the words of public issues that were written within the last day to the dictionary, and raises counts that are lower. Idempotent. */
export async function addWords(db: Executable): Promise<void> {
  await db.execute(sql`
    INSERT INTO search_words AS w (word, reports)
    ${wordsOf(`AND i.updated_at > now() - interval ''${ADDED_WITHIN}''`)}
    ON CONFLICT (word) DO UPDATE SET reports = EXCLUDED.reports WHERE w.reports < EXCLUDED.reports`)
}

/** Counts the words of all public issues and deletes those that no issue has. It has no timeout: a million issues take twelve seconds. */
export async function countWords(db: Pick<Database, 'bulk'>): Promise<void> {
  await db.bulk((session) =>
    session.execute(sql`
      WITH counted AS MATERIALIZED (${wordsOf('')}),
      deleted AS (DELETE FROM search_words w WHERE NOT EXISTS (SELECT FROM counted c WHERE c.word = w.word))
      INSERT INTO search_words AS w (word, reports)
      SELECT c.word, c.reports FROM counted c
      ON CONFLICT (word) DO UPDATE SET reports = EXCLUDED.reports WHERE w.reports <> EXCLUDED.reports`),
  )
}

/** Each word and stem with the number of issues that have it. `ts_stat` takes its query as a text. */
const wordsOf = (condition: string): Sql => sql`
  SELECT counted.word, counted.ndoc AS reports
  FROM ts_stat('${raw(`SELECT i.search FROM issues i WHERE i.moderation_state = ''passed'' ${condition}`)}') counted
  WHERE length(counted.word) BETWEEN 3 AND 40 AND counted.word !~ '[0-9]'`
