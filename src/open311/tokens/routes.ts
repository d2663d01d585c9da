import type { FastifyInstance } from 'fastify'

import { problems } from '../../errors/problems.ts'
import { findModerationState } from '../../issues/queries.ts'
import type { Services } from '../../services.ts'
import { withoutSuffix } from '../formats/format.ts'
import { sendDocument } from '../formats/send.ts'
import { findJurisdiction, roots } from '../input/jurisdiction.ts'
import { knownParameters, readParameters } from '../input/parameters.ts'
import { createReportTokens } from './token.ts'

const options = { config: knownParameters([]) }

/** GET the service_request_id of a token: null until the report is approved, and 404 once it is rejected or deleted. */
export function addTokenRoutes(app: FastifyInstance, { db }: Services): void {
  const tokens = createReportTokens(db)

  for (const root of roots) {
    app.get<{ Params: { token: string } }>(`${root}/tokens/:token`, options, async (request, reply) => {
      await findJurisdiction(db.reader, request, readParameters(request))
      const token = withoutSuffix(request.params.token)
      const id = await tokens.read(token)
      const state = id === undefined ? undefined : await findModerationState(db, id)
      if (id === undefined || state === undefined || state === 'rejected') throw problems.notFound('the_token')
      const service_request_id = state === 'passed' ? String(id) : null
      return sendDocument(request, reply, { root: 'service_requests', value: [{ service_request_id, token }] })
    })
  }
}
