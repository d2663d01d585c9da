import Type, { type Static } from 'typebox'

import { text } from '../locales/texts.ts'
import { Count, join, type Queryable, type Sql, sql } from '../database/database.ts'
import { problems } from '../errors/problems.ts'

const DictionaryWord = Type.Object({ word: Type.String(), reports: Count })
type DictionaryWord = Static<typeof DictionaryWord>

/** Words of this length or more may have an edit distance of two. */
const TWO_EDITS_LENGTH_MIN = 7
/** This limits the corrections of equal distance; the most frequent ones stay. */
const CORRECTIONS_MAX = 8
/** A word that occurs in reports is corrected only to a word that is this many times more frequent. */
const FREQUENCY_RATIO_MIN = 10
/** Short words need a higher ratio because most of them are one edit away from another valid word. */
const SHORT_FREQUENCY_RATIO_MIN = 100
const SHORT_LENGTH_MAX = 6

/**
 * Returns the nearest `known` words, and more distant ones only if they are many times more frequent than all nearer words. Every
 * near word is probable if no report contains the typed word (`reports` is 0).
 */
function findCorrections(typed: string, reports: number, known: readonly DictionaryWord[]): string[] {
  const letters = [...typed].length
  const candidates = known
    .filter(({ word }) => !word.startsWith(typed))
    .map((word) => ({ ...word, distance: editDistance(typed, word.word) }))
    .toSorted((one, other) => other.reports - one.reports || (one.word < other.word ? -1 : 1))
  const corrections: DictionaryWord[] = []
  let nearerReports = reports
  for (const distance of letters < TWO_EDITS_LENGTH_MIN ? [1] : [1, 2]) {
    const likely = candidates
      .filter((word) => word.distance === distance && isProbable(typed, letters, reports, nearerReports, word))
      .slice(0, CORRECTIONS_MAX)
    corrections.push(...likely)
    nearerReports += likely.reduce((sum, word) => sum + word.reports, 0)
  }
  return corrections.map(({ word }) => word)
}

function isProbable(
  typed: string,
  letters: number,
  reports: number,
  nearerReports: number,
  { word, reports: candidateReports }: DictionaryWord,
): boolean {
  const areSwapped = [...typed].toSorted().join('') === [...word].toSorted().join('')
  // Words of three letters have too many neighbours at distance one.
  if (letters < 4 && !areSwapped) return false
  // Typing errors are rare in the first letter.
  if (reports > 0 && typed[0] !== word[0]) return false
  return (
    candidateReports >=
    nearerReports * (letters < SHORT_LENGTH_MAX && !areSwapped ? SHORT_FREQUENCY_RATIO_MIN : FREQUENCY_RATIO_MIN)
  )
}

/** Returns the optimal string alignment distance: insertions, deletions, substitutions and swaps of two adjacent letters. */
function editDistance(one: string, other: string): number {
  const [from, to] = [[...one], [...other]]
  let previousRow: number[] = []
  let lastRow = [0, ...to.map((_, column) => column + 1)]
  for (const [row, letter] of from.entries()) {
    const current = [row + 1]
    for (const [column, wanted] of to.entries()) {
      const distanceAt = (matrixRow: readonly number[], index: number) => matrixRow[index] ?? Infinity
      const isSwap = row > 0 && column > 0 && letter === to[column - 1] && from[row - 1] === wanted
      current.push(
        Math.min(
          distanceAt(lastRow, column + 1) + 1,
          distanceAt(current, column) + 1,
          distanceAt(lastRow, column) + (letter === wanted ? 0 : 1),
          isSwap ? distanceAt(previousRow, column - 1) + 1 : Infinity,
        ),
      )
    }
    previousRow = lastRow
    lastRow = current
  }
  return lastRow[to.length] ?? 0
}

const WORDS_MAX = 10
/** Shorter words and shorter halves of a compound are too ambiguous for a dictionary lookup. */
const DICTIONARY_LENGTH_MIN = 3
/** The second half of "pickup" and "cleanup" has two letters and is not in the dictionary. */
const PARTICLE_LENGTH = 2
const isParticle = (word: string) => [...word].length === PARTICLE_LENGTH
/** This limits the words that share trigrams with the typed word and are compared with it by edit distance. */
const TRIGRAM_MATCHES_MAX = 30

export interface SearchTerm {
  readonly word: string
  readonly corrections: readonly string[]
  /** Pairs of dictionary words that form one of these words: "streetlight" is "street light". */
  readonly halves: readonly (readonly [string, string])[]
}

/** @throws Problem 422 for more than ten words */
export async function parseSearch(db: Queryable, search: string | undefined): Promise<readonly SearchTerm[] | undefined> {
  if (search === undefined || search.trim() === '') return undefined
  const words = [
    ...new Set(
      search
        .normalize('NFC')
        .toLowerCase()
        .match(/[\p{L}\p{N}\p{M}]+/gu) ?? [],
    ),
  ]
  if (words.length > WORDS_MAX) throw problems.invalid({ search: text('too_many_words', { max: WORDS_MAX }) })
  const candidates = (await findWords(db, words)).map(({ word, plain, stems, reports, known }) => {
    // An accented word that occurs in reports counts as intended and gets no corrections.
    const corrections = plain !== word && reports > 0 ? [] : findCorrections(plain, reports, known)
    return { word, corrections, splits: [...new Set([plain, ...stems, ...corrections])].flatMap(splitWord) }
  })
  const dictionaryWords = await findDictionaryWords(
    db,
    candidates.flatMap(({ splits }) => splits.flat()),
  )
  return candidates.map(({ word, corrections, splits }) => ({
    word,
    corrections,
    halves: splits.filter(([first, second]) => dictionaryWords.has(first) && (dictionaryWords.has(second) || isParticle(second))),
  }))
}

const WordRow = Type.Object({
  word: Type.String(),
  plain: Type.String(),
  stems: Type.Array(Type.String()),
  /** The estimated number of reports that contain the word as typed. */
  reports: Count,
  known: Type.Array(DictionaryWord),
})

/** This code point sorts after every other one, so it bounds a range of words with a common prefix. */
const LAST_CHARACTER = '\u{10FFFF}'

function findWords(db: Queryable, words: readonly string[]) {
  return db.query(sql.type(WordRow)`
    WITH typed AS MATERIALIZED (
      SELECT input.*, input.plain || ${LAST_CHARACTER}::text AS last, spellings(input.plain) AS spellings,
        tsvector_to_array(to_tsvector('public.fixpoint_stems', input.word)) AS stems,
        length(input.plain) >= ${DICTIONARY_LENGTH_MIN} AND input.plain !~ '[0-9]' AS is_looked_up
      FROM (SELECT words.word, words.position, lower(unaccent(words.word)) AS plain
            FROM unnest(${words}::text[]) WITH ORDINALITY AS words (word, position)) input)
    SELECT typed.word, typed.plain, CASE WHEN typed.is_looked_up THEN typed.stems ELSE '{}' END AS stems,
      coalesce(CASE WHEN typed.is_looked_up THEN greatest(
        (SELECT sum(search_words.reports) FROM search_words WHERE search_words.word ~>=~ typed.plain AND search_words.word ~<~ typed.last),
        (SELECT sum(search_words.reports) FROM search_words WHERE search_words.word = ANY(typed.stems))) END,
        0)::integer AS reports,
      CASE WHEN typed.is_looked_up THEN (
        SELECT coalesce(json_agg(json_build_object('word', near.word, 'reports', near.reports)), '[]')
        FROM (SELECT either.word, max(either.reports) AS reports
              FROM (SELECT search_words.word, search_words.reports FROM search_words WHERE spellings(search_words.word) && typed.spellings
                    UNION ALL
                    (SELECT search_words.word, search_words.reports FROM search_words WHERE search_words.word % typed.plain
                     ORDER BY similarity(search_words.word, typed.plain) DESC, search_words.reports DESC, search_words.word LIMIT ${TRIGRAM_MATCHES_MAX})) either
              GROUP BY either.word) near) ELSE '[]' END AS known
    FROM typed
    ORDER BY typed.position`)
}

const Word = Type.Object({ word: Type.String() })

async function findDictionaryWords(db: Queryable, words: readonly string[]): Promise<ReadonlySet<string>> {
  if (words.length === 0) return new Set()
  const rows = await db.query(sql.type(Word)`
    SELECT search_words.word FROM search_words WHERE search_words.word = ANY(${[...new Set(words)]}::text[])`)
  return new Set(rows.map(({ word }) => word))
}

/** Texts with other signs have no splits: removing accents may turn "½" into "1/2". */
function splitWord(word: string): [first: string, second: string][] {
  const letters = /^[\p{L}\p{M}]+$/u.test(word) ? [...word] : []
  const positions = Array.from(
    { length: Math.max(letters.length - DICTIONARY_LENGTH_MIN - PARTICLE_LENGTH + 1, 0) },
    (_, place) => place + DICTIONARY_LENGTH_MIN,
  )
  return positions.map((place) => [letters.slice(0, place).join(''), letters.slice(place).join('')])
}

/** Every term must occur as typed, corrected, halved or joined with its neighbour. The index on `search` serves one tsquery. */
export function matchesSearch(terms: readonly SearchTerm[], search = sql`i.search`): Sql {
  if (terms.length === 0) return sql`FALSE`
  const compoundWords = terms.slice(1).map(({ word }, position) => joinWords(terms[position]?.word ?? '', word))
  const queries = terms.map(({ word, corrections, halves }, position) => {
    // A report may contain "streetlight" for "street light"; the compound then matches both terms.
    const compounds = [compoundWords[position - 1], compoundWords[position]].filter((compound) => compound !== undefined)
    const asTyped = [word, ...compounds].flatMap((written) => [
      sql`to_tsquery('public.fixpoint_words'::regconfig, ${`${written}:*`})`,
      sql`to_tsquery('public.fixpoint_stems'::regconfig, ${written})`,
    ])
    // Corrections are lexemes of the index, quoted so that PostgreSQL does not parse them again.
    const corrected = corrections.flatMap((lexeme) => [
      sql`${`'${lexeme.replaceAll("'", "''").replaceAll('\\', '\\\\')}':*`}::tsquery`,
      sql`plainto_tsquery('public.fixpoint_stems'::regconfig, ${lexeme})`,
    ])
    // The halves must be adjacent, as words (weight D) or as stems (weight B).
    const split = halves.flatMap(([first, second]) => [
      sql`to_tsquery('public.fixpoint_words'::regconfig, ${`${first}:D <-> ${second}:${isParticle(second) ? '' : '*'}D`})`,
      sql`to_tsquery('public.fixpoint_stems'::regconfig, ${`${first}:B <-> ${second}:B`})`,
    ])
    return sql`(${join([...asTyped, ...corrected, ...split], ' || ')})`
  })
  return sql`${search} @@ (${join(queries, ' && ')})`
}

/** Numbers and very short words are not joined ("12" and "th", "a" and "long"), but "pick" and "up" are. */
function joinWords(first: string, second: string): string | undefined {
  return /^[\p{L}\p{M}]{3,}$/u.test(first) && /^[\p{L}\p{M}]{2,}$/u.test(second) ? first + second : undefined
}
