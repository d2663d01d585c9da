import { join, type Queryable, type Sql, sql } from '../database/database.ts'
import { problems } from '../http/problems.ts'

const wordsMax = 10
/** Shorter words have too few trigrams to say what they are like. */
const typoTolerantFrom = 4
const alikeMax = 5

interface SearchTerm {
  readonly word: string
  /** Words of reports that are like this one, where no report has it. */
  readonly alike: readonly string[]
}

/**
 * The words of a search, made ready for `matches`. A word that begins no word of any report was probably mistyped: then the words that
 * are most like it by trigrams stand in. Undefined: nothing was asked for.
 * @throws Problem 422 for more than ten words
 */
export async function readSearch(db: Queryable, text: string | undefined): Promise<readonly SearchTerm[] | undefined> {
  if (text === undefined || text.trim() === '') return undefined
  const words = [
    ...new Set(
      text
        .normalize('NFC')
        .toLowerCase()
        .match(/[\p{L}\p{N}\p{M}]+/gu) ?? [],
    ),
  ]
  if (words.length > wordsMax) throw problems.invalid({ search: `must have at most ${wordsMax} words` })
  return db.query<SearchTerm>(sql`
    SELECT typed.word, CASE WHEN length(typed.word) < ${typoTolerantFrom} OR known.word THEN '{}' ELSE ARRAY(
        SELECT w.word FROM search_words w
        WHERE w.word % typed.plain
        GROUP BY w.word
        ORDER BY similarity(w.word, typed.plain) DESC, w.word
        LIMIT ${alikeMax}) END AS alike
    FROM (SELECT given.word, given.position, lower(unaccent(given.word)) AS plain
          FROM unnest(${words}::text[]) WITH ORDINALITY AS given (word, position)) typed
    CROSS JOIN LATERAL (SELECT
      EXISTS (SELECT FROM search_words w WHERE w.word ~>=~ typed.plain AND w.word ~<~ (typed.plain || ${LAST_CHARACTER}))
      OR EXISTS (SELECT FROM search_words w
        WHERE w.word = ANY(tsvector_to_array(to_tsvector('public.fixpoint_stems', typed.word)))) AS word) known
    ORDER BY typed.position`)
}

/** Follows every other character, so that a range of words is all those with one beginning. */
const LAST_CHARACTER = '\u{10FFFF}'

/**
 * Every word must be there: by its beginning, by its stem, or by one of those that it is like. All of it is one tsquery, which the
 * index on `search` answers.
 */
export function matches(terms: readonly SearchTerm[]): Sql {
  if (terms.length === 0) return sql`FALSE`
  const queries = terms.map(({ word, alike }) => {
    const readings = [
      sql`to_tsquery('public.fixpoint_words'::regconfig, ${`${word}:*`})`,
      sql`to_tsquery('public.fixpoint_stems'::regconfig, ${word})`,
      // Words of the index itself, quoted so that they are taken as they are.
      ...alike.map((lexeme) => sql`${`'${lexeme.replaceAll("'", "''").replaceAll('\\', '\\\\')}'`}::tsquery`),
    ]
    return sql`(${join(readings, ' || ')})`
  })
  return sql`i.search @@ (${join(queries, ' && ')})`
}
