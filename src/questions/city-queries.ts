import Type, { type Static } from 'typebox'

import { Count, Id, leftJoin, nullable } from '../database/columns.ts'
import { type Queryable, sql } from '../database/database.ts'
import { limitClause, type Page } from '../http/lists/pagination.ts'

const QuestionCityRow = Type.Object({
  id: Id,
  name: Type.String(),
  url_name: Type.String(),
  state: nullable(Type.String()),
  questions: Count,
  /** The most popular question. */
  question: nullable(Type.String()),
})
export type QuestionCityRow = Static<typeof QuestionCityRow>

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
      SELECT p.id, p.name, p.url_name, p.state, coalesce(asked.questions, 0)::integer AS questions,
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
