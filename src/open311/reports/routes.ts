import type { FastifyInstance } from 'fastify'

import { storedResult } from '../../http/idempotency/idempotent.ts'
import type { ReportResult } from '../../reporting/report-issue.ts'
import type { Services } from '../../services.ts'
import { writeConfig } from '../credentials/write-credentials.ts'
import { suffixes } from '../formats/format.ts'
import { sendWritten } from '../formats/send-written.ts'
import { roots } from '../input/jurisdiction.ts'
import { createReportTokens } from '../tokens/token.ts'
import { createReport } from './create-report.ts'

const options = { config: { ...writeConfig, files: ['media', 'media[]', 'media[*]', 'attribute[*]'] } }

/** POST requests: a new service request, or the token of one that waits for approval. */
export function addReportRoutes(app: FastifyInstance, services: Services): void {
  const tokens = createReportTokens(services.db)

  for (const root of roots) {
    for (const suffix of suffixes) {
      app.post(`${root}/requests${suffix}`, options, async (request, reply) => {
        const { id, isHeld } = storedResult<ReportResult>(request) ?? (await createReport(services, request))
        if (isHeld) {
          const value = [{ token: await tokens.create(id), service_notice: null, account_id: null }]
          return sendWritten(request, reply, isHeld, { root: 'service_requests', value })
        }
        void reply.header('location', services.urls.at(`/open311/v2/requests/${id}${suffix}`))
        const value = [{ service_request_id: String(id), service_notice: null, account_id: null }]
        return sendWritten(request, reply, isHeld, { root: 'service_requests', value })
      })
    }
  }
}
