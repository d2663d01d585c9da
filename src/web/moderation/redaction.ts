import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import Type, { type Static } from 'typebox'

import { Problem, problems } from '../../errors/problems.ts'
import { formIdempotencyKey } from '../../html/form-key.ts'
import { type FormValues, toFormValues, translateErrors, validationErrorsFrom } from '../../html/form-input.ts'
import type { FieldErrors } from '../../html/fields.ts'
import { createLinks } from '../../html/links.ts'
import { sendPrivatePage } from '../../html/page.ts'
import { redirectToLogin, seeOther } from '../../html/redirects.ts'
import { countCaller } from '../../http/auth/login.ts'
import { pageLanguage } from '../../http/errors/text-language.ts'
import { newSecret } from '../../http/identity/credentials.ts'
import { addIdempotency, releaseIdempotencyKey } from '../../http/idempotency/idempotency.ts'
import { idempotent, storedResult } from '../../http/idempotency/idempotent.ts'
import { Id } from '../../http/schema/fields.ts'
import { OWN_TEXT } from '../../moderation/decide.ts'
import { requireModerator } from '../../moderation/moderators.ts'
import { parseBoxes } from '../../moderation/parse-boxes.ts'
import { redactPicture, type RedactionResult } from '../../moderation/redact-picture.ts'
import { findPicture, type Picture } from '../../moderation/redaction-queries.ts'
import type { Services } from '../../services.ts'
import { gonePage, redactionPage } from './redaction-page.ts'

const PictureParams = Type.Object({ name: Type.String({ pattern: '^[0-9a-f]{40}\\.(jpg|png|gif)$' }) })
const ReturnQuery = Type.Object({ item: Type.Optional(Id), issue: Type.Optional(Id) })
const schema = { params: PictureParams, querystring: ReturnQuery }

/** Pages where a moderator covers parts of a picture. They have the name of the picture, so they end when it gets a new one. */
export const redactionPages: FastifyPluginAsyncTypebox<Services> = async (app, services) => {
  const { db, urls } = services
  const links = createLinks(urls)

  app.addHook('onRequest', async (request, reply) => {
    if (!request.viewer) return redirectToLogin(request, reply, urls, request.url)
    requireModerator(request)
    if (request.method === 'POST') await countCaller(reply)
  })
  addIdempotency(app, services, formIdempotencyKey)

  // The handler of the application renders what this one throws.
  app.setErrorHandler((error, request, reply) => {
    if (!(error instanceof Problem) || error.status !== 404) throw error
    const { item, issue } = toFormValues(request.query)
    const link = (path: string, id: unknown) => (typeof id === 'number' ? links.to(`${path}/${id}`) : undefined)
    const from = { item: link('/moderation', item), issue: link('/issues', issue) }
    return sendPrivatePage(request, reply.code(404), urls, gonePage({ ...from, language: pageLanguage(request) }))
  })

  app.get('/moderation/pictures/:name', { schema }, async (request, reply) => {
    const { params, query } = request
    return sendForm(request, reply, await requirePicture(request, params.name), { query })
  })

  app.post('/moderation/pictures/:name', { schema }, async (request, reply) => {
    const { params, query } = request
    const stored = storedResult<RedactionResult>(request)
    if (stored) return seeOther(reply, urls, returnPath(stored, query.item))
    const picture = await requirePicture(request, params.name)
    try {
      const result = await redactPicture(services, {
        picture,
        boxes: parseBoxes(request.body),
        moderator_id: requireModerator(request).id,
        request_id: request.id,
        folder: await (request.uploadFolder ??= app.createUploadFolder(request)),
        inTransaction: (work) => idempotent(request, db, work),
      })
      return await seeOther(reply, urls, returnPath(result, query.item))
    } catch (error) {
      const errors = translateErrors(request, validationErrorsFrom(error))
      await releaseIdempotencyKey(request, db)
      return sendForm(request, reply.code(422), picture, { query, values: toFormValues(request.body), errors })
    }
  })

  /** @throws Problem 404; 403 for the moderator's own picture */
  async function requirePicture(request: FastifyRequest, name: string): Promise<Picture> {
    const picture = await findPicture(db, `pictures/${name.slice(0, 2)}/${name}`, requireModerator(request))
    if (!picture) throw problems.notFound('the_picture')
    if (picture.is_own) throw problems.notPermitted(OWN_TEXT)
    return picture
  }

  interface Form {
    readonly query: Static<typeof ReturnQuery>
    readonly values?: FormValues
    readonly errors?: FieldErrors
  }

  function sendForm(request: FastifyRequest, reply: FastifyReply, picture: Picture, { query, values = {}, errors = {} }: Form) {
    const page = redactionPage({
      picture,
      source: links.to(`/files/${picture.full_key}`),
      action: links.to(`/moderation/pictures/${picture.full_key.slice(picture.full_key.lastIndexOf('/') + 1)}`, query),
      back: links.to(returnPath(picture, query.item)),
      formKey: newSecret(),
      values,
      errors,
      language: pageLanguage(request),
    })
    return sendPrivatePage(request, reply, urls, page)
  }
}

const returnPath = ({ issue_id }: RedactionResult, item: number | undefined) =>
  item === undefined ? `/issues/${issue_id}` : `/moderation/${item}`
