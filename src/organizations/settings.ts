import { sql, type Transaction, type Database, type Queryable, Id, nullable } from '../database/database.ts'
import { problems } from '../errors/problems.ts'
import { parsePolygonArea, type PolygonArea, type PolygonLookup } from '../geo/polygon.ts'
import { toMailbox } from '../http/schema/fields.ts'
import { text } from '../locales/texts.ts'
import { lockMemberships } from './queries.ts'
import type { OrganizationInput } from './schema.ts'
import Type, { type Static } from 'typebox'
import { limitClause, type Page } from '../http/lists/pagination.ts'

/** @throws Problem 422 that says what is wrong with the GeoJSON */
export async function readOrganizationArea(area: object | string, lookup: PolygonLookup): Promise<PolygonArea> {
  const parsed = await parsePolygonArea(area, lookup)
  if ('error' in parsed) throw problems.invalid({ area: parsed.error })
  return parsed
}

/** Changes the settings that are present, and the area. @throws Problem 422 that names the field */
export async function changeSettings(
  tx: Transaction,
  id: number,
  { inbox_email, ...input }: Omit<OrganizationInput, 'area' | 'forwarding'>,
  area?: PolygonArea,
): Promise<void> {
  await lockMemberships(tx)
  const { language } = await tx.prisma.organization.findUniqueOrThrow({ where: { id }, select: { language: true } })
  const name = input.name?.trim()
  if (input.translations?.[language]) throw problems.invalid({ translations: text('translation_of_own_language', { language }) })
  if (name !== undefined && (await tx.prisma.organization.count({ where: { name, id: { not: id } } })) > 0)
    throw problems.invalid({ name: text('organization_name_taken') })
  const data = {
    ...input,
    ...(name === undefined ? {} : { name }),
    ...(inbox_email === undefined ? {} : { inbox_email: inbox_email && toMailbox(inbox_email) }),
  }
  await tx.prisma.organization.update({ where: { id }, data: { ...data, updated_at: new Date() } })
  if (area)
    await tx.execute(
      sql`UPDATE organizations o SET area = ST_Multi(ST_SetSRID(ST_GeomFromGeoJSON(${area.geojson}), 4326)) WHERE o.id = ${id}`,
    )
}

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
