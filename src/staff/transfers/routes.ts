import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import type { Static } from 'typebox'

import { requireLogin, requireViewer } from '../../http/auth/authentication.ts'
import { idempotent } from '../../http/idempotency/idempotency.ts'
import { queryParameters, toMetadata, toPage } from '../../http/lists/pagination.ts'
import { tagRoutes } from '../../http/openapi/describe-operations.ts'
import { failsWith } from '../../http/schema/fields.ts'
import { limitIssueWrites } from '../../issue-lifecycle/lock-issue.ts'
import { IssueParams } from '../../issue-lifecycle/status.ts'
import { requireOrganizationCapability } from '../../organizations/queries.ts'
import { OrganizationParams } from '../../organizations/schema.ts'
import type { Services } from '../../services.ts'
import { toEdit } from '../../issue-lifecycle/edit-issue.ts'
import { countTransfers, listTransfers, toTransfer } from './queries.ts'
import { Acceptance, ListTransfersQuery, NewTransfer, Refusal, Transfer, TransferList, TransferParams } from './schema.ts'
import { acceptTransfer, offerTransfer, readTransfer, refuseTransfer, withdrawTransfer } from './transfer.ts'

const fails = failsWith(400, 404, 412, 413, 415, 422, 428)

/** The three answers to an offer. */
const answers = [
  {
    step: 'accept',
    operationId: 'acceptTransfer',
    summary: 'Accept the offer of an issue',
    description:
      'With `If-Match`. The issue gets a type of the receiver and no assignee, and its target starts again. Needs `work_on_issues` in the receiving organisation.',
    body: Acceptance,
    work: acceptTransfer,
  },
  {
    step: 'refuse',
    operationId: 'refuseTransfer',
    summary: 'Refuse the offer of an issue',
    description:
      'With `If-Match`. The issue stays with its organisation, whose staff see the refusal in the log. Needs `work_on_issues` in the receiving organisation.',
    body: Refusal,
    work: refuseTransfer,
  },
  {
    step: 'withdraw',
    operationId: 'withdrawTransfer',
    summary: 'Withdraw the offer of an issue',
    description:
      'With `If-Match`, before the offer is answered. The receiver no longer sees it. Needs `work_on_issues` in the organisation that offers the issue.',
    body: undefined,
    work: withdrawTransfer,
  },
] as const

export const transferRoutes: FastifyPluginAsyncTypebox<Services> = async (app, { db, urls, clock }) => {
  tagRoutes(app, 'Staff')
  app.addHook('onRequest', requireLogin)
  app.post(
    '/issues/:id/transfer',
    {
      schema: {
        operationId: 'offerTransfer',
        summary: 'Offer an issue to another organisation',
        description:
          'With `If-Match`. The area of the receiver covers the point, and an issue has one open offer. The offer ends if the issue is closed, archived or hidden, or gets another type. Needs `work_on_issues` for the issue.',
        params: IssueParams,
        body: NewTransfer,
        response: { 201: Transfer, ...fails },
      },
    },
    async (request, reply) => {
      const input = { issue_id: request.params.id, ...toEdit(request, clock()) }
      const { transfer_id } = await idempotent(request, limitIssueWrites(db, input.issue_id), async (tx) => ({
        transfer_id: await offerTransfer(tx, { ...input, offer: request.body }),
      }))
      return reply.code(201).send(await present(transfer_id, request))
    },
  )

  for (const { step, body, work, ...texts } of answers)
    app.post(
      `/transfers/:id/${step}`,
      { schema: { ...texts, params: TransferParams, ...(body && { body }), response: { 200: Transfer, ...fails } } },
      async (request) => {
        const { id } = request.params
        const { request_type_id = 0, refusal = '' } = (request.body ?? {}) as Partial<
          Static<typeof Acceptance> & Static<typeof Refusal>
        >
        const edit = toEdit(request, clock())
        const transfer = await readTransfer(db, id, edit.by)
        await idempotent(request, limitIssueWrites(db, transfer.issue_id), async (tx) => {
          await work(tx, { ...edit, transfer, request_type_id, refusal })
          return { id }
        })
        return present(id, request)
      },
    )

  app.get(
    '/organizations/:id/transfers',
    {
      schema: {
        operationId: 'listTransfers',
        summary: 'List the open offers to and from an organisation',
        description: 'Oldest first. Needs the capability `read_issues` there.',
        params: OrganizationParams,
        querystring: ListTransfersQuery,
        response: { 200: TransferList, ...failsWith(404, 422) },
      },
    },
    async (request) => {
      const { id } = request.params
      await requireOrganizationCapability(db, id, requireViewer(request), 'read_issues')
      const page = toPage(request.query)
      const [entries, rows] = [await countTransfers(db, id), await listTransfers(db, id, page)]
      const metadata = toMetadata(urls, `/organizations/${id}/transfers`, queryParameters(request), page, entries)
      return { metadata, transfers: rows.map((row) => toTransfer(row, urls)), errors: {} }
    },
  )

  const present = async (id: number, request: FastifyRequest) =>
    toTransfer(await readTransfer(db, id, requireViewer(request)), urls)
}
