import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'

import type { FastifyReply, FastifyRequest } from 'fastify'

import type { Box } from '../../geo/shapes.ts'
import { dropOverriddenParameters } from '../../geo/area-query.ts'
import { type Language, text } from '../../locales/texts.ts'
import { problems } from '../../errors/problems.ts'
import { toFormValues, translateErrors } from '../../html/form.ts'
import { sendPrivatePage } from '../../html/page.ts'
import { redirectToLogin } from '../../html/links.ts'
import { requireViewer } from '../../http/auth/authentication.ts'
import { countCaller } from '../../http/auth/login.ts'
import { pageLanguage } from '../../http/errors/text-language.ts'
import type { Viewer } from '../../http/identity/viewer-queries.ts'
import { mayIn } from '../../http/identity/capabilities.ts'
import { rolesWith } from '../../http/identity/roles.ts'
import { toPage } from '../../http/lists/pagination.ts'
import { withInputTransform } from '../../http/validation/compilers.ts'
import { countIssues, findIssueBounds, listIssueDots } from '../../issues/list/overview.ts'
import { findListPage } from '../../issues/list/page.ts'
import { listWorkKinds, listWorkOrganizations, listWorkPlaces } from '../../organizations/work-queries.ts'
import { listOutlinesIn } from '../../places/outline-queries.ts'
import { type Template, listTemplates } from '../../staff/templates.ts'
import { listReceivers, listTransfers } from '../../staff/transfers/queries.ts'
import { listViews } from '../../staff/worklist/views.ts'
import { listWorkRows, parseWorklist } from '../../staff/worklist/worklist.ts'
import { readStreets } from '../basemap/street-tiles.ts'
import { MAP_WIDTH } from '../map/drawn/map-svg.ts'
import type { WebServices } from '../map/page-maps.ts'
import { addBulkPages } from './bulk.ts'
import { changeSelected } from './work-changes.ts'
import { workPage, type WorkView } from './work-page.ts'
import { tabNames, tabQuery, toWorklistQuery, WorkQuery } from './work-query.ts'
import { addViewPages } from './work-views.ts'

/** More are not legible in a select. */
const CHOICES_MAX = 100
/** The newest issues of the list on its map. */
const DOTS_MAX = 500
/** Open offers from which the list takes those to the organisation. */
const OFFERS_MAX = 100

/** The list of the issues of an organisation, for its members and Admins. */
export const workPages: FastifyPluginAsyncTypebox<WebServices> = async (app, services) => {
  const { db, urls, areas, maps, clock } = services
  app.setValidatorCompiler(withInputTransform(app, 'querystring', dropOverriddenParameters))

  app.addHook('onRequest', async (request, reply) => {
    if (!request.viewer) return redirectToLogin(request, reply, urls, '/work')
    if (request.viewer.organizationIds.length === 0 && !request.viewer.isAdmin) throw problems.notPermitted(text('members_only'))
    if (request.method === 'POST') await countCaller(reply)
  })

  app.get('/work', { schema: { querystring: WorkQuery } }, async (request, reply) => sendList(request, reply, request.query))

  app.post('/work', { schema: { querystring: WorkQuery } }, async (request, reply) => {
    const { query } = request
    const values = toFormValues(request.body)
    return changeSelected(services, request, reply, {
      ...{ values, query },
      reject: (errors) => sendList(request, reply.code(422), query, { values, errors: translateErrors(request, errors) }),
    })
  })

  async function sendList(request: FastifyRequest, reply: FastifyReply, query: WorkQuery, rejected?: WorkView['rejected']) {
    const language = pageLanguage(request)
    const viewer = requireViewer(request)
    const page = toPage(query)
    const now = clock()
    const { organization, organizations } = await findOrganization(viewer, query, language)
    const { id: organizationId } = organization
    const parse = (one: WorkQuery) => parseWorklist({ reader: db, areas, viewer, organizationId, now }, toWorklistQuery(one), page)
    const { filter, order } = await parse(query)
    const [kinds, places, colleagues, views, bounds, dots, list, ...counts] = await Promise.all([
      listWorkKinds(db, [organizationId], language),
      listWorkPlaces(db, [organizationId], CHOICES_MAX),
      listMembers(organizationId),
      listViews(db, organizationId, viewer),
      findIssueBounds(db, filter),
      listIssueDots(db, filter, DOTS_MAX),
      findListPage(db, { filter, order, pagePosition: page, viewer }),
      ...tabNames.map(async (tab) => countIssues(db, (await parse(tabQuery(tab, organizationId))).filter)),
    ])
    const box = withMargin(bounds ?? organization)
    const ids = list.issues.map(({ id }) => id)
    const mayWork = mayIn(viewer, 'work_on_issues', organizationId)
    const [rows, receivers, templates, outlines, streets, offers] = await Promise.all([
      listWorkRows(db, ids),
      mayWork ? listReceivers(db, ids) : [],
      mayWork ? listTemplates(db, organizationId) : [],
      listOutlinesIn(db, box, MAP_WIDTH),
      readStreets(services, box, MAP_WIDTH),
      listTransfers(db, organizationId, { page: 1, perPage: OFFERS_MAX }),
    ])
    const view = {
      ...{ query, page, organization, organizations, kinds, places, colleagues, views, list, rows, receivers },
      ...{ dots, outlines, streets, now, viewer, bounds: box, offers, rejected, mayWork },
      templates: templates.filter(closes),
      counts: new Map(tabNames.map((tab, index) => [tab, counts[index] ?? 0])),
    }
    return sendPrivatePage(request, reply, urls, { ...workPage(view, { urls, maps, language }), map: await maps.embedded() })
  }

  /** @throws Problem 404 for an organisation to which the caller does not belong */
  async function findOrganization(viewer: Viewer, { organization_id }: WorkQuery, language: Language) {
    const organizations = await listWorkOrganizations(db, viewer.isAdmin ? null : viewer.organizationIds, language)
    const organization = organizations.find(({ id }) => id === (organization_id ?? viewer.organizationIds[0] ?? id))
    if (!organization) throw problems.notFound('the_organization')
    return { organization, organizations }
  }

  async function listMembers(organization_id: number) {
    const members = await db.prisma.organizationMember.findMany({
      where: { organization_id, role: { in: [...rolesWith('work_on_issues')] } },
      select: { user: { select: { id: true, name: true } } },
      orderBy: [{ user: { name: 'asc' } }, { user_id: 'asc' }],
      take: CHOICES_MAX,
    })
    return members.map(({ user }) => user)
  }

  addViewPages(app, services)
  addBulkPages(app, services, { findOrganization, listMembers })
}

const closes = ({ outcome, retired_at }: Template) => outcome !== null && retired_at === null

/** The margin in degrees, about a street, keeps pins from the edge of the map. */
const MARGIN = 0.002

const withMargin = ({ west, south, east, north }: Box): Box => ({
  west: Math.max(west - MARGIN, -180),
  south: Math.max(south - MARGIN, -85),
  east: Math.min(east + MARGIN, 180),
  north: Math.min(north + MARGIN, 85),
})
