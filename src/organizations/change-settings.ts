import { sql, type Transaction } from '../database/database.ts'
import { problems } from '../errors/problems.ts'
import { parsePolygonArea, type PolygonArea, type PolygonLookup } from '../geo/polygon.ts'
import { toMailbox } from '../http/schema/fields.ts'
import { text } from '../locales/texts.ts'
import { lockMemberships } from './queries.ts'
import type { OrganizationInput } from './schema.ts'

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
  { inbox_email, ...input }: Omit<OrganizationInput, 'area'>,
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
