import type { MultiPolygon } from 'geojson'
import Type, { type Static } from 'typebox'

import { Id, IdRow, Timestamp, type Queryable, type Sql, sql, Count, join, translations } from '../database/database.ts'
import { isInStoredArea } from '../geo/area.ts'
import { type Point, toGeometry } from '../geo/shapes.ts'
import type { Language } from '../locales/texts.ts'
import { otherRequestType } from './other.ts'
import { translateQuestion, translateType, typeTextColumns, typeTexts } from './present.ts'
import { type QuestionTexts, RequestTypeQuestion } from './schema.ts'

export const oneRequestTypeChangeTimes = (id: number): readonly Sql[] => [
  sql`(SELECT greatest(rt.changed_at, o.changed_at)
    FROM request_types rt LEFT JOIN organizations o ON o.id = rt.organization_id WHERE rt.id = ${id})`,
]

const RequestTypeRow = Type.Object({
  id: Id,
  ...typeTexts,
  category: Type.String(),
  /** True for the type of an organisation that takes reports of an unnamed kind. */
  is_other: Type.Boolean(),
})
export type RequestTypeRow = ReturnType<typeof translateType<Static<typeof RequestTypeRow>>>

/** Texts are in the wanted language where they are translated; null is their own. A community type that is called Other is left out, because the list would then contain `other` twice. */
export async function listRequestTypesAt(db: Queryable, point: Point, language: Language | null = null): Promise<RequestTypeRow[]> {
  const rows = await db.query(sql.type(RequestTypeRow)`
    SELECT rt.id, ${typeTextColumns}, rt.category, rt.is_other
    FROM request_types rt
    LEFT JOIN organizations o ON o.id = rt.organization_id
    WHERE rt.active AND ${isAvailable(point)}
    ORDER BY o.name NULLS LAST, rt.position, rt.title, rt.id`)
  return rows.map((row) => translateType(row, language))
}

/** Returns whether type `rt` of organisation `o` can be reported, at a point or anywhere. */
function isAvailable(point?: Point): Sql {
  const isInArea = point ? isInStoredArea('organization', sql`o.id`, toGeometry(point)) : sql`o.id IS NOT NULL`
  const isTaken = point ? sql`(NOT rt.is_other OR rt.id = ${otherTypeAt(point)})` : sql`TRUE`
  return sql`(${isInArea} AND ${isTaken} OR (rt.organization_id IS NULL AND lower(trim(rt.title)) <> lower(${otherRequestType.title})))`
}

/** Returns the id of the type that takes reports of an unnamed kind at a point, of the organisation with the smallest area, or null. */
function otherTypeAt(point: Point): Sql {
  return sql`(SELECT other.id
    FROM request_types other
    JOIN organizations taker ON taker.id = other.organization_id
    WHERE other.active AND other.is_other AND ${isInStoredArea('organization', sql`taker.id`, toGeometry(point))}
    ORDER BY ST_Area(taker.area), taker.id
    LIMIT 1)`
}

/** Returns the id of the type that takes reports of an unnamed kind at a point, or undefined if no organisation takes them. */
export async function findOtherTypeAt(db: Queryable, point: Point): Promise<number | undefined> {
  const [found] = await db.query(sql.type(IdRow)`SELECT rt.id FROM request_types rt WHERE rt.id = ${otherTypeAt(point)}`)
  return found?.id
}

const ServiceRow = Type.Object({
  ...RequestTypeRow.properties,
  /** True if the type asks more than the built-in questions for a summary, a description and pictures. */
  has_own_questions: Type.Boolean(),
})
export type ServiceRow = ReturnType<typeof translateType<Static<typeof ServiceRow>>>

/** Returns the active request types of all organisations and the community, or of one organisation, in the order of `listRequestTypesAt`. */
export async function listServices(
  db: Queryable,
  { organizationId, point }: { readonly organizationId?: number | undefined; readonly point?: Point | undefined },
  language: Language,
): Promise<ServiceRow[]> {
  const rows = await db.query(sql.type(ServiceRow)`
    SELECT rt.id, ${typeTextColumns}, rt.category, rt.is_other,
      EXISTS (SELECT FROM request_type_questions q WHERE q.request_type_id = rt.id AND q.active AND (q.built_in IS NULL OR q.built_in = 'offensive')) AS has_own_questions
    FROM request_types rt
    LEFT JOIN organizations o ON o.id = rt.organization_id
    WHERE rt.active AND ${isAvailable(point)} AND ${organizationId === undefined ? sql`TRUE` : sql`rt.organization_id = ${organizationId}`}
    ORDER BY o.name NULLS LAST, rt.position, rt.title, rt.id`)
  return rows.map((row) => translateType(row, language))
}

/** Returns the ids of all request types of an organisation, inactive ones too. */
export async function listRequestTypeIds(db: Queryable, organizationId: number): Promise<number[]> {
  const rows = await db.query(sql.type(IdRow)`
    SELECT rt.id FROM request_types rt WHERE rt.organization_id = ${organizationId} ORDER BY rt.id`)
  return rows.map(({ id }) => id)
}

const LatestChange = Type.Object({ changed_at: Timestamp })

/** Returns when request types or organisations last changed, or when the database was created. */
export async function findLatestRequestTypeChange(db: Queryable): Promise<string> {
  const row = await db.query(sql.one(LatestChange)`
    SELECT greatest((SELECT max(rt.changed_at) FROM request_types rt), (SELECT max(o.changed_at) FROM organizations o),
      (SELECT min(migration.finished_at) FROM _prisma_migrations migration)) AS changed_at`)
  return row.changed_at
}

const KindRow = Type.Object({ ...typeTexts, ids: Type.Array(Id) })

/**
 * Returns the titles of the active request types with their ids in all organisations, the most frequent first, in all `limit`. Types with the
 * same title share the first one's translation.
 */
export async function listKinds(db: Queryable, limit: number, language: Language) {
  const rows = await db.query(sql.type(KindRow)`
    SELECT kinds.title, kinds.language, kinds.translations, kinds.ids,
      NULL AS organization, NULL AS organization_language, NULL::jsonb AS organization_translations
    FROM (
      SELECT rt.title, (array_agg(rt.language ORDER BY rt.id))[1] AS language, (array_agg(rt.translations ORDER BY rt.id))[1] AS translations,
        array_agg(rt.id ORDER BY rt.id) AS ids
      FROM request_types rt
      WHERE rt.active GROUP BY rt.title ORDER BY count(*) DESC, rt.title LIMIT ${limit}::integer) kinds
    ORDER BY kinds.title`)
  const kinds = rows.map((row) => translateType(row, language))
  return kinds.toSorted((one, other) => one.title.localeCompare(other.title, language))
}

/** Returns the active questions of a request type as the column `questions`; `rt` is the alias of `request_types`. */
export const questionsColumn = (rt: Sql) => sql`coalesce((
  SELECT json_agg(json_build_object(
    'primary_key', coalesce(q.built_in::text, q.id::text), 'question', q.question, 'question_type', q.question_type,
    'answer_kept_private', q.answer_kept_private, 'response_required', q.response_required, 'select_values', q.select_values,
    'translations', q.translations)
    ORDER BY q.position, q.id)
  FROM request_type_questions q WHERE q.request_type_id = ${rt}.id AND q.active), '[]') AS questions`

/** A question of `questionsColumn`. */
export const QuestionRow = Type.Object({ ...RequestTypeQuestion.properties, translations: translations<QuestionTexts>() })
export type QuestionRow = Static<typeof QuestionRow>

const RequestTypeWithQuestions = Type.Object({ ...RequestTypeRow.properties, questions: Type.Array(QuestionRow) })

export async function findRequestType(db: Queryable, id: number, language: Language | null) {
  const [found] = await listRequestTypesWithQuestions(db, [id], language)
  return found
}

/** Returns the types in the order of the ids, in a language as `listRequestTypesAt`. */
export async function listRequestTypesWithQuestions(db: Queryable, ids: readonly number[], language: Language | null) {
  const rows = await db.query(sql.type(RequestTypeWithQuestions)`
    SELECT rt.id, ${typeTextColumns}, rt.category, rt.is_other, ${questionsColumn(sql`rt`)}
    FROM request_types rt
    LEFT JOIN organizations o ON o.id = rt.organization_id
    WHERE rt.id = ANY(${ids}::integer[])
    ORDER BY array_position(${ids}::integer[], rt.id)`)
  return rows.map((row) => ({
    ...translateType(row, language),
    questions: row.questions.map((question) => translateQuestion(question, row.language, language)),
  }))
}

const ServiceAreaRow = Type.Object({
  id: Id,
  name: Type.String(),
  changed_at: Timestamp,
  /** The size of the area in the table, where it may be compressed. */
  stored_bytes: Count,
  /** The ids of the active request types in the order of the form. */
  request_type_ids: Type.Array(Id),
})
export type ServiceAreaRow = Static<typeof ServiceAreaRow>

interface ServiceAreaFilter {
  readonly organizationId: number | undefined
  /** Selects the areas that cover the point. */
  readonly point: Point | undefined
}

/** Returns the organisations with their request types, sorted by id, without the geometry, which can have many megabytes. */
export function listServiceAreas(db: Queryable, { organizationId, point }: ServiceAreaFilter): Promise<ServiceAreaRow[]> {
  const conditions: Sql[] = [
    ...(organizationId === undefined ? [] : [sql`o.id = ${organizationId}`]),
    ...(point ? [isInStoredArea('organization', sql`o.id`, toGeometry(point))] : []),
  ]
  return db.query(sql.type(ServiceAreaRow)`
    SELECT o.id, o.name, o.changed_at, pg_column_size(o.area) AS stored_bytes,
      coalesce((SELECT json_agg(rt.id ORDER BY rt.position, rt.title, rt.id) FROM request_types rt
        WHERE rt.organization_id = o.id AND rt.active), '[]') AS request_type_ids
    FROM organizations o
    WHERE ${join([sql`TRUE`, ...conditions], ' AND ')}
    ORDER BY o.id`)
}

/** Degrees have the digits that a double needs. */
const DECIMALS = 15
const GeometryRow = Type.Object({ id: Id, area: Type.Unsafe<MultiPolygon>({ type: 'object' }) })

/** Returns the areas of organisations by their ids. Rings follow the right-hand rule (RFC 7946). */
export async function findServiceAreaGeometries(db: Queryable, ids: readonly number[]): Promise<ReadonlyMap<number, MultiPolygon>> {
  const rows = await db.query(sql.type(GeometryRow)`
    SELECT o.id, ST_AsGeoJSON(ST_ForcePolygonCCW(o.area), ${DECIMALS}::integer, 0)::json AS area
    FROM organizations o WHERE o.id = ANY(${ids}::integer[])`)
  return new Map(rows.map(({ id, area }) => [id, area]))
}
