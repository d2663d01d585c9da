import { IdRow, type Queryable, sql } from '../database/database.ts'
import words from './category-words.json' with { type: 'json' }
import emptyWordList from './empty-words.json' with { type: 'json' }

/** Words by which residents name a problem, without accents, by the category of its request type. A word also matches its longer forms. */
export const categoryWords: Readonly<Record<string, readonly string[]>> = words

const MATCHES_MAX = 5
/** Shorter words are articles and prepositions. */
const WORD_LENGTH_MIN = 3
const WORDS_MAX = 20
/** Words of this length may be the start of a longer word: "lampposts" for "lamp". */
const STEM_LENGTH_MIN = 4
const LIKENESS_MIN = 0.5
/** A category is less exact than a title, and a question than both. */
const WEIGHTS = { category: 0.8, question: 0.75 } as const

/** Returns the ids of the types whose title, category or questions match, in any language, what a resident wrote, the best first, at most five. */
export async function matchRequestTypes(db: Queryable, ids: readonly number[], input: string): Promise<number[]> {
  const words = toWords(input)
  if (words.length === 0 || ids.length === 0) return []
  const rows = await db.query(sql.type(IdRow)`
    SELECT scored.id
    FROM (
      SELECT rt.id, rt.title, greatest(
        (SELECT max(strict_word_similarity(word, lower(unaccent(titles.title))))
          FROM (SELECT rt.title UNION ALL SELECT texts ->> 'title' FROM jsonb_path_query(rt.translations, '$.*') AS texts) titles
          CROSS JOIN unnest(${words}::text[]) AS word),
        CASE WHEN rt.category = ANY(${matchCategories(words)}::text[]) THEN ${WEIGHTS.category}::double precision ELSE 0 END,
        ${WEIGHTS.question}::double precision * coalesce((
          SELECT max(strict_word_similarity(word, lower(unaccent(questions.question))))
          FROM request_type_questions q
          CROSS JOIN LATERAL (
            SELECT q.question UNION ALL SELECT texts ->> 'question' FROM jsonb_path_query(q.translations, '$.*') AS texts) questions
          CROSS JOIN unnest(${words}::text[]) AS word
          WHERE q.request_type_id = rt.id AND q.active AND q.built_in IS NULL), 0)) AS likeness
      FROM request_types rt
      WHERE rt.id = ANY(${ids}::integer[])) scored
    WHERE scored.likeness >= ${LIKENESS_MIN}::double precision
    ORDER BY scored.likeness DESC, array_position(${ids}::integer[], scored.id)
    LIMIT ${MATCHES_MAX}::integer`)
  return rows.map(({ id }) => id)
}

const normalize = (text: string) =>
  text
    .normalize('NFD')
    .replaceAll(/\p{M}+/gu, '')
    .toLowerCase()

function toWords(input: string): string[] {
  const words = normalize(input).match(/[\p{L}\p{N}]+/gu) ?? []
  return [...new Set(words.filter((word) => word.length >= WORD_LENGTH_MIN && !emptyWords.has(word)))].slice(0, WORDS_MAX)
}

/** Words of every report, which say nothing about its type. */
const emptyWords = new Set(emptyWordList)

/** Keywords of several words match if all of them were written. */
function matchCategories(words: readonly string[]): string[] {
  const isWritten = (keyword: string) =>
    words.some((word) => word === keyword || (keyword.length >= STEM_LENGTH_MIN && word.startsWith(keyword)))
  return Object.entries(categoryWords).flatMap(([category, keywords]) =>
    keywords.some((keyword) =>
      keyword
        .split(' ')
        .filter((part) => part.length >= WORD_LENGTH_MIN)
        .every(isWritten),
    )
      ? [category]
      : [],
  )
}
