import { type Queryable, type Sql, sql } from '../database/database.ts'
import type { Viewer } from '../http/auth/access.ts'
import { lastRemoval } from '../http/caching/last-modified.ts'
import { limitOf, type Page } from '../http/lists/pagination.ts'
import { matches, type SearchTerm } from '../search/search-terms.ts'
import type { UserSummaryRow } from '../users/present.ts'
import { userSummary } from '../users/queries.ts'
import type { ListQuestionsQuery } from './schema.ts'

export interface QuestionRow {
  readonly id: number
  readonly question: string
  readonly locale: string
  readonly moderation_state: 'passed' | 'held' | 'rejected'
  readonly answer_count: number
  readonly popularity: number
  readonly accepted_answer_id: number | null
  readonly created_at: string
  readonly updated_at: string
  readonly asker: UserSummaryRow | null
  readonly place: { readonly id: number; readonly name: string; readonly url_name: string }
}

/** Subqueries and not joins: each is a look-up by key for the twenty rows of a page. */
const questionColumns = sql`
  q.id, q.question, q.locale, q.moderation_state, q.answer_count, q.popularity, q.created_at, q.updated_at,
  (SELECT a.id FROM answers a WHERE a.question_id = q.id AND a.accepted_at IS NOT NULL) AS accepted_answer_id,
  (SELECT ${userSummary(sql`u`)} FROM users u WHERE u.id = q.asker_id) AS asker,
  (SELECT json_build_object('id', p.id, 'name', p.name, 'url_name', p.url_name) FROM places p WHERE p.id = q.place_id) AS place`

/** What is held or rejected exists for its asker and for moderators only. */
export function readableBy(viewer: Viewer | null): Sql {
  if (!viewer) return sql`q.moderation_state = 'passed'`
  return viewer.isModerator ? sql`TRUE` : sql`(q.moderation_state = 'passed' OR q.asker_id = ${viewer.id})`
}

export interface QuestionFilter {
  readonly placeId: number
  readonly subset: ListQuestionsQuery['subset']
  readonly terms: readonly SearchTerm[] | undefined
}

/** A question has answers exactly where its popularity is above 0, and by this the index has both subsets. */
const subsets = { answered: sql`q.popularity > 0`, unanswered: sql`q.popularity = 0`, '': sql`TRUE` } as const

const conditions = ({ placeId, subset = '', terms }: QuestionFilter) => sql`
  q.place_id = ${placeId}::integer AND q.moderation_state = 'passed' AND ${subsets[subset]}
  AND ${terms ? matches(terms, sql`q.search`) : sql`TRUE`}`

const byPopularity = sql`ORDER BY q.popularity DESC, q.created_at DESC, q.id DESC`

/** The popular ones first, of equals the newer one; and the exact number of rows over all pages. */
export async function listQuestions(
  db: Queryable,
  filter: QuestionFilter,
  page: Page,
): Promise<{ readonly entries: number; readonly questions: readonly QuestionRow[] }> {
  const [total] = await db.query<{ entries: number }>(sql`
    SELECT count(*)::integer AS entries FROM questions q WHERE ${conditions(filter)}`)
  const entries = total?.entries ?? 0
  if ((page.page - 1) * page.perPage >= entries) return { entries, questions: [] }
  // What a search finds is gathered first: walking along the index until twenty rows have a rare word would read the whole city.
  const found = sql`
    SELECT q.id, q.popularity, q.created_at FROM questions q WHERE ${conditions(filter)} ${filter.terms ? sql`OFFSET 0` : sql``}`
  const questions = await db.query<QuestionRow>(sql`
    SELECT ${questionColumns}
    FROM (SELECT q.id FROM (${found}) q ${byPopularity} ${limitOf(page)}) listed
    JOIN questions q ON q.id = listed.id
    ${byPopularity}`)
  return { entries, questions }
}

export async function findQuestion(db: Queryable, id: number, viewer: Viewer | null): Promise<QuestionRow | undefined> {
  const [question] = await db.query<QuestionRow>(sql`
    SELECT ${questionColumns} FROM questions q WHERE q.id = ${id} AND ${readableBy(viewer)}`)
  return question
}

/** These questions whatever became of them, for callers who may know; in no order. */
export function listQuestionsByIds(db: Queryable, ids: readonly number[]): Promise<QuestionRow[]> {
  return db.query<QuestionRow>(sql`SELECT ${questionColumns} FROM questions q WHERE q.id = ANY(${ids}::integer[])`)
}

export interface CityRow {
  readonly id: number
  readonly name: string
  readonly url_name: string
}

/** Where questions may be asked; other kinds of places have none. */
export async function findCity(db: Queryable, urlName: string): Promise<CityRow | undefined> {
  const [city] = await db.query<CityRow>(sql`
    SELECT p.id, p.name, p.url_name FROM places p WHERE p.url_name = ${urlName} AND p.place_type = 'City'`)
  return city
}

const lastChangeOfUsers = sql`(SELECT max(u.changed_at) FROM users u)`
const lastChangeOfPlaces = sql`(SELECT max(p.changed_at) FROM places p)`

/** When anything last changed that the lists of this place may show, those of a search left aside: what it finds changes with its dictionary. */
export const lastChangeOfQuestions = (urlName: string): readonly Sql[] => [
  // One place by a scalar subquery: joined, the newest would not be read from the end of the index, but all of them.
  sql`(SELECT max(q.changed_at) FROM questions q
    WHERE q.place_id = (SELECT p.id FROM places p WHERE p.url_name = ${urlName}) AND q.moderation_state = 'passed')`,
  lastChangeOfUsers,
  lastChangeOfPlaces,
  lastRemoval('questions'),
  lastRemoval('places'),
]

/** The same of one question and of its answers; nothing of those that not everybody may see. */
export const lastChangeOfQuestion = (id: number): readonly Sql[] => [
  sql`(SELECT q.changed_at FROM questions q WHERE q.id = ${id} AND q.moderation_state = 'passed')`,
  lastChangeOfUsers,
  lastChangeOfPlaces,
]
