import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'

import type { PrismaHandle } from '../../database/database.ts'
import { problems } from '../../errors/problems.ts'
import { requireLogin, requireViewer } from '../../http/auth/authentication.ts'
import { idempotent, storedResult } from '../../http/idempotency/idempotent.ts'
import { requireMatch, withEtag } from '../../http/request/version-header.ts'
import { failsWith } from '../../http/schema/fields.ts'
import { lockMemberships, requireOrganizationCapability } from '../../organizations/queries.ts'
import { OrganizationParams } from '../../organizations/schema.ts'
import type { Services } from '../../services.ts'
import { changeTypeDocument, createType, listStaffTypes } from './edit-type.ts'
import { RequestTypeDocument, StaffRequestType, StaffRequestTypeList, StaffTypeParams } from './type-schema.ts'

const tags = ['Organisations']
const written = failsWith(400, 404, 413, 415, 422)
const changed = failsWith(400, 404, 412, 413, 415, 422, 428)

/** Request types by API: the same documents, rules and errors as in the organisation file. */
export const typeRoutes: FastifyPluginAsyncTypebox<Services> = async (app, { db }) => {
  app.get(
    '/organizations/:id/request_types',
    {
      onRequest: requireLogin,
      schema: {
        operationId: 'listStaffRequestTypes',
        summary: 'List the request types of an organisation for their editors',
        description: 'With retired types and questions, and all translations. Needs `manage_content`.',
        tags,
        params: OrganizationParams,
        response: { 200: StaffRequestTypeList, ...failsWith(404) },
      },
    },
    async (request) => {
      const { id } = request.params
      await requireOrganizationCapability(db, id, requireViewer(request), 'manage_content')
      return { request_types: await listStaffTypes(db, id) }
    },
  )

  app.post(
    '/organizations/:id/request_types',
    {
      onRequest: requireLogin,
      schema: {
        operationId: 'createRequestType',
        summary: 'Add a request type with its questions',
        description: 'The document is that of the organisation file; all errors are named by their paths. Needs `manage_content`.',
        tags,
        params: OrganizationParams,
        body: RequestTypeDocument,
        response: { 201: StaffRequestType, ...written },
      },
    },
    async (request, reply) => {
      const { id } = request.params
      await requireOrganizationCapability(db, id, requireViewer(request), 'manage_content')
      const { id: typeId } =
        storedResult<{ id: number }>(request) ??
        (await idempotent(request, db, async (tx) => ({ id: await createType(tx, id, request.body) })))
      return reply.code(201).send(await findType(db, id, typeId))
    },
  )

  app.get(
    '/organizations/:id/request_types/:type_id',
    {
      onRequest: requireLogin,
      schema: {
        operationId: 'getStaffRequestType',
        summary: 'Get a request type for its editors',
        description: 'With retired questions and all translations. Its ETag is `If-Match` of a change. Needs `manage_content`.',
        tags,
        params: StaffTypeParams,
        response: { 200: StaffRequestType, ...failsWith(404) },
      },
    },
    async (request, reply) => {
      const { id, type_id } = request.params
      await requireOrganizationCapability(db, id, requireViewer(request), 'manage_content')
      return withEtag(reply, await findType(db, id, type_id))
    },
  )

  app.put(
    '/organizations/:id/request_types/:type_id',
    {
      onRequest: requireLogin,
      schema: {
        operationId: 'changeRequestType',
        summary: 'Change or retire a request type',
        description:
          'With `If-Match`. Changes only the fields that are present; `questions` is always the whole list. Issues keep the questions that were asked. Needs `manage_content`.',
        tags,
        params: StaffTypeParams,
        body: RequestTypeDocument,
        response: { 200: StaffRequestType, ...changed },
      },
    },
    async (request) => {
      const { id, type_id } = request.params
      await requireOrganizationCapability(db, id, requireViewer(request), 'manage_content')
      await db.transaction(async (tx) => {
        await lockMemberships(tx)
        requireMatch(request, await findType(tx, id, type_id))
        await changeTypeDocument(tx, id, type_id, request.body)
      })
      return findType(db, id, type_id)
    },
  )
}

async function findType(db: PrismaHandle, organizationId: number, id: number): Promise<StaffRequestType> {
  const type = (await listStaffTypes(db, organizationId)).find((one) => one.id === id)
  if (!type) throw problems.notFound('the_request_type')
  return type
}
