import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import Type, { type Static } from 'typebox'

import { problems, orNotFound } from '../../errors/problems.ts'
import type { Area } from '../../geo/area.ts'
import { translateErrors, validationErrorsFrom } from '../../html/form.ts'
import { sendPage, inLanguage } from '../../html/page.ts'
import { html, type SafeHtml } from '../../html/template.ts'
import { pageLanguage, pageTexts } from '../../http/errors/text-language.ts'
import { toProblem } from '../../http/errors/render-problems.ts'
import { CSV_TYPE } from '../../http/formats/content-types.ts'
import { creditLinks } from '../../http/formats/feature-collection.ts'
import { stringEnum } from '../../http/schema/fields.ts'
import { isOfOrganizations } from '../../issue-lifecycle/acting-organizations.ts'
import { findListPage } from '../../issues/list/page.ts'
import { OrganizationParams } from '../../organizations/schema.ts'
import { findPlaceByUrlName } from '../../places/queries.ts'
import type { Services } from '../../services.ts'
import { listIntervals, parsePeriod, type Period, readStatistics } from '../../statistics/queries.ts'
import { toCsv, toStatistics } from '../../statistics/present.ts'
import { periodParameters } from '../../statistics/schema.ts'
import { PlacePageParams } from '../../places/schema.ts'
import { type ChartInterval, numbersBody, periodForm } from './numbers-page.ts'

const NumbersQuery = Type.Object({ ...periodParameters, format: Type.Optional(stringEnum(['csv'])) })
type NumbersQuery = Static<typeof NumbersQuery>

const OLDEST = 5
/** Longer charts have bars of months. */
const WEEKS_MAX = 27

interface Subject {
  readonly name: string
  readonly heading: SafeHtml
  readonly path: string
  readonly area: Area
  readonly organizations?: readonly number[]
}

/** The public pages with the numbers of a place and of an organisation. */
export const numbersPages: FastifyPluginAsyncTypebox<Services> = async (app, { db, links, urls, clock }) => {
  app.get(
    '/places/:url_name/numbers',
    { attachValidation: true, schema: { params: PlacePageParams, querystring: NumbersQuery } },
    async (request, reply) => {
      const texts = pageTexts(request)
      const place = orNotFound(await findPlaceByUrlName(db.reader, request.params.url_name), 'the_place')
      const path = `/places/${place.url_name}`
      return send(request, reply, request.query, {
        name: place.name,
        heading: html`<p class="trail"><a href="${links.to('/places')}">${texts('place.places')}</a> › <a href="${links.to(path)}">${place.name}</a></p>
        <h1>${texts('numbers.title', { name: place.name })}</h1>`,
        path: `${path}/numbers`,
        area: { kind: 'place', placeId: place.id, centre: { lng: place.center_lng, lat: place.center_lat } },
      })
    },
  )

  const schema = { params: OrganizationParams, querystring: NumbersQuery }
  app.get('/organizations/:id', { attachValidation: true, schema }, async (request, reply) => {
    if (request.validationError?.validationContext === 'params') throw problems.notFound('the_organization')
    const { id } = request.params
    const language = pageLanguage(request)
    const organization = await db.prisma.organization.findUnique({
      where: { id },
      select: { name: true, language: true, translations: true },
    })
    if (!organization) throw problems.notFound('the_organization')
    const translations = organization.translations as Readonly<Record<string, { readonly name: string }>> | null
    const translated = translations?.[language]?.name
    const name = translated ?? organization.name
    return send(request, reply, request.query, {
      name,
      heading: html`<h1>${inLanguage(name, translated === undefined ? organization.language : language, language)}</h1>`,
      path: `/organizations/${id}`,
      area: { kind: 'everywhere' },
      organizations: [id],
    })
  })

  async function send(request: FastifyRequest, reply: FastifyReply, query: NumbersQuery, subject: Subject) {
    const { name, heading, path, area, organizations } = subject
    const texts = pageTexts(request)
    const now = clock()
    const titles = { title: texts('numbers.title', { name }), description: texts('numbers.description', { name }) }
    let period: Period
    try {
      if (request.validationError) throw toProblem(request.validationError, request)
      period = parsePeriod(query, now)
    } catch (error) {
      if (query.format === 'csv') throw error
      const errors = translateErrors(request, validationErrorsFrom(error))
      const body = html`${heading}${periodForm({ path, links, texts }, { values: query, errors })}`
      return sendPage(request, reply.code(422), urls, { ...titles, body })
    }
    const interval = chooseInterval(period)
    const rows = await readStatistics(db.reader, { filter: { area, requestTypes: undefined, organizations }, period, interval })
    const statistics = toStatistics(rows, { period, interval, withTypes: true, language: texts.language })
    if (query.format === 'csv')
      return reply
        .headers({ 'content-disposition': 'attachment; filename="numbers.csv"', link: creditLinks(urls) })
        .type(CSV_TYPE)
        .send(toCsv(statistics))
    const { issues: oldest } = await findListPage(db.reader, {
      filter: { area, statuses: ['Open', 'Acknowledged'], condition: organizations && isOfOrganizations(organizations) },
      order: { by: 'created_at', direction: 'ASC' },
      pagePosition: { page: 1, perPage: OLDEST },
      viewer: null,
    })
    const isDefault = query.from === undefined && query.until === undefined
    return sendPage(request, reply, urls, {
      ...titles,
      ...(isDefault ? { canonical: path } : {}),
      body: html`${heading}${numbersBody({ statistics, interval, oldest, path, now, texts, links })}`,
    })
  }
}

const chooseInterval = (period: Period): ChartInterval => (listIntervals(period, 'week').length <= WEEKS_MAX ? 'week' : 'month')
