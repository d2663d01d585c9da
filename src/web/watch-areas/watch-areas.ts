import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import Type from 'typebox'

import { requireViewer } from '../../http/auth/authentication.ts'
import { pageLanguage } from '../../http/errors/text-language.ts'
import { countCaller } from '../../http/auth/login.ts'
import { problems } from '../../errors/problems.ts'
import type { Services } from '../../services.ts'
import { listOwnAreas } from '../../watch-areas/own-queries.ts'
import { WatchAreaChange, WatchAreaParams } from '../../watch-areas/schema.ts'
import { updateWatchArea, renewWatcherToken, deleteWatchArea } from '../../watch-areas/manage-watch-area.ts'
import { AREAS_MAX } from '../../watch-areas/write-queries.ts'
import { validationErrorsFrom, formErrors, translateErrors, toFormValues } from '../../html/form-input.ts'
import { createLinks } from '../../html/links.ts'
import { sendPrivatePage } from '../../html/page.ts'
import { redirectToLogin, seeOther } from '../../html/redirects.ts'
import { type WatchAreasPage, watchAreasPage } from './watch-areas-page.ts'
import { isSuccessKey, type SuccessKey } from './watch-areas-texts.ts'

const PATH = '/account/watch-areas'
const { name, frequency, about } = WatchAreaChange.properties
const SettingsForm = Type.Object({ name, frequency, about })

export const watchAreaPages: FastifyPluginAsyncTypebox<Services> = async (app, { db, urls, rateLimit, clock }) => {
  const links = createLinks(urls)

  app.addHook('onRequest', async (request, reply) => {
    if (!request.viewer) return redirectToLogin(request, reply, urls, PATH)
    if (request.method === 'POST') await countCaller(rateLimit, reply)
  })

  app.get(PATH, async (request, reply) => sendListPage(request, reply))

  const settings = { attachValidation: true, schema: { params: WatchAreaParams, body: SettingsForm } } as const
  app.post(`${PATH}/:id`, settings, async (request, reply) => {
    const { id } = request.params
    try {
      const errors = formErrors(request)
      if (Object.keys(errors).length > 0) throw problems.invalid(errors)
      const { name, frequency, about } = request.body
      await db.transaction((tx) => updateWatchArea(tx, ownArea(request, id), { name, frequency, about }, clock()))
    } catch (error) {
      const errors = translateErrors(request, validationErrorsFrom(error))
      return sendListPage(request, reply.code(422), { id, values: toFormValues(request.body), errors })
    }
    return redirectToList(reply, 'saved')
  })

  app.post(`${PATH}/:id/token`, { schema: { params: WatchAreaParams } }, async (request, reply) => {
    const { id } = request.params
    await db.transaction((tx) => renewWatcherToken(tx, ownArea(request, id), clock()))
    return redirectToList(reply, 'renewed')
  })

  app.post(`${PATH}/:id/delete`, { schema: { params: WatchAreaParams } }, async (request, reply) => {
    await db.transaction((tx) => deleteWatchArea(tx, ownArea(request, request.params.id)))
    return redirectToList(reply, 'removed')
  })

  const redirectToList = (reply: FastifyReply, what: SuccessKey) => seeOther(reply, urls, `${PATH}?done=${what}`)

  const ownArea = (request: FastifyRequest, id: number) => ({ id, user_id: requireViewer(request).id })

  async function sendListPage(request: FastifyRequest, reply: FastifyReply, changed?: WatchAreasPage['changed']) {
    const rows = await listOwnAreas(db, requireViewer(request).id, { page: 1, perPage: AREAS_MAX })
    const done = toFormValues(request.query)['done']
    const page = { rows, done: isSuccessKey(done) ? done : undefined, changed }
    return sendPrivatePage(request, reply, urls, watchAreasPage(links, page, pageLanguage(request)))
  }
}
