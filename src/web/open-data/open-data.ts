import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'

import { dropOverriddenParameters, resolveArea } from '../../geo/area-query.ts'
import { downloadStatuses } from '../../gis/query.ts'
import { choicesField, hiddenField, COPY_SCRIPT, pageError } from '../../html/fields.ts'
import { createForm } from '../../html/form.ts'
import { type Links, seeOther } from '../../html/links.ts'
import { sendPage, pageTitles } from '../../html/page.ts'
import { richText } from '../../html/rich-text.ts'
import { html, type SafeHtml } from '../../html/template.ts'
import { pageLanguage } from '../../http/errors/text-language.ts'
import { withParameters } from '../../http/lists/pagination.ts'
import { toTimestamp } from '../../http/schema/fields.ts'
import { withInputTransform } from '../../http/validation/input-transforms.ts'
import { statusName, statuses } from '../../issue-lifecycle/status.ts'
import { countIssues, findLatestIssueChange } from '../../issues/list/overview.ts'
import { parseFilter } from '../../issues/list/filter.ts'
import { type Texts, textsIn } from '../../locales/texts.ts'
import { findPlaceBounds } from '../../places/outline-queries.ts'
import { type PlaceRow, findPlaceByUrlName, listMainPlaces, listPlaces } from '../../places/queries.ts'
import { listKinds } from '../../request-types/queries.ts'
import type { Services } from '../../services.ts'
import { fullPlaceName } from '../cards/cards.ts'
import { embedLine } from '../embed/embed.ts'
import type { Kind } from '../map/filter-form.ts'
import { embedAddress, toEntries } from './addresses.ts'
import { toCatalog } from './catalog.ts'
import { dataBody, dataPackage, dictionaryBody } from './data-page.ts'
import { type Dataset, datasets, PLACE_WORDS_MAX, DataQuery, type Selection, toSelection } from './selection.ts'

interface DataForm {
  readonly query: DataQuery
  readonly dataset: Dataset
  readonly selection: Selection
  readonly placeName: string | undefined
  readonly kinds: readonly Kind[]
  readonly placeNames: readonly string[]
  /** Places with the words of the field `place`, if it does not name one of them. */
  readonly found: readonly PlaceRow[] | undefined
  readonly texts: Texts
  readonly links: Links
}

/** The form sends a GET request, so that each selection has an address. The box of a map stays until a place is entered. */
function dataForm({ query, dataset, selection, placeName, kinds, placeNames, found, texts, links }: DataForm): SafeHtml {
  const { language } = texts
  const { area, filters } = selection
  const isBox = area['min_lng'] !== undefined
  const form = createForm(language, { values: { ...filters, place: query.place ?? placeName } })
  const status = selection.statuses.length < statuses.length ? selection.statuses.join() : undefined
  const kept = { data: query.data, ...filters, status }
  return html`<form class="data-form" action="${links.to('/data')}">
    ${choicesField({
      ...{ type: 'radio', name: 'data', label: texts('data.dataset'), values: [dataset], required: true, language },
      choices: datasets.map((key) => ({ key, name: texts(`data.datasets.${key}.choice`) })),
    })}
    ${isBox ? Object.entries(area).map(([name, value]) => hiddenField(name, value ?? '')) : ''}
    ${form.input('place', texts('data.place'), {
      hint: texts(isBox ? 'data.boxHint' : 'data.placeHint'),
      error: found && pageError(texts, texts(found.length === 0 ? 'data.noPlace' : 'data.severalPlaces')),
      ...{ suggestions: placeNames, maxlength: PLACE_WORDS_MAX, isConditional: true },
    })}
    ${found && found.length > 0 ? html`<ul>${found.map((place) => html`<li><a href="${links.to('/data', { ...kept, place_url: place.url_name })}">${fullPlaceName(place)}</a></li>`)}</ul>` : ''}
    ${isBox ? html`<p class="quiet">${richText(texts, 'data.everywhere', { link: (text) => html`<a href="${links.to('/data', kept)}">${text}</a>` })}</p>` : ''}
    <details${Object.values(filters).some((value) => value !== undefined) || status ? html` open` : ''}>
      <summary>${texts('data.filters')}</summary>
      ${choicesField({
        ...{
          type: 'checkbox',
          name: 'status',
          label: texts('map.status'),
          values: selection.statuses,
          isConditional: true,
          language,
        },
        choices: statuses.map((status) => ({ key: status.toLowerCase(), name: statusName(status, language) })),
      })}
      ${
        kinds.length === 0
          ? ''
          : form.select('request_types', texts('map.kind'), {
              choices: [
                { key: '', name: texts('map.everyKind') },
                ...kinds.map(({ title, ids }) => ({ key: ids.join(), name: title })),
              ],
              ...{ hasDefault: true, isConditional: true },
            })
      }
      ${form.input('search', texts('map.words'), { maxlength: 200, isConditional: true })}
      <div class="pair">
        ${form.input('after', texts('map.from'), { type: 'date', value: filters['after']?.slice(0, 10), isConditional: true })}
        ${form.input('before', texts('map.until'), { type: 'date', value: filters['before']?.slice(0, 10), isConditional: true })}
      </div>
    </details>
    <p><button>${texts('data.show')}</button></p>
  </form>`
}

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
      ...pageTitles(texts, 'data.title', 'data.lead'),
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
      ...pageTitles(texts, 'data.dictionary.title', 'data.dictionary.description'),
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
