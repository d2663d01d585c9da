import { join, type Queryable, type Sql, sql } from '../database/database.ts'
import { problems } from '../errors/problems.ts'
import { alikeOf, type KnownWord } from './spelling.ts'

const wordsMax = 10
/** Shorter words, and the halves of a compound, say too little to be looked up in the dictionary. */
const DICTIONARY_FROM = 3
/** The second half of "pickup" and "cleanup" has two letters, and is not in the dictionary. */
const PARTICLE = 2
const isParticle = (word: string) => [...word].length === PARTICLE
/** Of the words that share trigrams with the typed one, so many of the most similar are compared letter by letter. */
const BY_TRIGRAMS_MAX = 30

export interface SearchTerm {
  readonly word: string
  /** Words of reports that were probably meant by this one. */
  readonly alike: readonly string[]
  /** The two words that one of these is made of, where reports have both: "streetlight" as "street light". */
  readonly halves: readonly (readonly [string, string])[]
}

/**
 * The words of a search, made ready for `matches`: each with those that it may be a misspelling of, and with their halves. Undefined:
 * nothing was asked for.
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
  const read = (await lookUp(db, words)).map(({ word, plain, stems, reports, known }) => {
    // Accents are typed on purpose: a word that reports have is no slip for a similar one then.
    const alike = plain !== word && reports > 0 ? [] : alikeOf(plain, reports, known)
    return { word, alike, cuts: [...new Set([plain, ...stems, ...alike])].flatMap(cutsOf) }
  })
  const halves = await knownAmong(
    db,
    read.flatMap(({ cuts }) => cuts.flat()),
  )
  return read.map(({ word, alike, cuts }) => ({
    word,
    alike,
    halves: cuts.filter(([first, second]) => halves.has(first) && (halves.has(second) || isParticle(second))),
  }))
}

interface LookedUp {
  readonly word: string
  /** Lower case, without accents, as the dictionary has its words. */
  readonly plain: string
  readonly stems: readonly string[]
  /** About how many reports it finds as it is typed. */
  readonly reports: number
  /** Words that look like it. */
  readonly known: readonly KnownWord[]
}

/** Follows every other character, so that a range of words is all those with one beginning. */
const LAST_CHARACTER = '\u{10FFFF}'

/** What the dictionary has to each word; numbers and very short words are not in it. */
function lookUp(db: Queryable, words: readonly string[]): Promise<LookedUp[]> {
  return db.query<LookedUp>(sql`
    WITH typed AS MATERIALIZED (
      SELECT p.*, p.plain || ${LAST_CHARACTER}::text AS last, spellings(p.plain) AS spellings,
        tsvector_to_array(to_tsvector('public.fixpoint_stems', p.word)) AS stems,
        length(p.plain) >= ${DICTIONARY_FROM} AND p.plain !~ '[0-9]' AS is_looked_up
      FROM (SELECT g.word, g.position, lower(unaccent(g.word)) AS plain
            FROM unnest(${words}::text[]) WITH ORDINALITY AS g (word, position)) p)
    SELECT typed.word, typed.plain, CASE WHEN typed.is_looked_up THEN typed.stems ELSE '{}' END AS stems,
      coalesce(CASE WHEN typed.is_looked_up THEN greatest(
        (SELECT sum(w.reports) FROM search_words w WHERE w.word ~>=~ typed.plain AND w.word ~<~ typed.last),
        (SELECT sum((SELECT sum(w.reports) FROM search_words w WHERE w.word = stem)) FROM unnest(typed.stems) stem)) END,
        0)::integer AS reports,
      CASE WHEN typed.is_looked_up THEN (
        SELECT coalesce(json_agg(json_build_object('word', near.word, 'reports', near.reports)), '[]')
        FROM (SELECT either.word, max(either.reports) AS reports
              FROM (SELECT s.word, s.reports FROM search_words s WHERE spellings(s.word) && typed.spellings
                    UNION ALL
                    (SELECT t.word, t.reports FROM search_words t WHERE t.word % typed.plain
                     ORDER BY similarity(t.word, typed.plain) DESC, t.reports DESC, t.id LIMIT ${BY_TRIGRAMS_MAX})) either
              WHERE either.reports > 0
              GROUP BY either.word) near) ELSE '[]' END AS known
    FROM typed
    ORDER BY typed.position`)
}

async function knownAmong(db: Queryable, words: readonly string[]): Promise<ReadonlySet<string>> {
  if (words.length === 0) return new Set()
  const rows = await db.query<{ word: string }>(sql`
    SELECT given.word FROM unnest(${[...new Set(words)]}::text[]) AS given (word)
    WHERE (SELECT sum(w.reports) FROM search_words w WHERE w.word = given.word) > 0`)
  return new Set(rows.map(({ word }) => word))
}

/** All ways of cutting a word in two that the dictionary may know. Taking accents off may leave signs, "½" is "1/2" then: no words. */
function cutsOf(word: string): [first: string, second: string][] {
  const letters = /^[\p{L}\p{M}]+$/u.test(word) ? [...word] : []
  const places = Array.from(
    { length: Math.max(letters.length - DICTIONARY_FROM - PARTICLE + 1, 0) },
    (_, place) => place + DICTIONARY_FROM,
  )
  return places.map((place) => [letters.slice(0, place).join(''), letters.slice(place).join('')])
}

/**
 * Every word must be there: as it was typed, as one that it is like, in two halves, or joined with its neighbour. All of it is one
 * tsquery, which the index on `search` answers.
 * @param search the column of words and stems, of issues or of something else that is searched alike
 */
export function matches(terms: readonly SearchTerm[], search = sql`i.search`): Sql {
  if (terms.length === 0) return sql`FALSE`
  const joined = terms.slice(1).map(({ word }, position) => joinedWith(terms[position]?.word ?? '', word))
  const queries = terms.map(({ word, alike, halves }, position) => {
    // Beside "street light" a report may have "streetlight", which then stands for both words.
    const compounds = [joined[position - 1], joined[position]].filter((compound) => compound !== undefined)
    const readings = [word, ...compounds].flatMap((written) => [
      sql`to_tsquery('public.fixpoint_words'::regconfig, ${`${written}:*`})`,
      sql`to_tsquery('public.fixpoint_stems'::regconfig, ${written})`,
    ])
    // Words of the index itself, quoted so that they are taken as they are.
    const likely = alike.flatMap((lexeme) => [
      sql`${`'${lexeme.replaceAll("'", "''").replaceAll('\\', '\\\\')}':*`}::tsquery`,
      sql`plainto_tsquery('public.fixpoint_stems'::regconfig, ${lexeme})`,
    ])
    // Side by side, as words (weight D) or as stems (B).
    const apart = halves.flatMap(([first, second]) => [
      sql`to_tsquery('public.fixpoint_words'::regconfig, ${`${first}:D <-> ${second}:${isParticle(second) ? '' : '*'}D`})`,
      sql`to_tsquery('public.fixpoint_stems'::regconfig, ${`${first}:B <-> ${second}:B`})`,
    ])
    return sql`(${join([...readings, ...likely, ...apart], ' || ')})`
  })
  return sql`${search} @@ (${join(queries, ' && ')})`
}

/** Numbers, and words too short to be half of another, are not joined: "12" and "th", "a" and "long"; but "pick" and "up" are. */
function joinedWith(first: string, second: string): string | undefined {
  return /^[\p{L}\p{M}]{3,}$/u.test(first) && /^[\p{L}\p{M}]{2,}$/u.test(second) ? first + second : undefined
}
