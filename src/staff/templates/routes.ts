import type { FastifyPluginAsync } from 'fastify'

import type { Services } from '../../services.ts'
import { addContentRoutes } from '../../organizations/content.ts'
import { NewTemplate, Template, TemplateChange, TemplateList, TEMPLATES_MAX } from './schema.ts'
import { addTemplate, changeTemplate, deleteTemplate, findTemplate, listTemplates } from './templates.ts'

export const templateRoutes: FastifyPluginAsync<Services> = async (app, services) =>
  addContentRoutes(app, services, {
    name: 'templates',
    parameter: ['template_id', 'template'],
    schemas: { item: Template, list: TemplateList, added: NewTemplate, changed: TemplateChange },
    documentation: {
      list: {
        operationId: 'listTemplates',
        summary: 'List the prepared answers of an organisation',
        description: 'Sorted by position, retired ones too.',
      },
      get: { operationId: 'getTemplate', summary: 'Get a prepared answer' },
      add: { operationId: 'createTemplate', summary: 'Add a prepared answer', description: `At most ${TEMPLATES_MAX}.` },
      change: {
        operationId: 'updateTemplate',
        summary: 'Change a prepared answer',
        description: 'Changes only the fields that are present.',
      },
      remove: { operationId: 'deleteTemplate', summary: 'Delete a prepared answer' },
    },
    list: listTemplates,
    find: findTemplate,
    add: addTemplate,
    change: changeTemplate,
    remove: deleteTemplate,
  })
