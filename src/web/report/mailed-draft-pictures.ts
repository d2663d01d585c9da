import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import Type from 'typebox'

import { problems } from '../../errors/problems.ts'
import { type DraftPicture, isDraftPictureSigned } from '../../mail/draft-picture-url.ts'
import { findUnsubscribeKey } from '../../mail/unsubscribe-token.ts'
import { findIssue } from '../../issues/queries.ts'
import { seeOther } from '../../html/redirects.ts'
import { findIssueOfDraft, findMailedDraft } from '../../reporting/drafts/draft-queries.ts'
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
  const { db, files, clock, urls } = services
  const sendMap = createMapPictures()
  const querystring = Type.Object({ signature: Type.String({ maxLength: 100 }) })
  const params = Type.Object({ id: Type.Integer({ minimum: 1, maximum: ID_MAX }) })
  const numberedParams = Type.Object({ ...params.properties, number: Type.Integer({ minimum: 1, maximum: 100 }) })

  const requireSigned = async (id: number, picture: DraftPicture, signature: string) => {
    if (!isDraftPictureSigned(await findUnsubscribeKey(db), id, picture, signature)) throw problems.notFound('the_picture')
    return findMailedDraft(db, id, clock())
  }

  /** After the publication, the mail shows the pictures of the issue, if it is public. */
  const requirePublished = async (id: number) => {
    const issueId = await findIssueOfDraft(db, id)
    const issue = issueId === undefined ? undefined : await findIssue({ query: db.read }, issueId, null)
    if (!issue) throw problems.notFound('the_picture')
    return issue
  }

  app.get('/report/drafts/:id/map', { schema: { params, querystring } }, async (request, reply) => {
    const { id } = request.params
    const draft = await requireSigned(id, 'map', request.query.signature)
    if (!draft) return seeOther(reply, urls, `/issues/${(await requirePublished(id)).id}/map.png`)
    const { point } = readProgress(draft.formValues)
    if (!point) throw problems.notFound('the_picture')
    return sendMap(request, reply, await drawNeighbourhood(services, point), { isPrivate: true })
  })

  app.get('/report/drafts/:id/:number', { schema: { params: numberedParams, querystring } }, async (request, reply) => {
    const { id, number } = request.params
    const draft = await requireSigned(id, number, request.query.signature)
    const image = draft?.images[number - 1]
    if (image) return sendDraftPicture(request, reply, files, { key: image.full_key, size: SIZE })
    const published = draft ? undefined : (await requirePublished(id)).images[number - 1]
    if (!published) throw problems.notFound('the_picture')
    return seeOther(reply, urls, `/files/${published.representative ?? published.full}`)
  })
}
