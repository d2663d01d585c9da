import type { FastifyPluginAsync } from 'fastify'

import { addContentRoutes } from '../../organizations/content.ts'
import { lockMemberships } from '../../organizations/queries.ts'
import type { Services } from '../../services.ts'
import { changeTypeDocument, createType, listStaffTypes, RequestTypeDocument, StaffRequestType } from './edit-type.ts'

/** Request types by API: the same documents, rules and errors as in the organisation file. */
export const typeRoutes: FastifyPluginAsync<Services> = async (app, services) =>
  addContentRoutes(app, services, {
    name: 'request_types',
    parameter: ['type_id', 'request type'],
    schemas: { item: StaffRequestType, added: RequestTypeDocument, changed: RequestTypeDocument },
    documentation: {
      list: {
        operationId: 'listStaffRequestTypes',
        summary: 'List the request types of an organisation for their editors',
        description: 'With retired types and questions, and all translations.',
      },
      get: { operationId: 'getStaffRequestType', summary: 'Get a request type for its editors' },
      add: {
        operationId: 'createRequestType',
        summary: 'Add a request type with its questions',
        description: 'The document is that of the organisation file; all errors are named by their paths.',
      },
      change: {
        operationId: 'changeRequestType',
        summary: 'Change or retire a request type',
        description:
          'Changes only the fields that are present; `questions` is always the whole list. Issues keep the questions that were asked.',
      },
    },
    lock: lockMemberships,
    readWith: 'manage_content',
    list: listStaffTypes,
    notFound: 'the_request_type',
    add: (tx, { organization_id }, document) => createType(tx, organization_id, document),
    change: (tx, { organization_id }, id, document) => changeTypeDocument(tx, organization_id, id, document),
  })
