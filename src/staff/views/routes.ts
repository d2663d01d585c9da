import type { FastifyPluginAsync } from 'fastify'

import { addContentRoutes, documentKind } from '../../organizations/content.ts'
import type { Services } from '../../services.ts'
import { NewView, View, ViewChange, ViewList, VIEWS_MAX } from './schema.ts'
import { createViewCheck } from './view-query.ts'
import { addView, changeView, deleteView, findView, listViews } from './views.ts'

const SHARED = 'A shared view needs `manage_content`.'

export const viewRoutes: FastifyPluginAsync<Services> = async (app, services) => {
  const { db, areas } = services
  const checkView = createViewCheck(app)
  addContentRoutes(app, services, {
    name: 'views',
    parameter: ['view_id', 'view'],
    schemas: { item: View, list: ViewList, added: NewView, changed: ViewChange },
    documentation: documentKind(['View', 'saved view'], {
      list: 'One’s own views of the list of issues, then the shared ones of the organisation.',
      add: `At most ${VIEWS_MAX}, and as many shared ones. ${SHARED}`,
      change: SHARED,
      remove: SHARED,
    }),
    changedWith: 'read_issues',
    check: async ({ organization_id: organizationId, viewer, now }, { query }) =>
      query === undefined ? undefined : checkView({ reader: db, areas, viewer, organizationId, now }, query),
    list: listViews,
    find: findView,
    add: addView,
    change: changeView,
    remove: deleteView,
  })
}
