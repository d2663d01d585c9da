import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import Type from 'typebox'

import { problems, orNotFound } from '../../../errors/problems.ts'
import { type FormValues, toFormValues } from '../../../html/form.ts'
import type { Links } from '../../../html/links.ts'
import { html, type SafeHtml } from '../../../html/template.ts'
import { Upload } from '../../../http/request/upload.ts'
import { shrinkImage } from '../../../images/image.ts'
import { ISSUE_IMAGES_MAX } from '../../../issues/schema.ts'
import { text, type Texts } from '../../../locales/texts.ts'
import type { Draft } from '../../../reporting/drafts/draft-queries.ts'
import type { Services } from '../../../services.ts'
import { DRAFT_PATH } from './draft-cookie.ts'

/** The only question that takes several pictures. */
const SEVERAL = 'issue_image'

/** The field of the form with the ids of the pictures that its sender removes. */
const REMOVED_PICTURES = 'removed_pictures'

const readRemovedPictures = (values: FormValues): readonly unknown[] => [values[REMOVED_PICTURES]].flat()

const countNew = (values: FormValues, key: string) =>
  [toFormValues(values['answers'])[key]].flat().filter((file) => file instanceof Upload).length

/** Returns the pictures that the form does not remove. A new file replaces that of a question with one file. */
export function remainingPictures({ images }: Draft, values: FormValues): Draft['images'] {
  const removed = readRemovedPictures(values)
  return images.filter(
    ({ id, primary_key }) => !removed.includes(String(id)) && (primary_key === SEVERAL || countNew(values, primary_key) === 0),
  )
}

/**
 * Returns the draft with the pictures that stay.
 * @throws Problem 422 if they are too many with the new ones
 */
export function withRemainingPictures(draft: Draft, values: FormValues): Draft {
  const images = remainingPictures(draft, values)
  const count = images.filter(({ primary_key }) => primary_key === SEVERAL).length + countNew(values, SEVERAL)
  if (count > ISSUE_IMAGES_MAX) throw problems.invalidErrors({ [SEVERAL]: [text('too_many_pictures', { max: ISSUE_IMAGES_MAX })] })
  return { ...draft, images }
}

interface DraftPictureOptions extends Services {
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
    const image = orNotFound(draft.images[request.params.number - 1], 'the_picture')
    void reply.header('cross-origin-resource-policy', 'same-origin')
    return sendDraftPicture(request, reply, files, { key: image.full_key, size: SIZE })
  })
}

/** Sends a smaller copy of a stored picture, which no cache keeps. @throws Problem 503 if the file store does not have it now */
export async function sendDraftPicture(
  request: FastifyRequest,
  reply: FastifyReply,
  files: Services['files'],
  { key, size }: { readonly key: string; readonly size: { readonly width: number; readonly height?: number } },
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

interface StoredPictures {
  readonly draft: Draft
  readonly primaryKey: string
  readonly values: FormValues
  readonly texts: Texts
}

const PICTURE_PIXELS = 100

/** The pictures with which a draft answers a question, each with a box that removes it; '' without any. The script of the form counts the boxes. */
export function storedPictureList({ draft, primaryKey, values, texts }: StoredPictures, { to }: Links): SafeHtml | string {
  const removed = readRemovedPictures(values)
  const items = draft.images.flatMap(({ id, primary_key }, index) => {
    if (primary_key !== primaryKey) return []
    const number = index + 1
    const checked = removed.includes(String(id)) ? html` checked` : ''
    return [
      html`<li><img src="${to(draftPicturePath(number))}" width="${PICTURE_PIXELS}" height="${PICTURE_PIXELS}" alt="${texts('draft.picture', { number })}">
        <label class="choice"><input type="checkbox" name="${REMOVED_PICTURES}[]" value="${id}" data-remove-stored${checked}> <span>${texts('draft.removePicture', { number })}</span></label></li>`,
    ]
  })
  if (items.length === 0) return ''
  return html`<fieldset class="field">
    <legend>${texts('draft.storedPictures')}</legend>
    <p class="quiet">${primaryKey === 'issue_image' ? texts('draft.storedPicturesStay') : texts('draft.storedPictureStays')}</p>
    <ul class="photo-list">${items}</ul>
  </fieldset>`
}
