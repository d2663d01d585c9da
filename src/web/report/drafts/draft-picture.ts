import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
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
    void reply.header('cross-origin-resource-policy', 'same-origin')
    return sendDraftPicture(request, reply, files, { key: image.full_key, size: SIZE })
  })
}

/** Sends a smaller copy of a stored picture, which no cache keeps. @throws Problem 503 if the file store does not have it now */
export async function sendDraftPicture(
  request: FastifyRequest,
  reply: FastifyReply,
  files: Services['files'],
  { key, size }: { readonly key: string; readonly size: { readonly width: number; readonly height: number } },
): Promise<FastifyReply> {
  const folder = await (request.uploadFolder ??= request.server.createUploadFolder(request))
  const [full, small] = [join(folder, 'full'), join(folder, 'small')]
  if (!(await files.download(key, full))) throw problems.unavailable()
  await shrinkImage(full, small, size)
  void reply.headers({
    'cache-control': 'private, no-store',
    'content-type': 'image/jpeg',
    'content-security-policy': "default-src 'none'; sandbox",
  })
  return reply.send(await readFile(small))
}
