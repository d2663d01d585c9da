import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { problems, type ValidationErrors } from '../../errors/problems.ts'
import {
  formErrors,
  type FormValues,
  omitBlankFields,
  toFormValues,
  translateErrors,
  validationErrorsFrom,
} from '../../html/form-input.ts'
import { createLinks, type Links } from '../../html/links.ts'
import { type HtmlPage, type PageMap, sendPrivatePage } from '../../html/page.ts'
import { seeOther } from '../../html/redirects.ts'
import { requireViewer } from '../../http/auth/authentication.ts'
import { pageLanguage } from '../../http/errors/text-language.ts'
import { withInputTransform } from '../../http/validation/compilers.ts'
import { readWatchedArea, toArea } from '../../watch-areas/area-input.ts'
import { areaParameters } from '../../watch-areas/area-parameters.ts'
import { updateWatchArea } from '../../watch-areas/write-queries.ts'
import type { OwnRow } from '../../watch-areas/own-queries.ts'
import { WatchAreaChange, WatchAreaParams } from '../../watch-areas/schema.ts'
import { readOwnArea } from '../map/own-area.ts'
import type { WebServices } from '../map/page-maps.ts'
import { areaFormLoader } from './area-form-data.ts'
import { watchAreaTitle } from '../map/area-title.ts'
import { boundedForecasts } from './bounded-forecast.ts'
import { readArea } from './read-area.ts'
import { readSettings } from './read-settings.ts'
import { type Language, textsIn } from '../../locales/texts.ts'
import { createForm } from '../../html/form.ts'
import { html } from '../../html/template.ts'
import { areaFields, type AreaForm, drawPage } from './area-form.ts'
import { settingsFields, type SettingsValues } from './settings-fields.ts'

const LIST = '/account/watch-areas'
const PATH = `${LIST}/:id`

/** Changes a watch area of the viewer. Its parent requires a login. */
export const editPages: FastifyPluginAsyncTypebox<WebServices> = async (app, services) => {
  const { db, areas, urls, clock, maps } = services
  const links = createLinks(urls)
  const loadAreaForm = areaFormLoader(services)
  const describeForecast = boundedForecasts({ query: db.read }, clock)

  const ofArea = { schema: { params: WatchAreaParams } } as const
  app.get(PATH, ofArea, async (request, reply) => {
    const row = await readOwnArea(db, request.params.id, request.viewer)
    return sendEditPage(request, reply, row, storedValues(row))
  })

  app.post(`${PATH}/forecast`, ofArea, async (request, reply) => {
    const row = await readOwnArea(db, request.params.id, request.viewer)
    return sendEditPage(request, reply, row, toFormValues(request.body))
  })

  const change = {
    attachValidation: true,
    validatorCompiler: withInputTransform(app, 'body', omitBlankFields),
    schema: { params: WatchAreaParams, body: WatchAreaChange },
  } as const
  app.post(PATH, change, async (request, reply) => {
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
    return seeOther(reply, urls, `${LIST}?done=saved`)
  })

  async function sendEditPage(
    request: FastifyRequest,
    reply: FastifyReply,
    row: OwnRow,
    values: FormValues,
    errors: ValidationErrors = {},
  ) {
    const language = pageLanguage(request)
    const sent = readArea(values)
    const area = Object.keys(sent).length > 0 ? sent : readArea(storedValues(row))
    const { watched, errors: areaErrors, form } = await loadAreaForm(area, language)
    const settings = readSettings(values)
    const page = {
      id: row.id,
      title: watchAreaTitle(row, language),
      form: { ...form, places: [], errors: translateErrors(request, { ...areaErrors, ...errors }) },
      values: settings,
      forecast: watched && (await describeForecast({ area: toArea(watched), ...settings }, language)),
      map: await maps.draw(),
    }
    return sendPrivatePage(request, reply, urls, editPage(links, page, language))
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

interface EditPage {
  readonly id: number
  readonly title: string
  readonly form: AreaForm
  readonly values: SettingsValues
  readonly forecast: string | undefined
  readonly map: PageMap
}

function editPage(links: Links, { id, title, form: areaForm, values, forecast, map }: EditPage, language: Language): HtmlPage {
  const texts = textsIn(language)
  const heading = texts('draw.editTitle', { area: title })
  const list = links.to('/account/watch-areas')
  const form = createForm(language, { errors: areaForm.errors })
  const fields = html`${areaFields(areaForm, form, links, language)}
      ${settingsFields({ form, values, forecast, language })}`
  const panel = html`<p><a href="${list}">${texts('addresses.back')}</a></p>
    <h1>${heading}</h1>
    ${form.errorSummary()}
    <form method="post" action="${list}/${id}" data-area-form>
      ${fields}
      <p><button class="second" formaction="${list}/${id}/forecast" formnovalidate data-show-forecast>${texts('watch.showForecast')}</button></p>
      <p class="point-continue"><button>${texts('draw.save')}</button></p>
    </form>`
  return {
    title: heading,
    description: texts('watchAreas.description'),
    language,
    map,
    body: drawPage(areaForm, panel, links, language),
  }
}
