import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'

import { text } from '../../locales/texts.ts'
import { problems } from '../../errors/problems.ts'
import { sendPrivatePage } from '../../html/page.ts'
import { redirectToLogin } from '../../html/redirects.ts'
import { requireViewer } from '../../http/auth/authentication.ts'
import { pageLanguage } from '../../http/errors/text-language.ts'
import { toPage } from '../../http/lists/pagination.ts'
import { withInputTransform } from '../../http/validation/compilers.ts'
import { listDetails } from '../../issues/details-queries.ts'
import { countIssues } from '../../issues/list/count.ts'
import { findListPage } from '../../issues/list/page.ts'
import { findIssueBounds } from '../../issues/list/map-queries.ts'
import { parseListQuery } from '../../issues/list/read-list.ts'
import { listWorkKinds, listWorkOrganizations, listWorkPlaces } from '../../organizations/work-queries.ts'
import type { Services } from '../../services.ts'
import { dropOverriddenParameters } from '../../geo/area-query.ts'
import { workPage } from './work-page.ts'
import { listParameters, type WorkTab, WorkQuery, workTabs } from './work-query.ts'

/** More places are not legible in a select. */
const PLACES_MAX = 100

/** The issues of the organisations to which the caller belongs; for an Admin who belongs to none, those of all organisations. */
export const workPages: FastifyPluginAsyncTypebox<Services> = async (app, { db, urls, areas }) => {
  app.setValidatorCompiler(withInputTransform(app, 'querystring', dropOverriddenParameters))

  app.addHook('onRequest', async (request, reply) => {
    if (!request.viewer) return redirectToLogin(request, reply, urls)
    if (request.viewer.organizationIds.length === 0 && !request.viewer.isAdmin) throw problems.notPermitted(text('members_only'))
  })

  app.get('/work', { schema: { querystring: WorkQuery } }, async (request, reply) => {
    const { query } = request
    const language = pageLanguage(request)
    const viewer = requireViewer(request)
    const page = toPage(query)
    const selected = query.tab ?? 'open'
    const isMember = viewer.organizationIds.length > 0
    const organizations = await listWorkOrganizations(db, isMember ? viewer.organizationIds : null, language)
    const ids = organizations.map(({ id }) => id)
    const [kinds, places] = await Promise.all([listWorkKinds(db, ids, language), listWorkPlaces(db, ids, PLACES_MAX)])
    const parse = (tab: WorkTab) => parseListQuery({ reader: db, areas }, listParameters(query, tab, kinds), page, viewer)
    const { filter, order } = await parse(selected)
    const [bounds, list, ...totals] = await Promise.all([
      findIssueBounds(db, filter),
      findListPage(db, { filter, order, pagePosition: page, viewer }),
      ...workTabs.map(async (tab) => countIssues(db, (await parse(tab)).filter)),
    ])
    const details = await listDetails(
      db,
      list.issues.map(({ id }) => id),
      viewer,
      1,
    )
    const counts = new Map(workTabs.map((tab, index) => [tab, totals[index] ?? 0]))
    const view = { query, tab: selected, page, organizations, isMember, kinds, places, counts, list, bounds, details }
    return sendPrivatePage(request, reply, urls, workPage(view, urls, language))
  })
}
