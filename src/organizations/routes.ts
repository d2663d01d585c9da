import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { PrismaHandle, Queryable, Transaction } from '../database/database.ts'
import { problems } from '../errors/problems.ts'
import { requireLogin, requireViewer } from '../http/auth/authentication.ts'
import { negotiateLanguage } from '../http/errors/text-language.ts'
import { capabilities, capabilitiesOf } from '../http/identity/roles.ts'
import { queryParameters, toMetadata, toPage } from '../http/lists/pagination.ts'
import { requireMatch, withEtag } from '../http/request/version-header.ts'
import { tagRoutes } from '../http/openapi/describe-operations.ts'
import { failsWith } from '../http/schema/fields.ts'
import type { Services } from '../services.ts'
import { findForwarding } from './forwarding-settings.ts'
import {
  changeSettings,
  readOrganizationArea,
  countOrganizations,
  findOrganization,
  listPublicOrganizations,
  type OrganizationDetailsRow,
  type ListedOrganizationRow,
} from './settings.ts'
import { lockMemberships, requireOrganizationCapability } from './queries.ts'
import {
  Capabilities,
  ListOrganizationsQuery,
  Organization,
  OrganizationChange,
  OrganizationList,
  OrganizationParams,
  type ListedOrganization,
  type OrganizationSettings,
} from './schema.ts'
import { mayIn } from '../http/identity/capabilities.ts'
import type { Viewer } from '../http/identity/viewer-queries.ts'
import type { Urls } from '../http/request/urls.ts'
import { type Language, languageOf } from '../locales/texts.ts'

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
  const row = await findOrganization(db, id)
  if (!row) throw problems.notFound('the_organization')
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
