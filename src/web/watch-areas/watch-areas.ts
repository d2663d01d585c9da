import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Language, Texts } from '../../locales/texts.ts'
import { requireViewer } from '../../http/auth/authentication.ts'
import { pageTexts } from '../../http/errors/text-language.ts'
import { preventUrlLeaks, type HtmlPage, sendPrivatePage } from '../../html/page.ts'
import { listOwnAreas, type OwnRow, rowToArea } from '../../watch-areas/queries.ts'
import { WatchAreaParams, WatchAreaChange } from '../../watch-areas/schema.ts'
import { AREAS_MAX, deleteWatchArea, renewWatcherToken, updateWatchArea } from '../../watch-areas/write-queries.ts'
import {
  toFormValues,
  formErrors,
  type FormValues,
  omitBlankFields,
  translateErrors,
  validationErrorsFrom,
  createForm,
} from '../../html/form.ts'
import { type Links, requirePageLogin, seeOther } from '../../html/links.ts'
import { readOwnArea, watchAreaTitle } from '../map/shapes.ts'
import type { WebServices } from '../map/page-maps.ts'
import { boundedForecasts, areaFormLoader } from './area-form-data.ts'
import { overviewMap, isSuccessKey, type SuccessKey, watchAreasPage } from './watch-areas-page.ts'
import { html } from '../../html/template.ts'
import { apiPrefix, type Urls } from '../../http/request/urls.ts'
import { accountSection } from '../account/account-sections.ts'
import { problems, type ValidationErrors } from '../../errors/problems.ts'
import { withInputTransform } from '../../http/validation/input-transforms.ts'
import { readWatchedArea, toArea } from '../../watch-areas/area-input.ts'
import { areaParameters } from '../../watch-areas/area-parameters.ts'
import { readArea, readSettings, areaFields, drawPage, settingsFields } from './area-form.ts'

const PATH = '/account/watch-areas'
const AREA = `${PATH}/:id`
/** Time for the forecasts of all areas of the list. */
const FORECASTS_MAX_MS = 1_000

export const watchAreaPages: FastifyPluginAsyncTypebox<WebServices> = async (app, services) => {
  const { db, links, urls, clock, maps } = services
  const describeForecast = boundedForecasts(db.reader, clock)

  app.addHook('onRequest', requirePageLogin(urls, PATH))
  await app.register(editPages, services)

  app.get(PATH, async (request, reply) => {
    const texts = pageTexts(request)
    const rows = await listOwnAreas(db, requireViewer(request).id, { page: 1, perPage: AREAS_MAX })
    const done = toFormValues(request.query)['done']
    const page = {
      rows,
      done: isSuccessKey(done) ? done : undefined,
      forecasts: await describeForecasts(rows, texts.language),
      overview: await overviewMap(services, { rows, maps, texts }),
      map: rows.length > 0 ? await maps.embedded() : undefined,
    }
    return sendPrivatePage(request, reply, urls, watchAreasPage(links, page, texts))
  })

  const ofArea = { schema: { params: WatchAreaParams } } as const
  app.post(`${AREA}/addresses`, ofArea, async (request, reply) => {
    const row = await readOwnArea(db, request.params.id, request.viewer)
    const sent = sendPrivatePage(request, reply, urls, addressesPage(row, urls, links, pageTexts(request)))
    await preventUrlLeaks(request, reply)
    return sent
  })

  app.post(`${AREA}/token`, ofArea, async (request, reply) => {
    await db.transaction((tx) => renewWatcherToken(tx, ownArea(request, request.params.id), clock()))
    return redirectToList(reply, 'renewed')
  })

  app.post(`${AREA}/delete`, ofArea, async (request, reply) => {
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
function addressesPage(row: OwnRow, urls: Urls, links: Links, texts: Texts): HtmlPage {
  const query = `watcher_token=${row.watcher_token}`
  const addresses = [
    ['atom', texts('addresses.atom'), urls.at(`/feeds/issues.atom?${query}`)],
    ['geojson', texts('addresses.geojson'), urls.at(`/feeds/issues.geojson?${query}`)],
    ['json', texts('addresses.json'), urls.at(`${apiPrefix}/issues?${query}`)],
  ] as const
  const title = texts('addresses.title', { area: watchAreaTitle(row, texts) })
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
    body: accountSection('watch-areas', content, links, texts),
  }
}

/** Changes a watch area of the viewer. Its parent requires a login. */
const editPages: FastifyPluginAsyncTypebox<WebServices> = async (app, services) => {
  const { db, areas, links, urls, clock, maps } = services
  const loadAreaForm = areaFormLoader(services)
  const describeForecast = boundedForecasts(db.reader, clock)

  const ofArea = { schema: { params: WatchAreaParams } } as const
  app.get(AREA, ofArea, async (request, reply) => {
    const row = await readOwnArea(db, request.params.id, request.viewer)
    return sendEditPage(request, reply, row, storedValues(row))
  })

  app.post(`${AREA}/forecast`, ofArea, async (request, reply) => {
    const row = await readOwnArea(db, request.params.id, request.viewer)
    return sendEditPage(request, reply, row, toFormValues(request.body))
  })

  const change = {
    attachValidation: true,
    validatorCompiler: withInputTransform(app, 'body', omitBlankFields),
    schema: { params: WatchAreaParams, body: WatchAreaChange },
  } as const
  app.post(AREA, change, async (request, reply) => {
    if (request.validationError?.validationContext === 'params') throw request.validationError
    const values = toFormValues(request.body)
    const row = await readOwnArea(db, request.params.id, request.viewer)
    try {
      const errors = formErrors(request)
      if (Object.keys(errors).length > 0) throw problems.invalid(errors)
      const { name = '', frequency, about } = request.body
      const area = readArea(values)
      const watched = isSameArea(area, row) ? undefined : await readWatchedArea(area, areas)
      const own = { id: row.id, user_id: requireViewer(request).id }
      await db.transaction((tx) => updateWatchArea(tx, own, { name, frequency, about, watched }, clock()))
    } catch (error) {
      return sendEditPage(request, reply.code(422), row, values, validationErrorsFrom(error))
    }
    return seeOther(reply, urls, `${PATH}?done=saved`)
  })

  async function sendEditPage(
    request: FastifyRequest,
    reply: FastifyReply,
    row: OwnRow,
    values: FormValues,
    errors: ValidationErrors = {},
  ) {
    const texts = pageTexts(request)
    const sent = readArea(values)
    const area = Object.keys(sent).length > 0 ? sent : readArea(storedValues(row))
    const { watched, errors: areaErrors, form } = await loadAreaForm(area, texts.language)
    const settings = readSettings(values)
    const forecast = watched && (await describeForecast({ area: toArea(watched), ...settings }, texts.language))
    const areaForm = { ...form, places: [], errors: translateErrors(request, { ...areaErrors, ...errors }) }
    const fields = createForm(texts.language, { errors: areaForm.errors })
    const title = texts('draw.editTitle', { area: watchAreaTitle(row, texts) })
    const action = links.to(`${PATH}/${row.id}`)
    const panel = html`<p><a href="${links.to(PATH)}">${texts('addresses.back')}</a></p>
    <h1>${title}</h1>
    ${fields.errorSummary()}
    <form method="post" action="${action}" data-area-form>
      ${areaFields(areaForm, fields, links, texts)}
      ${settingsFields({ form: fields, values: settings, forecast, texts })}
      <p><button class="second" formaction="${action}/forecast" formnovalidate data-show-forecast>${texts('watch.showForecast')}</button></p>
      <p class="point-continue"><button>${texts('draw.save')}</button></p>
    </form>`
    const body = drawPage(areaForm, panel, links, texts)
    const description = texts('watchAreas.description')
    return sendPrivatePage(request, reply, urls, { title, description, map: await maps.draw(), body })
  }
}

function storedValues(row: OwnRow): Record<string, string> {
  const area = Object.entries(areaParameters(row)).map(([name, value]) => [name, String(value)] as const)
  return { ...Object.fromEntries(area), name: row.name ?? '', frequency: row.frequency, about: row.about }
}

/** A form without an area changes only the settings. */
function isSameArea(area: Readonly<Record<string, string>>, row: OwnRow): boolean {
  const stored = Object.entries(areaParameters(row))
  const sent = Object.keys(area)
  return sent.length === 0 || (sent.length === stored.length && stored.every(([name, value]) => area[name] === String(value)))
}
