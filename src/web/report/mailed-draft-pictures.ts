import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import Type from 'typebox'

import { problems } from '../../errors/problems.ts'
import { type DraftPicture, isDraftPictureSigned } from '../../mail/draft-picture-url.ts'
import { findUnsubscribeKey } from '../../mail/unsubscribe-token.ts'
import { findMailedDraft } from '../../reporting/drafts/draft-queries.ts'
import type { Services } from '../../services.ts'
import { drawNeighbourhood } from '../map/issue-map-image.ts'
import { createMapPictures } from '../map/map-picture.ts'
import { sendDraftPicture } from './drafts/draft-picture.ts'
import { readProgress } from './report-input.ts'

const ID_MAX = 2_147_483_647
/** Twice the width of a mail. */
const SIZE = { width: 1_120, height: 1_120 }

/** The pictures of a mail about a draft. Its page shows them by the same signed addresses. */
export const mailedDraftPictures: FastifyPluginAsyncTypebox<Services> = async (app, services) => {
  const { db, files, clock } = services
  const sendMap = createMapPictures()
  const querystring = Type.Object({ signature: Type.String({ maxLength: 100 }) })
  const params = Type.Object({ id: Type.Integer({ minimum: 1, maximum: ID_MAX }) })
  const numberedParams = Type.Object({ ...params.properties, number: Type.Integer({ minimum: 1, maximum: 100 }) })

  const requireSigned = async (id: number, picture: DraftPicture, signature: string) => {
    const isSigned = isDraftPictureSigned(await findUnsubscribeKey(db), id, picture, signature)
    const draft = isSigned ? await findMailedDraft(db, id, clock()) : undefined
    if (!draft) throw problems.notFound('the_picture')
    return draft
  }

  app.get('/report/drafts/:id/map', { schema: { params, querystring } }, async (request, reply) => {
    const { formValues } = await requireSigned(request.params.id, 'map', request.query.signature)
    const { point } = readProgress(formValues)
    if (!point) throw problems.notFound('the_picture')
    return sendMap(request, reply, await drawNeighbourhood(services, point), { isPrivate: true })
  })

  app.get('/report/drafts/:id/:number', { schema: { params: numberedParams, querystring } }, async (request, reply) => {
    const { id, number } = request.params
    const image = (await requireSigned(id, number, request.query.signature)).images[number - 1]
    if (!image) throw problems.notFound('the_picture')
    return sendDraftPicture(request, reply, files, { key: image.full_key, size: SIZE })
  })
}
