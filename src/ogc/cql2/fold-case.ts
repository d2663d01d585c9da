import { type Sql, sql } from '../../database/database.ts'

/** The upper case of the dotless i is I, but it is another letter than i. A noncharacter has no upper case and is in no text. */
const DOTLESS_I = '\u{131}'
const NONCHARACTER = '\u{ffff}'

/**
 * Returns a text that is equal where full case folding (Unicode, statuses C and F) is equal: the upper case of the lower case. PostgreSQL
 * has `casefold` from version 18 on. The root collation of ICU does not depend on the locale of a server.
 */
export const foldCase = (value: Sql): Sql =>
  sql`(upper(translate(lower(${value} COLLATE "und-x-icu"), ${DOTLESS_I}::text, ${NONCHARACTER}::text)) COLLATE "C")`
