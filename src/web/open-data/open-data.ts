import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'

import { dropOverriddenParameters, resolveArea } from '../../geo/area-query.ts'
import { downloadStatuses } from '../../gis/query.ts'
import { COPY_SCRIPT } from '../../html/fields.ts'
import { sendPage } from '../../html/page.ts'
import { seeOther } from '../../html/redirects.ts'
import { pageLanguage } from '../../http/errors/text-language.ts'
import { withParameters } from '../../http/lists/pagination.ts'
import { withInputTransform } from '../../http/validation/compilers.ts'
import { toTimestamp } from '../../http/schema/fields.ts'
import { countIssues } from '../../issues/list/count.ts'
import { parseFilter } from '../../issues/list/filter.ts'
import { findLatestIssueChange } from '../../issues/queries.ts'
import { textsIn } from '../../locales/texts.ts'
import { findPlaceBounds } from '../../places/outline-queries.ts'
import { findPlaceByUrlName, listMainPlaces, listPlaces, type PlaceRow } from '../../places/queries.ts'
import { listKinds } from '../../request-types/queries.ts'
import type { Services } from '../../services.ts'
import { embedLine } from '../embed/embed-line.ts'
import { embedAddress, toEntries } from './addresses.ts'
import { toCatalog } from './catalog.ts'
import { dataForm } from './data-form.ts'
import { dataBody } from './data-page.ts'
import { dataPackage, dictionaryBody } from './dictionary-page.ts'
import { DataQuery, toSelection } from './selection.ts'

const KINDS_MAX = 100
/** More names would make the page much larger; the form finds the others, too. */
const NAMES_MAX = 200
const FOUND_MAX = 10
const CACHE = 'public, max-age=3600'
const CATALOG = '/data/catalog.jsonld'

/** The pages for people who want data: an address for each format and filter, the dictionary, and a catalog for portals. */
export const dataPages: FastifyPluginAsyncTypebox<Services> = async (app, { db, links, urls, areas, config }) => {
  app.setValidatorCompiler(withInputTransform(app, 'querystring', dropOverriddenParameters))

  app.get('/data', { schema: { querystring: DataQuery } }, async (request, reply) => {
    const { query } = request
    const texts = textsIn(pageLanguage(request))
    const words = query.place?.trim() ?? ''
    const [area, current] = await Promise.all([
      resolveArea(query, areas),
      query.place_url === undefined ? undefined : findPlaceByUrlName(db.reader, query.place_url),
    ])
    const isNew = words !== '' && words !== current?.name
    const found = isNew ? (await listPlaces(db.reader, words, { page: 1, perPage: FOUND_MAX })).places : undefined
    const selection = toSelection(query, area)
    const exact = found && findNamed(found, words)
    if (exact) {
      const { filters, statuses } = selection
      const status = statuses.length < downloadStatuses.length ? statuses.join() : undefined
      const parameters = { data: query.data, place_url: exact.url_name, ...filters, status }
      return seeOther(reply, urls, withParameters('/data', toEntries(parameters)))
    }
    const dataset = query.data ?? 'issues'
    const filter = await parseFilter(db.reader, query, area, null)
    const [count, kinds, places] = await Promise.all([
      dataset === 'issues' ? countIssues(db.reader, filter) : undefined,
      listKinds(db.reader, KINDS_MAX, texts.language),
      listMainPlaces(db.reader, NAMES_MAX),
    ])
    const placeNames = [...new Set(places.map(({ name }) => name))]
    const form = dataForm({ query, dataset, selection, placeName: current?.name, kinds, placeNames, found, texts, links })
    const title = current ? texts('place.feed', { place: current.name }) : texts('map.title')
    return sendPage(request, reply, urls, {
      title: texts('data.title'),
      description: texts('data.lead'),
      ...(request.url.includes('?') ? {} : { canonical: '/data' }),
      alternate: { type: 'application/ld+json', title: texts('data.catalogTitle'), href: links.to(CATALOG) },
      script: COPY_SCRIPT,
      body: dataBody({
        embed:
          dataset === 'issues' && config.embedOrigins.length > 0
            ? embedLine(embedAddress(selection, texts.language, urls), title)
            : undefined,
        form,
        dataset,
        selection,
        count,
        exports: config.exports,
        texts,
        links,
        urls,
      }),
    })
  })

  app.get('/data/dictionary', async (request, reply) => {
    const texts = textsIn(pageLanguage(request))
    return sendPage(request, reply, urls, {
      title: texts('data.dictionary.title'),
      description: texts('data.dictionary.description'),
      canonical: '/data/dictionary',
      alternate: { type: 'application/json', title: texts('data.dictionary.title'), href: links.to('/data/dictionary.json') },
      body: dictionaryBody(texts, links),
    })
  })

  app.get('/data/dictionary.json', async (_request, reply) => reply.header('cache-control', CACHE).send(dataPackage(urls)))

  app.get(CATALOG, async (_request, reply) => {
    const [modified, first, box] = await Promise.all([
      findLatestIssueChange(db.reader),
      db.prisma.issue.findFirst({
        where: { moderation_state: 'passed' },
        orderBy: { created_at: 'asc' },
        select: { created_at: true },
      }),
      findPlaceBounds(db.reader),
    ])
    const catalog = toCatalog({
      urls,
      config,
      modified: toTimestamp(modified),
      first: first ? toTimestamp(first.created_at.toISOString()) : undefined,
      box,
    })
    return reply.type('application/ld+json').header('cache-control', CACHE).send(JSON.stringify(catalog))
  })
}

/** Returns the only place, or the only one with just this name. */
function findNamed(found: readonly PlaceRow[], words: string): PlaceRow | undefined {
  const named = found.filter(({ name }) => name.localeCompare(words, undefined, { sensitivity: 'base' }) === 0)
  if (named.length === 1) return named[0]
  return found.length === 1 ? found[0] : undefined
}
