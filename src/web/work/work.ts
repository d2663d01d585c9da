import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import Type, { type Static } from 'typebox'
import { COMMENT_MAX } from '../../comments/new-comment.ts'
import type { Transaction } from '../../database/database.ts'
import { problems, type ValidationErrors } from '../../errors/problems.ts'
import { type FormValues, readBody, readText, toFormValues, translateErrors, validationErrorsFrom } from '../../html/form.ts'
import { createLinks, seeOther, redirectToLogin } from '../../html/links.ts'
import { sendPrivatePage } from '../../html/page.ts'
import { requireViewer } from '../../http/auth/authentication.ts'
import { pageLanguage } from '../../http/errors/text-language.ts'
import type { Viewer } from '../../http/identity/viewer-queries.ts'
import { commaList, Id, isBlankText } from '../../http/schema/fields.ts'
import { type Language, text, textsIn } from '../../locales/texts.ts'
import { type WorkOrganization, listWorkKinds, listWorkOrganizations, listWorkPlaces } from '../../organizations/work-queries.ts'
import { requireOrganizationCapability } from '../../organizations/queries.ts'
import type { Services } from '../../services.ts'
import { readRun, createRun, startRun, startUndo } from '../../staff/bulk/run.ts'
import { checkChange, previewRun, selectIds } from '../../staff/bulk/change.ts'
import { BulkChange, BulkParams } from '../../staff/bulk/schema.ts'
import { parseTypeId } from '../../staff/edits.ts'
import { TypeChange } from '../../staff/schema.ts'
import { listTypes } from '../../staff/staff-side.ts'
import { type BulkChoice, bulkChoicePage, bulkRunPage } from './bulk-page.ts'
import { SELECTED_MAX, changeSelected } from './work-changes.ts'
import { toParameters, toWorklistQuery, WorkQuery, tabNames, tabQuery } from './work-query.ts'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { Box } from '../../geo/shapes.ts'
import { dropOverriddenParameters } from '../../geo/area-query.ts'
import { countForm } from '../../http/auth/login.ts'
import { mayIn } from '../../http/identity/capabilities.ts'
import { rolesWith } from '../../http/identity/roles.ts'
import { toPage } from '../../http/lists/pagination.ts'
import { withInputTransform } from '../../http/validation/input-transforms.ts'
import { countIssues, findIssueBounds, listIssueDots } from '../../issues/list/overview.ts'
import { findListPage } from '../../issues/list/page.ts'
import { type Template, listTemplates } from '../../staff/templates.ts'
import { listReceivers, listTransfers } from '../../staff/transfers/queries.ts'
import { listViews } from '../../staff/worklist/views.ts'
import { listWorkRows, parseWorklist } from '../../staff/worklist/worklist.ts'
import { readMapLayers } from '../map/drawn/map-layers.ts'
import type { WebServices } from '../map/page-maps.ts'
import { workPage, type WorkView } from './work-page.ts'
import { addViewPages } from './work-views.ts'

const BulkQuery = Type.Object({
  ...WorkQuery.properties,
  ids: Type.Optional(commaList(Id, { 'x-allowed': text('issue_ids', { max: SELECTED_MAX }) })),
})
type BulkQuery = Static<typeof BulkQuery>

type Find = (viewer: Viewer, query: WorkQuery, language: Language) => Promise<{ readonly organization: WorkOrganization }>
interface Lists {
  readonly findOrganization: Find
  readonly listMembers: (organizationId: number) => Promise<BulkChoice['colleagues']>
}

/** The change of many issues: its choice, its preview, its progress and its undo. */
function addBulkPages(app: FastifyInstance, services: Services, { findOrganization, listMembers }: Lists): void {
  const { db, areas, urls, clock } = services
  const links = createLinks(urls)

  app.get<{ Querystring: BulkQuery }>('/bulk', { schema: { querystring: BulkQuery } }, async (request, reply) =>
    sendChoice(request, reply, await readSelection(request, request.query), {}),
  )

  app.post<{ Querystring: BulkQuery }>('/bulk', { schema: { querystring: BulkQuery } }, async (request, reply) => {
    const selection = await readSelection(request, request.query)
    const { ids, viewer: by, language } = selection
    try {
      if (ids.length === 0) return await sendChoice(request, reply, selection, {})
      const change = readChange(request, language)
      const now = clock()
      await checkChange(db, change, by, now)
      const preview = await previewRun(db, { ids, change, by, now, request_id: request.id, language })
      const id = await db.transaction((tx) => createRun(tx, { by, change, preview, now }))
      return await seeOther(reply, urls, `/bulk/${id}`)
    } catch (error) {
      return sendChoice(request, reply.code(422), selection, validationErrorsFrom(error))
    }
  })

  app.get<{ Params: Static<typeof BulkParams> }>('/bulk/:id', { schema: { params: BulkParams } }, async (request, reply) => {
    const run = await readRun(db, request.params.id, requireViewer(request))
    const { assignee_id, request_type_id } = run.change
    const select = { select: { name: true } }
    const [user, type] = await Promise.all([
      assignee_id ? db.prisma.user.findUnique({ where: { id: assignee_id }, ...select }) : null,
      request_type_id ? db.prisma.requestType.findUnique({ where: { id: request_type_id }, select: { title: true } }) : null,
    ])
    // Browsers load the page again without a script.
    if (run.state === 'running' || run.state === 'undoing') void reply.header('refresh', String(REFRESH_S))
    const page = { run, name: user?.name ?? type?.title, now: clock(), links, language: pageLanguage(request) }
    return sendPrivatePage(request, reply, urls, bulkRunPage(page))
  })

  type Start = (tx: Transaction, id: number, by: Viewer, values: FormValues) => Promise<void>
  const addStep = (step: string, start: Start) =>
    app.post<{ Params: Static<typeof BulkParams> }>(
      `/bulk/:id/${step}`,
      { schema: { params: BulkParams } },
      async (request, reply) => {
        const { id } = request.params
        await db.transaction((tx) => start(tx, id, requireViewer(request), toFormValues(request.body)))
        return seeOther(reply, urls, `/bulk/${id}`)
      },
    )
  addStep('run', (tx, id, by, values) => startRun(tx, id, { by, hash: readText(values, 'hash'), now: clock() }))
  addStep('undo', (tx, id, by) => startUndo(tx, id, { by, now: clock() }))

  /** Reads the ids of a selection, or those of all issues of a view. */
  async function readSelection(request: FastifyRequest, { ids, ...view }: BulkQuery) {
    const [viewer, language] = [requireViewer(request), pageLanguage(request)]
    const { organization } = await findOrganization(viewer, view, language)
    await requireOrganizationCapability(db, organization.id, viewer, 'work_on_issues')
    const parameters = { ...toParameters(view), organization_id: organization.id }
    const selection = {
      viewer,
      language,
      organization,
      parameters: { ...parameters, ids: ids?.join() },
      back: links.to('/work', parameters),
    }
    const worklist = { reader: db, areas, viewer, organizationId: organization.id, now: clock() }
    try {
      return { ...selection, ids: ids ?? (await selectIds(worklist, toWorklistQuery(view))), found: {} }
    } catch (error) {
      return { ...selection, ids: [], found: validationErrorsFrom(error) }
    }
  }

  type Selection = Awaited<ReturnType<typeof readSelection>>
  async function sendChoice(request: FastifyRequest, reply: FastifyReply, selection: Selection, errors: ValidationErrors) {
    const { ids, found, parameters, organization } = selection
    const page = {
      ...{ ...selection, count: ids.length, values: toFormValues(request.body), links },
      errors: translateErrors(request, { ...errors, ...found }),
      action: links.to('/bulk', parameters),
      colleagues: await listMembers(organization.id),
      types: await listTypes(db, { OR: [{ organization_id: null }, { organization_id: organization.id }] }),
    }
    return sendPrivatePage(request, ids.length > 0 ? reply : reply.code(422), urls, bulkChoicePage(page))
  }
}

const REFRESH_S = 3

/** An answer that was left empty is the usual one. @throws Problem 422 naming the field */
function readChange(request: FastifyRequest, language: Language): BulkChange {
  const { request_type_id, ...others } = readBody(request, BulkForm)
  const change = { ...others, ...(request_type_id === undefined ? {} : { request_type_id: parseTypeId(request_type_id) }) }
  const { transition, outcome, comment } = change
  if (transition === undefined || transition === 'open' || !isBlankText(comment ?? '')) return change
  return { ...change, comment: textsIn(language)(`work.answers.${outcome ?? 'acknowledged'}`) }
}

const BulkForm = Type.Object({
  ...BulkChange.properties,
  request_type_id: Type.Optional(TypeChange.properties.request_type_id),
  comment: Type.Optional(Type.String({ maxLength: COMMENT_MAX })),
})

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
    if (request.method === 'POST') await countForm(reply)
  })

  app.get('/work', { schema: { querystring: WorkQuery } }, async (request, reply) => sendList(request, reply, request.query))

  const config = { files: ['image'], reportsLargeFiles: true } as const
  app.post('/work', { config, schema: { querystring: WorkQuery } }, async (request, reply) => {
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
    const ids = list.issues.map(({ id }) => id)
    const mayWork = mayIn(viewer, 'work_on_issues', organizationId)
    const [rows, receivers, templates, layers, offers] = await Promise.all([
      listWorkRows(db, ids),
      mayWork ? listReceivers(db, ids) : [],
      mayWork ? listTemplates(db, organizationId) : [],
      readMapLayers(services, withMargin(bounds ?? organization)),
      listTransfers(db, organizationId, { page: 1, perPage: OFFERS_MAX }),
    ])
    const view = {
      ...{ query, page, organization, organizations, kinds, places, colleagues, views, list, rows, receivers },
      ...{ dots, layers, now, viewer, offers, rejected, mayWork },
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
