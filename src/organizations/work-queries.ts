import Type, { type Static } from 'typebox'

import type { Language } from '../locales/texts.ts'
import { Id, nullable, type Queryable, sql } from '../database/database.ts'

const WorkOrganization = Type.Object({
  id: Id,
  name: Type.String(),
  /** The language of the name. */
  language: Type.String(),
  /** The bounding box of its area. */
  west: Type.Number(),
  south: Type.Number(),
  east: Type.Number(),
  north: Type.Number(),
})
export type WorkOrganization = Static<typeof WorkOrganization>

/** @param ids null for all organisations */
export const listWorkOrganizations = (
  db: Queryable,
  ids: readonly number[] | null,
  language: Language,
): Promise<WorkOrganization[]> =>
  db.query(sql.type(WorkOrganization)`
    SELECT o.id, coalesce(o.translations -> ${language}::text ->> 'name', o.name) AS name,
      CASE WHEN o.translations ? ${language}::text THEN ${language}::text ELSE o.language END AS language,
      ST_XMin(o.area) AS west, ST_YMin(o.area) AS south, ST_XMax(o.area) AS east, ST_YMax(o.area) AS north
    FROM organizations o WHERE ${ids}::integer[] IS NULL OR o.id = ANY(${ids}::integer[]) ORDER BY o.name, o.id`)

const WorkKind = Type.Object({ title: Type.String(), language: Type.String(), ids: Type.Array(Id), is_own: Type.Boolean() })
export type WorkKind = Static<typeof WorkKind>

/** Returns the request types of these organisations and those of the community, by title, translated where they can be. Retired ones still have issues. */
export const listWorkKinds = (db: Queryable, organizationIds: readonly number[], language: Language): Promise<WorkKind[]> =>
  db.query(sql.type(WorkKind)`
    SELECT coalesce((array_agg(rt.translations -> ${language}::text ->> 'title' ORDER BY rt.id))[1], rt.title) AS title,
      CASE WHEN (array_agg(rt.translations ORDER BY rt.id))[1] ? ${language}::text THEN ${language}::text ELSE (array_agg(rt.language ORDER BY rt.id))[1] END AS language,
      array_agg(rt.id ORDER BY rt.id) AS ids, rt.organization_id IS NOT NULL AS is_own
    FROM request_types rt
    WHERE rt.organization_id IS NULL OR rt.organization_id = ANY(${organizationIds}::integer[])
    GROUP BY rt.title, rt.organization_id IS NOT NULL
    ORDER BY title`)

const WorkPlace = Type.Object({
  name: Type.String(),
  url_name: Type.String(),
  county: nullable(Type.String()),
  state: nullable(Type.String()),
})
export type WorkPlace = Static<typeof WorkPlace>

/** Returns the largest places whose bounding boxes meet the areas of these organisations, by name. */
export const listWorkPlaces = (db: Queryable, organizationIds: readonly number[], limit: number): Promise<WorkPlace[]> =>
  db.query(sql.type(WorkPlace)`
    SELECT largest.name, largest.url_name, largest.county, largest.state
    FROM (
      SELECT p.id, p.name, p.url_name, p.county, p.state FROM places p
      WHERE EXISTS (SELECT FROM organizations o WHERE o.id = ANY(${organizationIds}::integer[]) AND o.area && p.boundary)
      ORDER BY p.area_m2 DESC, p.id
      LIMIT ${limit}::integer) largest
    ORDER BY largest.name, largest.id`)
