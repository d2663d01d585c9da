import type { FastifyInstance } from 'fastify'

import { textsIn } from '../../locales/texts.ts'
import type { CommentResult } from '../../comments/write-comment.ts'
import { negotiateLanguage } from '../../http/errors/text-language.ts'
import { storedResult } from '../../http/idempotency/idempotent.ts'
import type { Services } from '../../services.ts'
import { writeConfig } from '../credentials/write-credentials.ts'
import { suffixes, withoutSuffix } from '../formats/format.ts'
import { sendWritten } from '../formats/send-written.ts'
import { roots } from '../input/jurisdiction.ts'
import { writeRequestComment, writeUpdate } from './write-update.ts'

const options = { config: { ...writeConfig, files: ['media', 'media[]', 'media[*]'] } }

/** POST a comment or picture to a service request, and POST servicerequestupdates. */
export function addUpdateWritingRoutes(app: FastifyInstance, services: Services): void {
  for (const root of roots) {
    app.post<{ Params: { id: string } }>(`${root}/requests/:id`, options, async (request, reply) => {
      const id = withoutSuffix(request.params.id)
      const { isHeld } = storedResult<CommentResult>(request) ?? (await writeRequestComment(services, request, id))
      const service_notice = isHeld ? textsIn(negotiateLanguage(request))('commentNotice.pending') : null
      const value = [{ service_request_id: id, service_notice, account_id: null }]
      return sendWritten(request, reply, isHeld, { root: 'service_requests', value })
    })

    for (const suffix of suffixes) {
      app.post(`${root}/servicerequestupdates${suffix}`, options, async (request, reply) => {
        const { id, isHeld } = storedResult<CommentResult>(request) ?? (await writeUpdate(services, request))
        const value = [{ update_id: String(id) }]
        return sendWritten(request, reply, isHeld, { root: 'service_request_updates', value })
      })
    }
  }
}
