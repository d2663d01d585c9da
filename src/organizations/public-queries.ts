import Type, { type Static } from 'typebox'

import { Id, nullable, type Database, type Queryable, sql } from '../database/database.ts'
import { limitClause, type Page } from '../http/lists/pagination.ts'

const Translations = nullable(Type.Unsafe<Readonly<Record<string, Readonly<Record<string, string>>>>>({ type: 'object' }))

const ListedRow = Type.Object({
  id: Id,
  name: Type.String(),
  language: Type.String(),
  translations: Translations,
  west: Type.Number(),
  south: Type.Number(),
  east: Type.Number(),
  north: Type.Number(),
  request_types: Type.Array(Type.Object({ id: Id, title: Type.String(), language: Type.String(), translations: Translations })),
})
export type ListedOrganizationRow = Static<typeof ListedRow>

const columns = sql`
  o.id, o.name, o.language, o.translations, ST_XMin(o.area) AS west, ST_YMin(o.area) AS south, ST_XMax(o.area) AS east, ST_YMax(o.area) AS north,
  (SELECT coalesce(json_agg(json_build_object('id', rt.id, 'title', rt.title, 'language', rt.language, 'translations', rt.translations)
      ORDER BY rt.position, rt.title, rt.id), '[]')
    FROM request_types rt WHERE rt.organization_id = o.id AND rt.active) AS request_types`

export const countOrganizations = (db: Database): Promise<number> => db.prisma.organization.count()

export const listPublicOrganizations = (db: Queryable, page: Page): Promise<ListedOrganizationRow[]> =>
  db.query(sql.type(ListedRow)`SELECT ${columns} FROM organizations o ORDER BY o.name, o.id ${limitClause(page)}`)

const OrganizationRow = Type.Object({
  ...ListedRow.properties,
  area: Type.Unsafe<{ type: string; coordinates: unknown[] }>({ type: 'object' }),
  hold_everything: Type.Boolean(),
  guest_reports: Type.Boolean(),
  shows_people: Type.Boolean(),
  shows_targets: Type.Boolean(),
  inbox_email: nullable(Type.String()),
})
export type OrganizationDetailsRow = Static<typeof OrganizationRow>

export async function findOrganization(db: Queryable, id: number): Promise<OrganizationDetailsRow | undefined> {
  const [organization] = await db.query(sql.type(OrganizationRow)`
    SELECT ${columns}, ST_AsGeoJSON(o.area)::json AS area, o.hold_everything, o.guest_reports, o.shows_people, o.shows_targets, o.inbox_email
    FROM organizations o WHERE o.id = ${id}`)
  return organization
}
