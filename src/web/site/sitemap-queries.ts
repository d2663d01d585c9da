import Type, { type Static } from 'typebox'

import { Id, Timestamp } from '../../database/columns.ts'
import { type Queryable, type Sql, sql } from '../../database/database.ts'

/** Limit of the protocol for the addresses in one file. A file has the rows of this many ids, so it never has more. */
export const ADDRESSES_MAX = 50_000
const ROWS_OF_A_QUERY = 5_000

export const sitemapKinds = ['issues', 'places', 'question-lists', 'questions'] as const
export type SitemapKind = (typeof sitemapKinds)[number]

interface Subject {
  readonly table: Sql
  readonly path: Sql
  readonly changedAt: Sql
  readonly isListed: Sql
}

const publicQuestions = sql`FROM questions q WHERE q.place_id = s.id AND q.moderation_state = 'passed'`

const subjects: Readonly<Record<SitemapKind, Subject>> = {
  issues: {
    table: sql`issues`,
    path: sql`'/issues/' || s.id`,
    changedAt: sql`s.updated_at`,
    isListed: sql`s.moderation_state = 'passed' AND s.status <> 'Archived'`,
  },
  places: { table: sql`places`, path: sql`'/places/' || s.url_name`, changedAt: sql`s.changed_at`, isListed: sql`TRUE` },
  // The list of a city without questions has no text of its own.
  'question-lists': {
    table: sql`places`,
    path: sql`'/places/' || s.url_name || '/questions'`,
    changedAt: sql`(SELECT max(q.changed_at) ${publicQuestions})`,
    isListed: sql`s.place_type = 'City' AND EXISTS (SELECT ${publicQuestions})`,
  },
  questions: {
    table: sql`questions`,
    path: sql`'/questions/' || s.id`,
    changedAt: sql`s.updated_at`,
    isListed: sql`s.moderation_state = 'passed'`,
  },
}

const Part = Type.Object({ part: Type.Integer({ minimum: 1 }) })

/** Returns the numbers of the files that have addresses. Each costs one look-up in the index of ids. */
export async function listSitemapParts(db: Queryable, kind: SitemapKind): Promise<number[]> {
  const { table, isListed } = subjects[kind]
  const next = (after: Sql) => sql`(SELECT s.id FROM ${table} s WHERE s.id > ${after} AND ${isListed} ORDER BY s.id LIMIT 1)`
  const rows = await db.query(sql.type(Part)`
    WITH RECURSIVE first_ids (id) AS (
      SELECT ${next(sql`0`)}
      UNION ALL
      SELECT ${next(sql`((first_ids.id - 1) / ${ADDRESSES_MAX}::bigint + 1) * ${ADDRESSES_MAX}::bigint`)}
      FROM first_ids WHERE first_ids.id IS NOT NULL)
    SELECT ((first_ids.id - 1) / ${ADDRESSES_MAX}::integer + 1)::integer AS part FROM first_ids WHERE first_ids.id IS NOT NULL`)
  return rows.map(({ part }) => part)
}

const SitemapRow = Type.Object({ id: Id, path: Type.String(), changed_at: Timestamp })
export type SitemapRow = Static<typeof SitemapRow>

/** Yields the rows of a file by id, some thousand at a time. */
export async function* readSitemapPart(db: Queryable, kind: SitemapKind, part: number): AsyncGenerator<readonly SitemapRow[]> {
  const { table, path, changedAt, isListed } = subjects[kind]
  let after = (part - 1) * ADDRESSES_MAX
  const last = after + ADDRESSES_MAX
  for (;;) {
    const rows = await db.query(sql.type(SitemapRow)`
      SELECT s.id, ${path} AS path, ${changedAt} AS changed_at FROM ${table} s
      WHERE s.id > ${after}::bigint AND s.id <= ${last}::bigint AND ${isListed}
      ORDER BY s.id
      LIMIT ${ROWS_OF_A_QUERY}::integer`)
    if (rows.length > 0) yield rows
    const end = rows.at(-1)
    if (!end || rows.length < ROWS_OF_A_QUERY) return
    after = end.id
  }
}
