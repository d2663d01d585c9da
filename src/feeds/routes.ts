import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyRequest } from 'fastify'
import type { Download, Downloads } from '../gis/downloads/downloads.ts'
import { geoJsonWriter } from '../gis/downloads/geojson.ts'
import { downloadHeaders, partResponses, wholeCollection } from '../gis/downloads/formats.ts'
import {
  filterQueryCompiler,
  parseConditions,
  downloadStatuses,
  PagedOrWholeQuery,
  PagedQuery,
  addRefusalOfOgcParameters,
} from '../gis/query.ts'
import { issueTable } from '../gis/downloads/feature-tables.ts'
import { addDataPlugins } from '../http/plugins.ts'
import { ATOM_TYPE, GEOJSON_TYPE } from '../http/formats/content-types.ts'
import { toFeaturePage, featurePage } from '../http/formats/feature-collection.ts'
import { toCursorPage, formatParameters, hasParameter, queryParameters, PageMetadata } from '../http/lists/pagination.ts'
import { FEEDS } from '../http/openapi/describe-operations.ts'
import { failsWith, toTimestamp } from '../http/schema/fields.ts'
import { createTitledPageSender, parsePageQuery } from '../issues/api/read-page.ts'
import { renderAtom, toFeedDocument } from '../issues/formats/feed-document.ts'
import type { IssueFilter } from '../issues/list/filter.ts'
import { listStatuses } from '../issues/list/query.ts'
import { createListSender, loggingReader } from '../issues/list/read-list.ts'
import { findLatestIssueChange } from '../issues/list/overview.ts'
import { toIssue } from '../issues/present.ts'
import { toRecords } from '../issues/records/from-rows.ts'
import { toFeature } from '../issues/records/present.ts'
import type { Services } from '../services.ts'
import { limitRequests } from '../http/request/request-limit.ts'
import Type, { type Static } from 'typebox'
import { IssueFeature } from '../issues/records/schema.ts'

/** A client gets fewer concurrent requests than the total, so that it cannot block other clients. GIS programs can wait. */
const CLIENT_LIMITS = { concurrency: 2, queueMax: 50, waitMaxMs: 5_000, rateFactor: 30, networkConcurrency: 3 }
/** Feeds have limits of their own, below those of pages, because feed readers can wait. */
const LIMITS = {
  requests: { concurrency: 5, queueMax: 50, waitMaxMs: 5_000 },
  queries: { poolShare: 0.2, queueMax: 1_000, waitMaxMs: 10_000 },
}

const ATOM = '/feeds/issues.atom'
const GEOJSON = '/feeds/issues.geojson'
const feedDescription =
  'Returns the issues that `GET /issues` lists for the same parameters, with public data only. No account is needed; with credentials, filters by the caller such as `assigned_to_me` work as in the list. The URL has no API prefix. Requests do not count towards the rate limit; each client address has a limit of its own and gets 429 beyond it.'

const pageParameters = ['page', 'per_page', 'cursor']

function isWholeDownload(request: FastifyRequest): boolean {
  if (request.routeOptions.url !== GEOJSON) return false
  const parameters = queryParameters(request)
  return !pageParameters.some((name) => hasParameter(parameters, name))
}

export const feedRoutes: FastifyPluginAsyncTypebox<Services & { readonly downloads: Downloads }> = async (app, services) => {
  addDataPlugins(app, services, { ...CLIENT_LIMITS, isExempt: isWholeDownload })
  const { clock, downloads } = services
  const { db, areas, urls } = limitRequests(app, services, { ...LIMITS, isExempt: isWholeDownload })
  const conditionParser = (query: PagedQuery) => (filter: IssueFilter) =>
    parseConditions({ reader: db.reader, areas }, query, filter)
  const sendPage = createTitledPageSender({ db, areas, urls }, createListSender({ db, clock }))

  app.setValidatorCompiler(filterQueryCompiler(app))
  addRefusalOfOgcParameters(app)

  app.get(
    ATOM,
    {
      schema: {
        operationId: 'getIssuesAsAtom',
        summary: 'Follow issues as an Atom feed',
        description: `${feedDescription} Atom (RFC 4287) with the point of each issue as GeoRSS-Simple; \`next\` and \`previous\` lead to the other pages (RFC 5005).`,
        tags: [FEEDS],
        querystring: PagedQuery,
        response: {
          200: { description: 'The feed.', content: { 'application/atom+xml': { schema: AtomFeed } } },
          ...failsWith(422),
        },
      },
    },
    async (request, reply) => {
      const { query } = request
      return sendPage(
        request,
        reply,
        { query, path: ATOM, type: ATOM_TYPE, parseCondition: conditionParser(query) },
        async (page) => {
          const issues = page.rows.map((row) => toIssue(row, urls))
          const feedPage = { ...page, path: ATOM, placeUrlName: query.place_url, issues }
          return { body: renderAtom(await toFeedDocument(feedPage, urls, () => findLatestIssueChange(db.reader))) }
        },
      )
    },
  )

  app.get(
    GEOJSON,
    {
      schema: {
        operationId: 'getIssuesAsGeoJson',
        summary: 'Get issues as GeoJSON for a map',
        description: `${feedDescription} A FeatureCollection of points (RFC 7946), which GIS programs such as QGIS open by this URL. Without \`per_page\`, \`page\` and \`cursor\` it is whole: all issues of one snapshot, which have every status without \`status\`, sorted by id or as \`sort\` says, with their number in \`numberMatched\` and in \`X-Total-Count\`. \`Range\` reads a part of it. This counts as a download of \`/exports\`: a client may have two at a time, and the setting \`EXPORTS\` of the server may require credentials or refuse it. With \`per_page\`, which is at most 100, it is a page; \`links\` lead to the next one.`,
        tags: [FEEDS],
        querystring: PagedOrWholeQuery,
        response: {
          200: {
            description: 'All issues, or a page.',
            content: { 'application/geo+json': { schema: IssueFeatures } },
            headers: downloadHeaders,
          },
          ...partResponses(['application/geo+json']),
          ...failsWith(422),
        },
      },
    },
    async (request, reply) => {
      const isWhole = isWholeDownload(request)
      const query = { ...request.query, status: request.query.status ?? (isWhole ? [...downloadStatuses] : listStatuses) }
      if (isWhole) {
        await downloads.send(request, reply, () => prepareDownload(request, query))
        return reply
      }
      return sendPage(
        request,
        reply,
        { query, path: GEOJSON, type: GEOJSON_TYPE, parseCondition: conditionParser(query) },
        async (page) => {
          const { title, rows, parameters, pagination } = page
          const features = (await toRecords(db.reader, rows)).map((record) => toFeature(record, urls))
          const self = urls.at(`${GEOJSON}?${formatParameters(parameters)}`)
          return { body: JSON.stringify({ ...toFeaturePage(features, self, pagination), title, metadata: { pagination } }) }
        },
      )
    },
  )

  async function prepareDownload(request: FastifyRequest, query: PagedQuery): Promise<Download> {
    const { viewer } = request
    const parameters = queryParameters(request)
    const reader = loggingReader(db.reader, request.log)
    const cursorPage = toCursorPage(query, parameters)
    const sources = { reader, areas, parseCondition: conditionParser(query) }
    const { listRequest, title } = await parsePageQuery(sources, query, cursorPage, viewer)
    const isSorted = ['sort', 'sort_direction'].some((name) => hasParameter(parameters, name))
    const order = isSorted ? listRequest.order : undefined
    const context = { urls, title, createdAt: toTimestamp(clock().toISOString()) }
    const table = issueTable({ filter: listRequest.filter, viewer, order }, context)
    return { table, openWriter: geoJsonWriter, contentType: GEOJSON_TYPE, isText: true }
  }
}

const page = featurePage(IssueFeature, 'IssuePage').properties
const whole = wholeCollection(IssueFeature, 'AllIssues').properties

/** A page has `links` and `metadata`; a whole download has `name`, `licence` and `attribution` instead. */
const IssueFeatures = Type.Object(
  {
    type: page.type,
    title: whole.title,
    numberMatched: page.numberMatched,
    numberReturned: Type.Integer({ description: 'The number of features here.', examples: [1] }),
    metadata: Type.Optional(PageMetadata),
    links: Type.Optional(page.links),
    name: Type.Optional(whole.name),
    licence: Type.Optional(whole.licence),
    attribution: Type.Optional(whole.attribution),
    features: page.features,
  },
  { title: 'IssueFeatures' },
)
type IssueFeatures = Static<typeof IssueFeatures>

/** A JSON schema cannot describe an Atom document, so the API reference shows an example. */
const AtomFeed = Type.String({
  examples: [
    '<?xml version="1.0" encoding="utf-8"?>\n<feed xmlns="http://www.w3.org/2005/Atom" xmlns:georss="http://www.georss.org/georss">…</feed>',
  ],
})
