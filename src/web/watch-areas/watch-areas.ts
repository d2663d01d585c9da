import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import Type from 'typebox'

import { requireViewer } from '../../http/auth/authentication.ts'
import { countCaller } from '../../http/auth/login.ts'
import { problems } from '../../errors/problems.ts'
import type { Services } from '../../services.ts'
import { listOwnAreas } from '../../watch-areas/own-queries.ts'
import { WatchAreaChange, WatchAreaParams } from '../../watch-areas/schema.ts'
import { deleteWatchArea, renewWatcherToken, updateWatchArea } from '../../watch-areas/manage-watch-area.ts'
import { AREAS_MAX } from '../../watch-areas/write-queries.ts'
import { validationErrorsFrom, formErrors, translateErrors, toFormValues } from '../../html/form-input.ts'
import { createLinks } from '../../html/links.ts'
import { sendPrivatePage } from '../../html/page.ts'
import { redirectToLogin, seeOther } from '../../html/redirects.ts'
import { isWatchDone, type WatchAreasPage, watchAreasPage, type WatchDone } from './watch-areas-page.ts'

const PATH = '/account/watch-areas'
const { name, frequency, about } = WatchAreaChange.properties
const SettingsForm = Type.Object({ name, frequency, about })

/** The areas that somebody watches: how often, about what, and their links. */
export const watchAreaPages: FastifyPluginAsyncTypebox<Services> = async (app, { db, urls, rateLimit, clock }) => {
  const links = createLinks(urls)

  app.addHook('onRequest', async (request, reply) => {
    if (!request.viewer) return redirectToLogin(request, reply, urls, PATH)
    if (request.method === 'POST') await countCaller(rateLimit, reply)
  })

  app.get(PATH, async (request, reply) => show(request, reply))

  const settings = { attachValidation: true, schema: { params: WatchAreaParams, body: SettingsForm } } as const
  app.post(`${PATH}/:id`, settings, async (request, reply) => {
    const { id } = request.params
    try {
      const errors = formErrors(request)
      if (Object.keys(errors).length > 0) throw problems.invalid(errors)
      const { name, frequency, about } = request.body
      await db.transaction((tx) => updateWatchArea(tx, own(request, id), { name, frequency, about }, clock()))
    } catch (error) {
      const errors = translateErrors(request, validationErrorsFrom(error))
      return show(request, reply.code(422), { id, typed: toFormValues(request.body), errors })
    }
    return done(reply, 'saved')
  })

  app.post(`${PATH}/:id/token`, { schema: { params: WatchAreaParams } }, async (request, reply) => {
    const { id } = request.params
    await db.transaction((tx) => renewWatcherToken(tx, own(request, id), clock()))
    return done(reply, 'renewed')
  })

  app.post(`${PATH}/:id/delete`, { schema: { params: WatchAreaParams } }, async (request, reply) => {
    await db.transaction((tx) => deleteWatchArea(tx, own(request, request.params.id)))
    return done(reply, 'removed')
  })

  const done = (reply: FastifyReply, what: WatchDone) => seeOther(reply, urls, `${PATH}?done=${what}`)

  const own = (request: FastifyRequest, id: number) => ({ id, user_id: requireViewer(request).id })

  async function show(request: FastifyRequest, reply: FastifyReply, changed?: WatchAreasPage['changed']) {
    const rows = await listOwnAreas(db, requireViewer(request).id, { page: 1, perPage: AREAS_MAX })
    const told = toFormValues(request.query)['done']
    return sendPrivatePage(
      request,
      reply,
      urls,
      watchAreasPage(links, { rows, done: isWatchDone(told) ? told : undefined, changed }),
    )
  }
}
