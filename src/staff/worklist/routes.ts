import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'

import { dropOverriddenParameters } from '../../geo/area-query.ts'
import { requireLogin, requireViewer } from '../../http/auth/authentication.ts'
import { negotiateLanguage } from '../../http/errors/text-language.ts'
import { queryParameters, toMetadata, toPage } from '../../http/lists/pagination.ts'
import { failsWith } from '../../http/schema/fields.ts'
import { withInputTransform } from '../../http/validation/compilers.ts'
import { findListPage } from '../../issues/list/page.ts'
import { pickFields } from '../../issues/list/query.ts'
import { toIssue } from '../../issues/present.ts'
import { requireOrganizationCapability } from '../../organizations/queries.ts'
import { OrganizationParams } from '../../organizations/schema.ts'
import type { Services } from '../../services.ts'
import { toWorkFields, listWorkRows, parseWorklist } from './worklist.ts'
import { ListWorkQuery, WorkIssueList } from './schema.ts'

export const worklistRoutes: FastifyPluginAsyncTypebox<Services> = async (app, { db, areas, urls, clock }) => {
  app.get(
    '/organizations/:id/issues',
    {
      onRequest: requireLogin,
      validatorCompiler: withInputTransform(app, 'querystring', dropOverriddenParameters),
      schema: {
        operationId: 'listWork',
        summary: 'List the issues of an organisation for its staff',
        description:
          'The issues that the organisation may act for: those of its request types, and those of the community in its area. Areas, filters and paging are those of `GET /issues`. Needs the capability `read_issues`.',
        tags: ['Staff'],
        params: OrganizationParams,
        querystring: ListWorkQuery,
        response: { 200: WorkIssueList, ...failsWith(404, 422) },
      },
    },
    async (request, reply) => {
      const viewer = requireViewer(request)
      const organizationId = request.params.id
      await requireOrganizationCapability(db, organizationId, viewer, 'read_issues')
      const now = clock()
      const language = negotiateLanguage(request)
      const listRequest = await parseWorklist(
        { reader: db, areas, viewer, organizationId, now },
        request.query,
        toPage(request.query),
      )
      const { filter, order, page } = listRequest
      const { entries, issues } = await findListPage(db, { filter, order, pagePosition: page, viewer })
      const rows = await listWorkRows(
        db,
        issues.map(({ id }) => id),
      )
      void reply.header('content-language', language)
      const fields = request.query['fields[issue]']
      const list = {
        metadata: toMetadata(urls, `/organizations/${organizationId}/issues`, queryParameters(request), page, entries),
        issues: issues.flatMap((issue) => {
          const row = rows.get(issue.id)
          return row ? [{ ...toIssue(issue, urls, language), ...toWorkFields(row, now) }] : []
        }),
        errors: {},
      }
      if (!fields) return list
      return reply.type('application/json').send(JSON.stringify({ ...list, issues: pickFields(list.issues, fields) }) as never)
    },
  )
}
