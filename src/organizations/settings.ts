import { sql, type Transaction, type Database, type Queryable, Id, nullable, type PrismaHandle } from '../database/database.ts'
import { problems, orNotFound } from '../errors/problems.ts'
import { parsePolygonArea, type PolygonArea, type PolygonLookup } from '../geo/polygon.ts'
import { failsWith } from '../http/schema/fields.ts'
import { toMailbox } from '../http/schema/mailbox.ts'
import { text, type Language, languageOf } from '../locales/texts.ts'
import { lockMemberships, requireOrganizationCapability } from './queries.ts'
import {
  type OrganizationInput,
  Capabilities,
  ListOrganizationsQuery,
  Organization,
  OrganizationChange,
  OrganizationList,
  OrganizationParams,
  type ListedOrganization,
  type OrganizationSettings,
} from './schema.ts'
import Type, { type Static } from 'typebox'
import { limitClause, type Page, queryParameters, toMetadata, toPage } from '../http/lists/pagination.ts'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { requireLogin, requireViewer } from '../http/auth/authentication.ts'
import { negotiateLanguage } from '../http/formats/content-types.ts'
import { capabilities, capabilitiesOf } from '../http/identity/roles.ts'
import { requireMatch, withEtag } from '../http/request/version-header.ts'
import { tagRoutes } from '../http/openapi/describe-operations.ts'
import type { Services } from '../services.ts'
import { findForwarding } from './forwarding-settings.ts'
import { mayIn } from '../http/identity/capabilities.ts'
import type { Viewer } from '../http/identity/viewer-queries.ts'
import type { Urls } from '../http/request/urls.ts'

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
type ListedOrganizationRow = Static<typeof ListedRow>

const columns = sql`
  o.id, o.name, o.language, o.translations, ST_XMin(o.area) AS west, ST_YMin(o.area) AS south, ST_XMax(o.area) AS east, ST_YMax(o.area) AS north,
  (SELECT coalesce(json_agg(json_build_object('id', rt.id, 'title', rt.title, 'language', rt.language, 'translations', rt.translations)
      ORDER BY rt.position, rt.title, rt.id), '[]')
    FROM request_types rt WHERE rt.organization_id = o.id AND rt.active) AS request_types`

const countOrganizations = (db: Database): Promise<number> => db.prisma.organization.count()

const listPublicOrganizations = (db: Queryable, page: Page): Promise<ListedOrganizationRow[]> =>
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
type OrganizationDetailsRow = Static<typeof OrganizationRow>

export const findOrganization = (db: Queryable, id: number): Promise<OrganizationDetailsRow | undefined> =>
  db.query(sql.first(OrganizationRow)`
    SELECT ${columns}, ST_AsGeoJSON(o.area)::json AS area, o.hold_everything, o.guest_reports, o.shows_people, o.shows_targets, o.inbox_email
    FROM organizations o WHERE o.id = ${id}`)

interface OrganizationServices extends Services {
  /** Stores a document of the organisation file, which is read in a higher room. @throws Problem 422 */
  readonly changeForwarding: (tx: Transaction, organizationId: number, document: unknown) => Promise<void>
}

export const organizationRoutes: FastifyPluginAsyncTypebox<OrganizationServices> = async (
  app,
  { db, urls, areas, changeForwarding },
) => {
  tagRoutes(app, 'Organisations')
  app.get(
    '/organizations',
    {
      schema: {
        operationId: 'listOrganizations',
        summary: 'List organisations',
        description: 'By name, each with the box around its area and its request types.',
        querystring: ListOrganizationsQuery,
        response: { 200: OrganizationList, ...failsWith(422) },
      },
    },
    async (request, reply) => {
      const page = toPage(request.query)
      const language = negotiateLanguage(request)
      const [entries, rows] = [await countOrganizations(db), await listPublicOrganizations(db, page)]
      const metadata = toMetadata(urls, '/organizations', queryParameters(request), page, entries)
      void reply.header('content-language', language)
      return { metadata, organizations: rows.map((row) => toListedOrganization(row, urls, language)), errors: {} }
    },
  )

  app.get(
    '/organizations/:id',
    {
      schema: {
        operationId: 'getOrganization',
        summary: 'Get an organisation with its area',
        description:
          'Members with the capability `manage_content` also get its `settings`, which are null for all others. Its ETag is `If-Match` of a change.',
        params: OrganizationParams,
        response: { 200: Organization, ...failsWith(404) },
      },
    },
    (request, reply) => present(request, reply, request.params.id),
  )

  app.put(
    '/organizations/:id',
    {
      onRequest: requireLogin,
      schema: {
        operationId: 'updateOrganization',
        summary: 'Change the settings of an organisation',
        description: 'With `If-Match`. Changes only the fields that are present. Needs the capability `manage_organization`.',
        params: OrganizationParams,
        body: OrganizationChange,
        response: { 200: Organization, ...failsWith(400, 404, 412, 413, 415, 422, 428) },
      },
    },
    async (request, reply) => {
      const { id } = request.params
      const viewer = requireViewer(request)
      await requireOrganizationCapability(db, id, viewer, 'manage_organization')
      const { area, forwarding, ...input } = request.body
      const polygon = area === undefined ? undefined : await readOrganizationArea(area, areas)
      await db.transaction(async (tx) => {
        await lockMemberships(tx)
        requireMatch(request, await readOrganization(tx, id, viewer))
        await changeSettings(tx, id, input, polygon)
        if (forwarding !== undefined) await changeForwarding(tx, id, forwarding)
      })
      return present(request, reply, id)
    },
  )

  app.get(
    '/organizations/:id/capabilities',
    {
      onRequest: requireLogin,
      schema: {
        operationId: 'getCapabilities',
        summary: 'Get what you may do in an organisation',
        description:
          'Your role and its capabilities. Admins have all capabilities without a role; users who are no members have none.',
        params: OrganizationParams,
        response: { 200: Capabilities, ...failsWith(404) },
      },
    },
    async (request) => {
      const viewer = requireViewer(request)
      const { id } = request.params
      if (!(await db.prisma.organization.findUnique({ where: { id }, select: { id: true } })))
        throw problems.notFound('the_organization')
      const role = viewer.memberships.find(({ organization_id }) => organization_id === id)?.role ?? null
      const granted = viewer.isAdmin ? capabilities : role === null ? [] : capabilitiesOf(role)
      return { organization_id: id, role, capabilities: [...granted] }
    },
  )

  async function present(request: FastifyRequest, reply: FastifyReply, id: number): Promise<Organization> {
    const row = await readOrganization(db, id, request.viewer)
    const language = negotiateLanguage(request)
    void reply.header('content-language', language)
    const body = toOrganization(row, urls, language, request.viewer)
    // Only callers who may change the settings get their version.
    return withEtag(reply, body, row.forwarding === undefined ? body : row)
  }
}

type OrganizationRow = OrganizationDetailsRow & Pick<OrganizationSettings, 'forwarding'>

/** Returns an organisation, with its forwarding for those who may change it. @throws Problem 404 */
async function readOrganization(db: Queryable & PrismaHandle, id: number, viewer: Viewer | null): Promise<OrganizationRow> {
  const row = orNotFound(await findOrganization(db, id), 'the_organization')
  return mayIn(viewer, 'manage_organization', id) ? { ...row, forwarding: await findForwarding(db, id) } : row
}

function toListedOrganization(row: ListedOrganizationRow, urls: Urls, language: Language): ListedOrganization {
  const { id, west, south, east, north } = row
  return {
    id,
    name: row.translations?.[language]?.['name'] ?? row.name,
    url: urls.api(`/organizations/${id}`),
    html_url: urls.at(`/organizations/${id}`),
    statistics_url: urls.api(`/organizations/${id}/statistics`),
    bbox: [west, south, east, north],
    request_types: row.request_types.map((type) => ({
      id: type.id,
      title: type.translations?.[language]?.['title'] ?? type.title,
      url: urls.api(`/request_types/${type.id}`),
    })),
  }
}

/** Settings are for members with the capability `manage_content`. */
function toOrganization(row: OrganizationRow, urls: Urls, language: Language, viewer: Viewer | null): Organization {
  const { name, hold_everything, guest_reports, shows_people, shows_targets, inbox_email, forwarding } = row
  const translations = (row.translations ?? {}) as OrganizationSettings['translations']
  return {
    ...toListedOrganization(row, urls, language),
    area: row.area,
    settings: mayIn(viewer, 'manage_content', row.id)
      ? {
          ...{ language: languageOf(row.language), name, translations },
          ...{ hold_everything, guest_reports, shows_people, shows_targets, inbox_email },
          ...(forwarding === undefined ? {} : { forwarding }),
        }
      : null,
  }
}
