import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'

import { requireViewer } from '../../http/auth/authentication.ts'
import { formatMessage } from '../../errors/texts/in-language.ts'
import type { Language } from '../../errors/texts/languages.ts'
import { pageLanguage } from '../../http/errors/text-language.ts'
import { URL_MAX } from '../../http/request/normalize-url.ts'
import { addIdempotency, releaseIdempotencyKey } from '../../http/idempotency/idempotency.ts'
import { preferredLocale } from '../../http/request/locale.ts'
import { countCaller } from '../../http/auth/login.ts'
import { idempotent } from '../../http/idempotency/idempotent.ts'
import { type ValidationErrors, problems } from '../../errors/problems.ts'
import { listIssueDots } from '../../issues/list/map-queries.ts'
import { listOutlines } from '../../places/outline-queries.ts'
import { findPlaceByUrlName } from '../../places/queries.ts'
import type { Services } from '../../services.ts'
import {
  toArea,
  watchedAreaCentre,
  parseWatchedArea,
  readWatchedArea,
  type WatchedArea,
  watchedAreaProperties,
} from '../../watch-areas/area-input.ts'
import { forecastMails } from '../../watch-areas/forecast-mails.ts'
import { frequencies } from '../../watch-areas/digest-times.ts'
import { type NewWatchArea, NewWatchArea as NewWatchAreaSchema, watchTopics } from '../../watch-areas/schema.ts'
import { createWatchArea } from '../../watch-areas/manage-watch-area.ts'
import {
  validationErrorsFrom,
  formErrors,
  readText,
  translateErrors,
  type FormValues,
  toFormValues,
  omitBlankFields,
} from '../../html/form-input.ts'
import { withInputTransform } from '../../http/validation/compilers.ts'
import { createLinks } from '../../html/links.ts'
import { formIdempotencyKey } from '../../html/form-key.ts'
import { sendPrivatePage } from '../../html/page.ts'
import { redirectToLogin, seeOther } from '../../html/redirects.ts'
import { shapeMap, toShape } from './watch-map.ts'
import { watchPage } from './watch-page.ts'
import { formatDistance } from '../../html/local-format.ts'
import { describeForecast } from './describe-watch.ts'
import { watchTexts } from './watch-texts.ts'

const MAP_WIDTH = 480
const RADIUS_M = '500'
const DOTS_MAX = 1_000
const mapStatuses = ['Open', 'Acknowledged', 'Closed'] as const

/** Watch a place or a circle. The forecast needs no login; saving does. */
export const watchPages: FastifyPluginAsyncTypebox<Services> = async (app, services) => {
  const { db, areas, urls, clock, rateLimit } = services
  const reader = { query: db.read }
  const links = createLinks(urls)
  addIdempotency(app, services, formIdempotencyKey)

  app.get('/watch', async (request, reply) => sendWatchPage(request, reply, toFormValues(request.query), {}))

  const requireLogin = async (request: FastifyRequest, reply: FastifyReply) => {
    if (!request.viewer) return redirectToLogin(request, reply, urls, '/watch')
    await countCaller(rateLimit, reply)
  }
  const routeOptions = {
    attachValidation: true,
    onRequest: requireLogin,
    validatorCompiler: withInputTransform(app, 'body', omitBlankFields),
    schema: { body: NewWatchAreaSchema },
  } as const
  app.post('/watch', routeOptions, async (request, reply) => {
    const values = toFormValues(request.body)
    try {
      const inputErrors = formErrors(request)
      if (Object.keys(inputErrors).length > 0) throw problems.invalid(inputErrors)
      await saveWatchArea(request, request.body)
      return seeOther(reply, urls, '/account/watch-areas?done=watched')
    } catch (error) {
      const errors = validationErrorsFrom(error)
      await releaseIdempotencyKey(request, db)
      return sendWatchPage(request, reply.code(422), values, errors)
    }
  })

  async function saveWatchArea(request: FastifyRequest, body: NewWatchArea): Promise<void> {
    const { name, frequency, about } = body
    const watched = await readWatchedArea(readArea(toFormValues(body)), areas)
    const { id: user_id } = requireViewer(request)
    const settings = { name, frequency, about }
    await idempotent(request, db, async (tx) => ({
      id: await createWatchArea(tx, { user_id, watched, settings, language: preferredLocale(request), at: clock() }),
    }))
  }

  async function sendWatchPage(request: FastifyRequest, reply: FastifyReply, values: FormValues, errors: ValidationErrors) {
    const language = pageLanguage(request)
    const area = readArea(values)
    const found = Object.keys(area).length === 0 ? undefined : await parseWatchedArea(area, areas)
    const watched = found && 'watched' in found ? found.watched : undefined
    const [frequency, about] = [readText(values, 'frequency'), readText(values, 'about')]
    const settings = {
      frequency: frequencies.find((one) => one === frequency) ?? 'instant',
      about: watchTopics.find((one) => one === about) ?? 'all',
    }
    const forecast = watched && (await forecastMails(reader, toArea(watched), settings, clock()))
    const what = watched && (await describeArea(watched, area, language))
    const page = {
      what,
      centre: watched?.kind === 'circle' ? watched.centre : undefined,
      map: watched && (await areaMap(watched, what ?? '', language)),
      forecast: forecast && describeForecast(forecast, language),
      feeds: watched && feedLinks(watched, what ?? '', area, language),
      area,
      values: { ...settings, name: readText(values, 'name'), radius: area['radius'] ?? RADIUS_M },
      errors: translateErrors(request, { ...(found && 'errors' in found ? found.errors : {}), ...errors }),
      return_to: request.viewer ? undefined : request.method === 'GET' ? request.url : '/watch',
    }
    return sendPrivatePage(request, reply, urls, watchPage(links, page, language))
  }

  async function describeArea(
    watched: WatchedArea,
    { radius = RADIUS_M, place_url = '' }: Record<string, string>,
    language: Language,
  ): Promise<string> {
    if (watched.kind === 'place') return (await findPlaceByUrlName(reader, place_url))?.name ?? place_url
    const { aroundPoint, anArea } = watchTexts[language]
    return watched.kind === 'circle' ? aroundPoint(formatDistance(Number(radius), language, watched.centre)) : anArea
  }

  /** Returns undefined if the URL would be too long. */
  function feedLinks(watched: WatchedArea, what: string, area: Record<string, string>, language: Language) {
    const [atom, geojson] = [links.to('/feeds/issues.atom', area), links.to('/feeds/issues.geojson', area)]
    if (geojson.length > URL_MAX) return undefined
    const { lat = '', lng = '' } = area
    const { feedAround, feedIn } = watchTexts[language]
    const title =
      watched.kind === 'circle' ? feedAround(formatDistance(watched.radius_m, language, watched.centre), lat, lng) : feedIn(what)
    return { title, atom, geojson }
  }

  async function areaMap(watched: WatchedArea, area: string, language: Language) {
    const [outline] = watched.kind === 'place' ? await listOutlines(reader, [watched.placeId], MAP_WIDTH) : []
    const shape = toShape(watched) ?? outline?.boundary
    if (!shape) return undefined
    const dots = await listIssueDots(reader, { area: toArea(watched), statuses: mapStatuses }, DOTS_MAX)
    const label = formatMessage(watchTexts[language].map, { area, count: dots.length }, language)
    const pin = watched.kind === 'circle' ? watched.centre : undefined
    return shapeMap(shape, watchedAreaCentre(watched), { label, width: MAP_WIDTH, dots, pin })
  }
}

/** Reads the area of a form. A point without a radius is the centre of a circle. */
function readArea(values: FormValues): Record<string, string> {
  const entries = Object.keys(watchedAreaProperties).map((name) => [name, readText(values, name)] as const)
  const area = Object.fromEntries(entries.filter(([, value]) => value !== ''))
  return area['lat'] !== undefined && area['lng'] !== undefined ? { radius: RADIUS_M, ...area } : area
}
