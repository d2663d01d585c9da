import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import Type from 'typebox'

import { problems } from '../../../errors/problems.ts'
import { ISSUE_IMAGES_MAX } from '../../../issues/schema.ts'
import { shrinkImage } from '../../../images/image.ts'
import type { Draft } from '../../../reporting/drafts/draft-queries.ts'
import type { Services } from '../../../services.ts'
import { DRAFT_PATH } from './draft-cookie.ts'

export interface DraftPictureOptions extends Services {
  readonly requireDraft: (request: FastifyRequest) => Promise<Draft>
}

/** The size of the file; the page shows it at half of it. */
const SIZE = { width: 200, height: 200 }

export const draftPicturePath = (number: number) => `${DRAFT_PATH}/pictures/${number}`

/** Small pictures of a draft for those who may read it. They are made anew each time, because a draft has few readers. */
export const draftPictures: FastifyPluginAsyncTypebox<DraftPictureOptions> = async (app, { files, requireDraft }) => {
  const params = Type.Object({ number: Type.Integer({ minimum: 1, maximum: 10 * ISSUE_IMAGES_MAX }) })

  app.get(`${DRAFT_PATH}/pictures/:number`, { schema: { params } }, async (request, reply) => {
    const draft = await requireDraft(request)
    const image = draft.images[request.params.number - 1]
    if (!image) throw problems.notFound('the_picture')
    const folder = await (request.uploadFolder ??= app.createUploadFolder(request))
    const [full, small] = [join(folder, 'full'), join(folder, 'small')]
    if (!(await files.download(image.full_key, full))) throw problems.unavailable()
    await shrinkImage(full, small, SIZE)
    void reply.headers({
      'cache-control': 'private, no-store',
      'content-type': 'image/jpeg',
      'content-security-policy': "default-src 'none'; sandbox",
      'cross-origin-resource-policy': 'same-origin',
    })
    return reply.send(await readFile(small))
  })
}
