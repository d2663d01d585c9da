import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Language, textsIn } from '../../locales/texts.ts'
import { requireViewer } from '../../http/auth/authentication.ts'
import { pageLanguage } from '../../http/errors/text-language.ts'
import { countCaller } from '../../http/auth/login.ts'
import { preventUrlLeaks } from '../../html/token-page.ts'
import { listOwnAreas, type OwnRow } from '../../watch-areas/own-queries.ts'
import { WatchAreaParams } from '../../watch-areas/schema.ts'
import { rowToArea } from '../../watch-areas/stored-area.ts'
import { AREAS_MAX, deleteWatchArea, renewWatcherToken } from '../../watch-areas/write-queries.ts'
import { toFormValues } from '../../html/form-input.ts'
import { createLinks, type Links } from '../../html/links.ts'
import { type HtmlPage, sendPrivatePage } from '../../html/page.ts'
import { redirectToLogin, seeOther } from '../../html/redirects.ts'
import { readOwnArea } from '../map/own-area.ts'
import type { WebServices } from '../map/page-maps.ts'
import { boundedForecasts } from './bounded-forecast.ts'
import { editPages } from './edit.ts'
import { overviewMap } from './overview-map.ts'
import { isSuccessKey, type SuccessKey, watchAreasPage } from './watch-areas-page.ts'
import { html } from '../../html/template.ts'
import { apiPrefix, type Urls } from '../../http/request/urls.ts'
import { accountSection } from '../account/account-sections.ts'
import { watchAreaTitle } from '../map/area-title.ts'

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

/** The addresses with the token as texts to copy. They are no links, so that no history and no referrer has them. */
function addressesPage(row: OwnRow, urls: Urls, links: Links, language: Language): HtmlPage {
  const texts = textsIn(language)
  const query = `watcher_token=${row.watcher_token}`
  const addresses = [
    ['atom', texts('addresses.atom'), urls.at(`/feeds/issues.atom?${query}`)],
    ['geojson', texts('addresses.geojson'), urls.at(`/feeds/issues.geojson?${query}`)],
    ['json', texts('addresses.json'), urls.at(`${apiPrefix}/issues?${query}`)],
  ] as const
  const title = texts('addresses.title', { area: watchAreaTitle(row, language) })
  const content = html`<h2>${title}</h2>
    <p>${texts('addresses.warning')}</p>
    ${addresses.map(
      ([name, label, address]) =>
        html`<div class="field"><label for="address-${name}">${label}</label><input id="address-${name}" readonly value="${address}"></div>`,
    )}
    <form method="post" action="${links.to(`/account/watch-areas/${row.id}/token`)}">
      <p><button class="second">${texts('addresses.renew')}</button> <span class="quiet">${texts('addresses.renewHint')}</span></p>
    </form>
    <p><a href="${links.to('/account/watch-areas')}">${texts('addresses.back')}</a></p>`
  return {
    title,
    description: texts('addresses.description'),
    language,
    body: accountSection('watch-areas', content, links, language),
  }
}
