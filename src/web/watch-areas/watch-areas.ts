import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'

import type { Language } from '../../locales/texts.ts'
import { requireViewer } from '../../http/auth/authentication.ts'
import { pageLanguage } from '../../http/errors/text-language.ts'
import { countCaller } from '../../http/auth/login.ts'
import { preventUrlLeaks } from '../../html/token-page.ts'
import { listOwnAreas, type OwnRow } from '../../watch-areas/own-queries.ts'
import { WatchAreaParams } from '../../watch-areas/schema.ts'
import { rowToArea } from '../../watch-areas/stored-area.ts'
import { renewWatcherToken, deleteWatchArea } from '../../watch-areas/manage-watch-area.ts'
import { AREAS_MAX } from '../../watch-areas/write-queries.ts'
import { toFormValues } from '../../html/form-input.ts'
import { createLinks } from '../../html/links.ts'
import { sendPrivatePage } from '../../html/page.ts'
import { redirectToLogin, seeOther } from '../../html/redirects.ts'
import { readOwnArea } from '../map/own-area.ts'
import type { WebServices } from '../map/page-maps.ts'
import { addressesPage } from './addresses-page.ts'
import { boundedForecasts } from './bounded-forecast.ts'
import { editPages } from './edit.ts'
import { overviewMap } from './overview-map.ts'
import { isSuccessKey, type SuccessKey, watchAreasPage } from './watch-areas-page.ts'

const PATH = '/account/watch-areas'
/** Time for the forecasts of all areas of the list. */
const FORECASTS_MAX_MS = 1_000

export const watchAreaPages: FastifyPluginAsyncTypebox<WebServices> = async (app, services) => {
  const { db, urls, clock, maps } = services
  const links = createLinks(urls)
  const reader = { query: db.read }
  const describeForecast = boundedForecasts(reader, clock)

  app.addHook('onRequest', async (request, reply) => {
    if (!request.viewer) return redirectToLogin(request, reply, urls, PATH)
    if (request.method === 'POST') await countCaller(reply)
  })
  await app.register(editPages, services)

  app.get(PATH, async (request, reply) => {
    const language = pageLanguage(request)
    const rows = await listOwnAreas(db, requireViewer(request).id, { page: 1, perPage: AREAS_MAX })
    const done = toFormValues(request.query)['done']
    const page = {
      rows,
      done: isSuccessKey(done) ? done : undefined,
      forecasts: await describeForecasts(rows, language),
      overview: await overviewMap(reader, { rows, maps, language }),
      map: rows.length > 0 ? await maps.embedded() : undefined,
    }
    return sendPrivatePage(request, reply, urls, watchAreasPage(links, page, language))
  })

  const ofArea = { schema: { params: WatchAreaParams } } as const
  app.post(`${PATH}/:id/addresses`, ofArea, async (request, reply) => {
    const row = await readOwnArea(db, request.params.id, request.viewer)
    const sent = sendPrivatePage(request, reply, urls, addressesPage(row, urls, links, pageLanguage(request)))
    await preventUrlLeaks(request, reply)
    return sent
  })

  app.post(`${PATH}/:id/token`, ofArea, async (request, reply) => {
    await db.transaction((tx) => renewWatcherToken(tx, ownArea(request, request.params.id), clock()))
    return redirectToList(reply, 'renewed')
  })

  app.post(`${PATH}/:id/delete`, ofArea, async (request, reply) => {
    await db.transaction((tx) => deleteWatchArea(tx, ownArea(request, request.params.id)))
    return redirectToList(reply, 'removed')
  })

  const redirectToList = (reply: FastifyReply, what: SuccessKey) => seeOther(reply, urls, `${PATH}?done=${what}`)

  const ownArea = (request: FastifyRequest, id: number) => ({ id, user_id: requireViewer(request).id })

  /** Returns sentences by id. Areas that the time does not suffice for have none. */
  async function describeForecasts(rows: readonly OwnRow[], language: Language): Promise<ReadonlyMap<number, string>> {
    const sentences = new Map<number, string>()
    const end = performance.now() + FORECASTS_MAX_MS
    for (const row of rows) {
      const left = end - performance.now()
      if (left <= 0) break
      const { id, frequency, about } = row
      sentences.set(id, await describeForecast({ area: rowToArea(row), frequency, about }, language, left))
    }
    return sentences
  }
}
