import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'

import { type ValidationErrors, problems } from '../../errors/problems.ts'
import { hiddenField } from '../../html/fields.ts'
import {
  createForm,
  validationErrorsFrom,
  formErrors,
  translateErrors,
  type FormValues,
  toFormValues,
  omitBlankFields,
  formIdempotencyKey,
} from '../../html/form.ts'
import { formatDistance } from '../../html/format.ts'
import { type Links, requirePageLogin, RETURN_PATH_MAX, seeOther } from '../../html/links.ts'
import { type HtmlPage, type PageMap, sendPrivatePage } from '../../html/page.ts'
import { loginLinks, richText } from '../../html/rich-text.ts'
import { html, type SafeHtml } from '../../html/template.ts'
import { requireViewer } from '../../http/auth/authentication.ts'
import { pageTexts, preferredLocale } from '../../http/errors/text-language.ts'
import { addIdempotency, releaseIdempotencyKey, idempotent } from '../../http/idempotency/idempotency.ts'
import { newSecret } from '../../http/identity/credentials.ts'
import { URL_MAX } from '../../http/request/urls.ts'
import { withInputTransform } from '../../http/validation/input-transforms.ts'
import type { Texts } from '../../locales/texts.ts'
import { listMainPlaces } from '../../places/queries.ts'
import { toArea, readWatchedArea, type WatchedArea } from '../../watch-areas/area-input.ts'
import { type NewWatchArea, NewWatchArea as NewWatchAreaSchema } from '../../watch-areas/schema.ts'
import { createWatchArea } from '../../watch-areas/write-queries.ts'
import type { WebServices } from '../map/page-maps.ts'
import { areaFormLoader, boundedForecasts } from './area-form-data.ts'
import {
  areaFields,
  type AreaForm,
  drawPage,
  settingsFields,
  type SettingsValues,
  readArea,
  DEFAULT_FREQUENCY,
  readSettings,
} from './area-form.ts'

interface WatchPage {
  readonly form: AreaForm
  readonly forecast: string | undefined
  readonly feeds: { readonly title: string; readonly atom: string; readonly data: string } | undefined
  readonly values: SettingsValues
  /** Path to return to after the login; undefined if the viewer is logged in. */
  readonly return_to: string | undefined
  readonly map: PageMap
}

/** One form with two buttons: the first shows the forecast and changes nothing, the second saves. */
function watchPage(links: Links, page: WatchPage, texts: Texts): HtmlPage {
  const { form: areaForm, feeds, map, values, forecast } = page
  const { what, errors } = areaForm
  const form = createForm(texts.language, { errors })
  const fields = html`${areaFields(areaForm, form, links, texts)}
    ${settingsFields({ form, values, forecast, texts })}`
  const title = what === undefined ? texts('watch.title') : texts('watch.watch', { area: what })
  const panel = html`<h1>${title}</h1>
    ${form.errorSummary()}
    ${watchForm(fields, page, links, texts)}
    ${feeds ? html`<p class="quiet">${richText(texts, 'watch.feeds', { feed: link(feeds.atom), data: link(feeds.data) })}</p>` : ''}
    ${what === undefined ? html`<p class="quiet">${texts('watch.chooseIssue')}</p>` : ''}`
  return {
    title,
    description: texts('watch.description'),
    ...(feeds ? { feed: { title: feeds.title, href: feeds.atom } } : {}),
    map,
    body: drawPage(areaForm, panel, links, texts),
  }
}

function watchForm(fields: SafeHtml, { return_to }: WatchPage, links: Links, texts: Texts): SafeHtml {
  return html`<form action="${links.to('/watch')}" method="post" data-area-form>
    ${fields}
    <p><button class="second" formaction="${links.to('/watch/forecast')}" formnovalidate data-show-forecast>${texts('watch.showForecast')}</button></p>
    ${
      return_to === undefined
        ? html`${hiddenField('form_key', newSecret())}<p class="point-continue"><button>${texts('watch.watchThis')}</button></p>`
        : html`<p>${richText(texts, 'watch.logIn', loginLinks(links.to, return_to))}</p>`
    }
  </form>`
}

const link = (href: string) => (text: string) => html`<a href="${href}">${text}</a>`

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

  const requireLogin = requirePageLogin(urls, '/watch')
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
      feeds: watched && feedLinks(watched, form, texts),
      values: settings,
      return_to: request.viewer ? undefined : request.method === 'GET' ? request.url : returnPath({ ...area, ...settings }),
      map: await maps.draw(),
    }
    return sendPrivatePage(request, reply, urls, watchPage(links, page, texts))
  }

  /** Returns undefined if the URL would be too long. */
  function feedLinks(watched: WatchedArea, { area, what = '', box }: Omit<AreaForm, 'errors' | 'places'>, texts: Texts) {
    const atom = links.to('/feeds/issues.atom', area)
    if (atom.length > URL_MAX) return undefined
    const { lat = '', lng = '', place_url } = area
    // The page of data has no circles and shapes: it gets the box around them.
    const corners = box && { min_lng: box.west, min_lat: box.south, max_lng: box.east, max_lat: box.north }
    const data = links.to('/data', place_url === undefined ? corners : { place_url })
    const title =
      watched.kind === 'circle'
        ? texts('watch.feedAround', { distance: formatDistance(watched.radius_m, texts, watched.centre), lat, lng })
        : texts('watch.feedIn', { area: what })
    return { title, atom, data }
  }
}

/** The login returns to the form with its area if that fits into an address. */
function returnPath(values: Readonly<Record<string, string>>): string {
  const filled = Object.entries(values).filter(([, value]) => value !== '')
  const path = `/watch?${new URLSearchParams(filled).toString()}`
  return path.length > RETURN_PATH_MAX ? '/watch' : path
}
