import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'

import { requireLogin, requireViewer } from '../../http/auth/authentication.ts'
import { preferredLocale } from '../../http/request/locale.ts'
import { failsWith } from '../../http/schema/fields.ts'
import { IssueParams } from '../../issue-lifecycle/status.ts'
import type { Services } from '../../services.ts'
import { previewAnswer } from './preview.ts'
import { NewPreview, Preview } from './schema.ts'

export const previewRoutes: FastifyPluginAsyncTypebox<Services> = async (app, services) => {
  app.post(
    '/issues/:id/preview',
    {
      onRequest: requireLogin,
      schema: {
        operationId: 'previewAnswer',
        summary: 'Preview the mail of an answer and its recipients',
        description:
          'With the body of the comment or the closing and its `transition`. Nothing is written or sent. Needs the capability `work_on_issues`.',
        tags: ['Staff'],
        params: IssueParams,
        body: NewPreview,
        response: { 200: Preview, ...failsWith(400, 404, 413, 415, 422) },
      },
    },
    async (request) => {
      const { transition, ...body } = request.body
      const { id: issue_id } = request.params
      const by = requireViewer(request)
      const locale = preferredLocale(request)
      return previewAnswer(services, { issue_id, by, transition, body, inputErrors: {}, locale, request_id: request.id })
    },
  )
}
