import { type Queryable, type Sql, sql } from '../../database/database.ts'
import { idMax } from '../../http/schema/fields.ts'
import { matchesSearch, parseSearch, type SearchTerm } from '../../search/search-terms.ts'

export interface IssueSearch {
  /** The number of an issue, which is found whatever its words are. */
  readonly id: number | undefined
  /** Words of the issue; undefined if only the number is searched. */
  readonly terms: readonly SearchTerm[] | undefined
}

/**
 * `#12` finds only the issue with this number; `12` finds it in addition to issues with the word, such as the number of a house.
 * @throws Problem 422 for more than ten words
 */
export async function parseIssueSearch(db: Queryable, search: string | undefined): Promise<IssueSearch | undefined> {
  const number = parseIssueNumber(search)
  if (number?.isOnly) return { id: number.id, terms: undefined }
  // The dictionary has no numbers.
  if (number) return { id: number.id, terms: [{ word: number.digits, corrections: [], halves: [] }] }
  const terms = await parseSearch(db, search)
  return terms && { id: undefined, terms }
}

/** Returns undefined for a text that is no number of an issue. `isOnly` is true after `#`: no words are searched. */
export function parseIssueNumber(search: string | undefined) {
  const [, hash, digits = ''] = /^\s*(#?)\s*(\d+)\s*$/.exec(search ?? '') ?? []
  const id = Number(digits)
  return id >= 1 && id <= idMax ? { id, digits, isOnly: hash === '#' } : undefined
}

/** Returns a predicate over `issues i`, which the primary key and the index on `search` serve. */
export function matchesIssueSearch({ id, terms }: IssueSearch): Sql {
  const hasWords = terms && matchesSearch(terms)
  if (id === undefined) return hasWords ?? sql`FALSE`
  return hasWords ? sql`(i.id = ${id}::integer OR ${hasWords})` : sql`i.id = ${id}::integer`
}
