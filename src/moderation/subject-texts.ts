import Type from 'typebox'

import type { SubjectType } from '../content-policy/subject-types.ts'
import { type Queryable, type Sql, sql } from '../database/database.ts'

export const editableFields = {
  issue: ['summary', 'description', 'address'],
  comment: ['comment'],
  question: ['question'],
  answer: ['answer'],
  user: ['name'],
} as const

/** Selects the author for a row `item` of moderation_items, even of an anonymous report; null if account or subject was deleted. */
export const itemAuthorId = sql`
  CASE item.subject_type
    WHEN 'issue' THEN (SELECT i.reporter_id FROM issues i WHERE i.id = item.subject_id)
    WHEN 'comment' THEN (SELECT c.commenter_id FROM comments c WHERE c.id = item.subject_id)
    WHEN 'question' THEN (SELECT q.asker_id FROM questions q WHERE q.id = item.subject_id)
    WHEN 'answer' THEN (SELECT a.answerer_id FROM answers a WHERE a.id = item.subject_id)
    WHEN 'user' THEN (SELECT u.id FROM users u WHERE u.id = item.subject_id) END`

const textQueries: Readonly<Record<SubjectType, (id: number) => Sql>> = {
  issue: (id) => sql`
    SELECT t.text FROM (
      SELECT unnest(ARRAY[i.summary, i.description, i.address]) AS text, 0 AS position FROM issues i WHERE i.id = ${id}
      UNION ALL
      SELECT a.answer, a.position + 1 FROM issue_answers a WHERE a.issue_id = ${id} AND NOT a.answer_kept_private) t
    WHERE t.text IS NOT NULL
    ORDER BY t.position`,
  comment: (id) => sql`SELECT c.comment AS text FROM comments c WHERE c.id = ${id}`,
  question: (id) => sql`SELECT q.question AS text FROM questions q WHERE q.id = ${id}`,
  answer: (id) => sql`SELECT a.answer AS text FROM answers a WHERE a.id = ${id}`,
  user: (id) => sql`SELECT u.name AS text FROM users u WHERE u.id = ${id}`,
}

const TextRow = Type.Object({ text: Type.String() })

export async function listPublicTexts(
  db: Queryable,
  { subject_type, subject_id }: { readonly subject_type: SubjectType; readonly subject_id: number },
): Promise<string[]> {
  const rows = await db.query(TextRow, textQueries[subject_type](subject_id))
  return rows.map(({ text }) => text)
}
