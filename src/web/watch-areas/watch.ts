import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'

import type { Texts } from '../../locales/texts.ts'
import { requireViewer } from '../../http/auth/authentication.ts'
import { pageTexts } from '../../http/errors/text-language.ts'
import { URL_MAX } from '../../http/request/urls.ts'
import { addIdempotency, releaseIdempotencyKey } from '../../http/idempotency/idempotency.ts'
import { preferredLocale } from '../../http/request/locale.ts'
import { idempotent } from '../../http/idempotency/idempotent.ts'
import { type ValidationErrors, problems } from '../../errors/problems.ts'
import { listMainPlaces } from '../../places/queries.ts'
import { toArea, readWatchedArea, type WatchedArea } from '../../watch-areas/area-input.ts'
import { type NewWatchArea, NewWatchArea as NewWatchAreaSchema } from '../../watch-areas/schema.ts'
import { createWatchArea } from '../../watch-areas/write-queries.ts'
import {
  validationErrorsFrom,
  formErrors,
  translateErrors,
  type FormValues,
  toFormValues,
  omitBlankFields,
} from '../../html/form-input.ts'
import { withInputTransform } from '../../http/validation/compilers.ts'
import { formIdempotencyKey } from '../../html/form-key.ts'
import { formatDistance } from '../../html/local-format.ts'
import { sendPrivatePage } from '../../html/page.ts'
import { requirePageLogin, RETURN_PATH_MAX, seeOther } from '../../html/redirects.ts'
import type { WebServices } from '../map/page-maps.ts'
import { areaFormLoader } from './area-form-data.ts'
import { boundedForecasts } from './bounded-forecast.ts'
import { readArea } from './read-area.ts'
import { DEFAULT_FREQUENCY, readSettings } from './read-settings.ts'
import { watchPage } from './watch-page.ts'

const PLACES_MAX = 8

/** Watch a drawn area, a circle or a place. The forecast needs no login; saving does. */
export const watchPages: FastifyPluginAsyncTypebox<WebServices> = async (app, services) => {
  const { db, areas, links, urls, clock, maps } = services
  const loadAreaForm = areaFormLoader(services)
  const describeForecast = boundedForecasts(db.reader, clock)
  addIdempotency(app, services, formIdempotencyKey)

  app.get('/watch', async (request, reply) => sendWatchPage(request, reply, { values: toFormValues(request.query) }))

  // A polygon may be too long for an address.
  app.post('/watch/forecast', { config: { idempotency: false } }, async (request, reply) =>
    sendWatchPage(request, reply, { values: toFormValues(request.body), isRequired: true }),
  )

  const requireLogin = requirePageLogin(urls, () => '/watch')
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
      return sendWatchPage(request, reply.code(422), { values, errors })
    }
  })

  async function saveWatchArea(request: FastifyRequest, body: NewWatchArea): Promise<void> {
    const { name, frequency = DEFAULT_FREQUENCY, about } = body
    const watched = await readWatchedArea(readArea(toFormValues(body)), areas)
    const { id: user_id } = requireViewer(request)
    const settings = { name, frequency, about }
    await idempotent(request, db, async (tx) => ({
      id: await createWatchArea(tx, { user_id, watched, settings, language: preferredLocale(request), at: clock() }),
    }))
  }

  interface Sent {
    readonly values: FormValues
    readonly errors?: ValidationErrors
    readonly isRequired?: boolean
  }

  async function sendWatchPage(request: FastifyRequest, reply: FastifyReply, { values, errors = {}, isRequired }: Sent) {
    const texts = pageTexts(request)
    const area = readArea(values)
    const { watched, errors: areaErrors, form } = await loadAreaForm(area, texts.language, isRequired)
    const settings = readSettings(values)
    const page = {
      form: {
        ...form,
        places: await listMainPlaces(db.reader, PLACES_MAX),
        errors: translateErrors(request, { ...areaErrors, ...errors }),
      },
      forecast: watched && (await describeForecast({ area: toArea(watched), ...settings }, texts.language)),
      feeds: watched && feedLinks(watched, form.what ?? '', area, texts),
      values: settings,
      return_to: request.viewer ? undefined : request.method === 'GET' ? request.url : returnPath({ ...area, ...settings }),
      map: await maps.draw(),
    }
    return sendPrivatePage(request, reply, urls, watchPage(links, page, texts))
  }

  /** Returns undefined if the URL would be too long. */
  function feedLinks(watched: WatchedArea, what: string, area: Record<string, string>, texts: Texts) {
    const [atom, geojson] = [links.to('/feeds/issues.atom', area), links.to('/feeds/issues.geojson', area)]
    if (geojson.length > URL_MAX) return undefined
    const { lat = '', lng = '' } = area
    const title =
      watched.kind === 'circle'
        ? texts('watch.feedAround', { distance: formatDistance(watched.radius_m, texts, watched.centre), lat, lng })
        : texts('watch.feedIn', { area: what })
    return { title, atom, geojson }
  }
}

/** The login returns to the form with its area if that fits into an address. */
function returnPath(values: Readonly<Record<string, string>>): string {
  const filled = Object.entries(values).filter(([, value]) => value !== '')
  const path = `/watch?${new URLSearchParams(filled).toString()}`
  return path.length > RETURN_PATH_MAX ? '/watch' : path
}
