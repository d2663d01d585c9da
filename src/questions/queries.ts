import Type, { type Static } from 'typebox'

import {
  EntriesRow,
  Count,
  Id,
  nullable,
  stringEnum,
  Timestamp,
  type Queryable,
  type Sql,
  sql,
  leftJoin,
} from '../database/database.ts'
import { orNotFound } from '../errors/problems.ts'
import type { Viewer } from '../http/auth/authentication.ts'
import { limitClause, type Page } from '../http/lists/pagination.ts'
import type { Urls } from '../http/request/urls.ts'
import { toTimestamp } from '../http/schema/fields.ts'
import { canInPlace } from '../issue-lifecycle/acting-organizations.ts'
import { moderationStates } from '../issue-lifecycle/status.ts'
import { matchesSearch, type SearchTerm } from '../search/search-terms.ts'
import { UserSummaryRow, toUserSummary, userSummary } from '../users/present.ts'
import type { ListQuestionsQuery, Question } from './schema.ts'

const CityRow = Type.Object({ id: Id, name: Type.String(), url_name: Type.String() })
export type CityRow = Static<typeof CityRow>

const QuestionRow = Type.Object({
  id: Id,
  question: Type.String(),
  locale: Type.String(),
  moderation_state: stringEnum(moderationStates),
  answer_count: Count,
  popularity: Type.Integer(),
  accepted_answer_id: nullable(Id),
  created_at: Timestamp,
  updated_at: Timestamp,
  asker: nullable(UserSummaryRow),
  place: CityRow,
})
export type QuestionRow = Static<typeof QuestionRow>

/** Subqueries replace joins, because each is a lookup by key for the twenty rows of a page. */
const questionColumns = sql`
  q.id, q.question, q.locale, q.moderation_state, q.answer_count, q.popularity, q.created_at, q.updated_at,
  (SELECT a.id FROM answers a WHERE a.question_id = q.id AND a.accepted_at IS NOT NULL) AS accepted_answer_id,
  (SELECT ${userSummary(sql`u`)} FROM users u WHERE u.id = q.asker_id) AS asker,
  (SELECT json_build_object('id', p.id, 'name', p.name, 'url_name', p.url_name) FROM places p WHERE p.id = q.place_id) AS place`

/** Held and rejected questions are visible to their asker and to moderators of their city only. */
export const questionReadableBy = (viewer: Viewer | null): Sql =>
  viewer
    ? sql`(q.moderation_state = 'passed' OR q.asker_id = ${viewer.id} OR ${canInPlace(viewer, 'moderate', sql`q.place_id`)})`
    : sql`q.moderation_state = 'passed'`

interface QuestionFilter {
  readonly placeId: number
  readonly subset: ListQuestionsQuery['subset']
  readonly terms: readonly SearchTerm[] | undefined
}

/** A question has answers exactly if its popularity is above 0, so one index serves both subsets. */
const subsets = { answered: sql`q.popularity > 0`, unanswered: sql`q.popularity = 0`, '': sql`TRUE` } as const

const conditions = ({ placeId, subset = '', terms }: QuestionFilter) => sql`
  q.place_id = ${placeId}::integer AND q.moderation_state = 'passed' AND ${subsets[subset]}
  AND ${terms ? matchesSearch(terms, sql`q.search`) : sql`TRUE`}`

const byPopularity = sql`ORDER BY q.popularity DESC, q.created_at DESC, q.id DESC`

/** Returns one page of questions, the most popular first, then the newest, and their total number. */
export async function listQuestions(
  db: Queryable,
  filter: QuestionFilter,
  page: Page,
): Promise<{ readonly entries: number; readonly questions: readonly QuestionRow[] }> {
  const [total] = await db.query(sql.type(EntriesRow)`
    SELECT count(*)::integer AS entries FROM questions q WHERE ${conditions(filter)}`)
  const entries = total?.entries ?? 0
  if ((page.page - 1) * page.perPage >= entries) return { entries, questions: [] }
  // A search collects its matches first: an index scan in list order would read the whole city for a rare word.
  const matchingQuestions = sql`
    SELECT q.id, q.popularity, q.created_at FROM questions q WHERE ${conditions(filter)} ${filter.terms ? sql`OFFSET 0` : sql``}`
  const questions = await db.query(sql.type(QuestionRow)`
    SELECT ${questionColumns}
    FROM (SELECT q.id FROM (${matchingQuestions}) q ${byPopularity} ${limitClause(page)}) listed
    JOIN questions q ON q.id = listed.id
    ${byPopularity}`)
  return { entries, questions }
}

/** @throws Problem 404. A moderator may hide a question right after it was written. */
export async function findQuestion(db: Queryable, id: number, viewer: Viewer | null): Promise<QuestionRow> {
  const question = await db.query(sql.first(QuestionRow)`
    SELECT ${questionColumns} FROM questions q WHERE q.id = ${id} AND ${questionReadableBy(viewer)}`)
  return orNotFound(question, 'the_question')
}

/** Returns questions in any moderation state, unordered. Check the caller's rights first. */
export function listQuestionsByIds(db: Queryable, ids: readonly number[]): Promise<QuestionRow[]> {
  return db.query(sql.type(QuestionRow)`SELECT ${questionColumns} FROM questions q WHERE q.id = ANY(${ids}::integer[])`)
}

/** Returns a city; questions belong to no other kind of place. */
export const findCity = (db: Queryable, urlName: string): Promise<CityRow | undefined> =>
  db.query(sql.first(CityRow)`
    SELECT p.id, p.name, p.url_name FROM places p WHERE p.url_name = ${urlName} AND p.place_type = 'City'`)

const placesChangedAt = sql`(SELECT max(p.changed_at) FROM places p)`

export const questionChangeTimes = (id: number): readonly Sql[] => [
  sql`(SELECT q.changed_at FROM questions q WHERE q.id = ${id} AND q.moderation_state = 'passed')`,
  placesChangedAt,
]

const QuestionCityRow = Type.Object({
  id: Id,
  name: Type.String(),
  url_name: Type.String(),
  county: nullable(Type.String()),
  state: nullable(Type.String()),
  questions: Count,
  /** The most popular question. */
  question: nullable(Type.String()),
})
type QuestionCityRow = Static<typeof QuestionCityRow>

const TotalAndCity = leftJoin(Type.Object({ entries: Count }), QuestionCityRow)

/** Returns the cities with most public questions first, filtered by names that contain `search` without regard to case and accents. */
export async function listQuestionCities(
  db: Queryable,
  search: string,
  page: Page,
): Promise<{ entries: number; cities: QuestionCityRow[] }> {
  const condition = sql`p.place_type = 'City' AND position(lower(unaccent(${search})) IN lower(unaccent(p.name))) > 0`
  const rows = await db.query(sql.type(TotalAndCity)`
    SELECT total.entries, city.*
    FROM (SELECT count(*)::integer AS entries FROM places p WHERE ${condition}) total
    LEFT JOIN (
      SELECT p.id, p.name, p.url_name, p.county, p.state, coalesce(asked.questions, 0)::integer AS questions,
        (SELECT q.question FROM questions q WHERE q.place_id = p.id AND q.moderation_state = 'passed'
          ORDER BY q.popularity DESC, q.created_at DESC, q.id DESC LIMIT 1) AS question
      FROM places p
      LEFT JOIN (SELECT q.place_id, count(*) AS questions FROM questions q WHERE q.moderation_state = 'passed' GROUP BY q.place_id) asked
        ON asked.place_id = p.id
      WHERE ${condition}
      ORDER BY coalesce(asked.questions, 0) DESC, p.name, p.id
      ${limitClause(page)}) city ON true
    ORDER BY city.questions DESC, city.name, city.id`)
  return {
    entries: rows[0]?.entries ?? 0,
    cities: rows.flatMap(({ entries: _, ...city }) => (city.id === null ? [] : [city])),
  }
}

export function toQuestion({ moderation_state: _, place, ...row }: QuestionRow, urls: Urls): Question {
  return {
    ...row,
    asker: toUserSummary(row.asker, urls),
    created_at: toTimestamp(row.created_at),
    updated_at: toTimestamp(row.updated_at),
    place: { ...place, url: urls.api(`/places/${place.id}`) },
    url: urls.api(`/questions/${row.id}`),
    html_url: urls.at(`/questions/${row.id}`),
    answers_url: urls.api(`/questions/${row.id}/answers`),
    flag_url: urls.api(`/questions/${row.id}/flag`),
  }
}
