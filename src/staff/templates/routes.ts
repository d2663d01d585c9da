import type { FastifyPluginAsync } from 'fastify'

import type { Services } from '../../services.ts'
import { addContentRoutes, documentKind } from '../../organizations/content.ts'
import { NewTemplate, Template, TemplateChange, TemplateList, TEMPLATES_MAX } from './schema.ts'
import { addTemplate, changeTemplate, deleteTemplate, findTemplate, listTemplates } from './templates.ts'

export const templateRoutes: FastifyPluginAsync<Services> = async (app, services) =>
  addContentRoutes(app, services, {
    name: 'templates',
    parameter: ['template_id', 'template'],
    schemas: { item: Template, list: TemplateList, added: NewTemplate, changed: TemplateChange },
    documentation: documentKind(['Template', 'prepared answer'], {
      list: 'Sorted by position, retired ones too.',
      add: `At most ${TEMPLATES_MAX}.`,
      change: '',
    }),
    list: listTemplates,
    find: findTemplate,
    add: addTemplate,
    change: changeTemplate,
    remove: deleteTemplate,
  })
