import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'

import { requireLogin, requireViewer } from '../../http/auth/authentication.ts'
import { idempotent, storedResult } from '../../http/idempotency/idempotent.ts'
import type { Capability } from '../../http/identity/roles.ts'
import { failsWith } from '../../http/schema/fields.ts'
import { requireOrganizationCapability } from '../../organizations/queries.ts'
import type { Services } from '../../services.ts'
import { NewTemplate, OrganizationParams, Template, TemplateChange, TemplateList, TemplateParams, TEMPLATES_MAX } from './schema.ts'
import { addTemplate, changeTemplate, deleteTemplate, findTemplate, listTemplates } from './templates.ts'

const tags = ['Organisations']
const MANAGE = 'Needs the capability `manage_content`.'
const written = failsWith(400, 404, 413, 415, 422)

export const templateRoutes: FastifyPluginAsyncTypebox<Services> = async (app, { db, clock }) => {
  app.get(
    '/organizations/:id/templates',
    {
      onRequest: requireLogin,
      schema: {
        operationId: 'listTemplates',
        summary: 'List the prepared answers of an organisation',
        description: 'Sorted by position, retired ones too. For members.',
        tags,
        params: OrganizationParams,
        response: { 200: TemplateList, ...failsWith(404) },
      },
    },
    async (request) => {
      const { organization_id } = await authorize(request, 'read_issues')
      return { errors: {}, metadata: {}, templates: await listTemplates(db, organization_id) }
    },
  )

  app.post(
    '/organizations/:id/templates',
    {
      onRequest: requireLogin,
      schema: {
        operationId: 'createTemplate',
        summary: 'Add a prepared answer',
        description: `At most ${TEMPLATES_MAX}. ${MANAGE}`,
        tags,
        params: OrganizationParams,
        body: NewTemplate,
        response: { 201: Template, ...written },
      },
    },
    async (request, reply) => {
      const change = await authorize(request, 'manage_content')
      const { id } =
        storedResult<{ id: number }>(request) ??
        (await idempotent(request, db, async (tx) => ({ id: await addTemplate(tx, change, request.body) })))
      return reply.code(201).send(await findTemplate(db, change.organization_id, id))
    },
  )

  app.put(
    '/organizations/:id/templates/:template_id',
    {
      onRequest: requireLogin,
      schema: {
        operationId: 'updateTemplate',
        summary: 'Change a prepared answer',
        description: `Changes only the fields that are present. ${MANAGE}`,
        tags,
        params: TemplateParams,
        body: TemplateChange,
        response: { 200: Template, ...written },
      },
    },
    async (request) => {
      const change = await authorize(request, 'manage_content')
      await db.transaction((tx) => changeTemplate(tx, change, request.params.template_id, request.body))
      return findTemplate(db, change.organization_id, request.params.template_id)
    },
  )

  app.delete(
    '/organizations/:id/templates/:template_id',
    {
      onRequest: requireLogin,
      schema: {
        operationId: 'deleteTemplate',
        summary: 'Delete a prepared answer',
        description: MANAGE,
        tags,
        params: TemplateParams,
        response: { 204: { type: 'null', description: 'The template is deleted.' }, ...failsWith(404) },
      },
    },
    async (request, reply) => {
      const { organization_id } = await authorize(request, 'manage_content')
      await db.transaction((tx) => deleteTemplate(tx, organization_id, request.params.template_id))
      return reply.code(204).send(null)
    },
  )

  /** @throws Problem 404 for an unknown organisation, 403 that names the missing capability */
  async function authorize(request: FastifyRequest, capability: Capability) {
    const { id } = request.params as { readonly id: number }
    await requireOrganizationCapability(db, id, requireViewer(request), capability)
    return { organization_id: id, now: clock() }
  }
}
