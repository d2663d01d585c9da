import { type Sql, sql } from '../../database/database.ts'

/** The upper case of the dotless i is I, but it is another letter than i. A noncharacter has no upper case and is in no text. */
const DOTLESS_I = '\u{131}'
const NONCHARACTER = '\u{ffff}'
/** The lower case of Σ depends on its place in a word; its folded case is always σ. */
const FINAL_SIGMA = '\u{3c2}'
const SIGMA = '\u{3c3}'

/**
 * Returns the text after full case folding (Unicode, statuses C and F), which is in lower case: the lower case of the upper case of the lower
 * case. PostgreSQL has `casefold` from version 18 on. The root collation of ICU does not depend on the locale of a server.
 */
export const foldCase = (value: Sql): Sql => {
  const withoutDotless = sql`translate(lower(${value} COLLATE "und-x-icu"), ${DOTLESS_I}::text, ${NONCHARACTER}::text)`
  return sql`(translate(lower(upper(${withoutDotless})), ${NONCHARACTER + FINAL_SIGMA}::text, ${DOTLESS_I + SIGMA}::text) COLLATE "C")`
}

/** Returns the same for a column. Texts in ASCII avoid ICU, which takes ten times as long. */
export const foldCaseOfColumn = (column: Sql): Sql => {
  const isAscii = sql`octet_length(${column}) = char_length(${column})`
  return sql`(CASE WHEN ${isAscii} THEN lower(${column} COLLATE "C") ELSE ${foldCase(column)} END)`
}
