import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'

import type { Queryable } from '../database/database.ts'
import { resolveAreaForm } from '../gis/area-parameters.ts'
import { addGisClientLimits } from '../gis/client-limits.ts'
import type { Download, Downloads } from '../gis/downloads/downloads.ts'
import { geoJsonWriter } from '../gis/downloads/geojson.ts'
import { filterQueryCompiler } from '../gis/filter.ts'
import { issueTable } from '../gis/downloads/issue-table.ts'
import { PagedQuery } from '../gis/query.ts'
import { identifyCaller, type Viewer } from '../http/auth/authentication.ts'
import { addApiContentPolicy } from '../http/request/browser-security.ts'
import { isNotModified, setValidators } from '../http/caching/conditional.ts'
import { shedLoad } from '../http/plugins.ts'
import { toFeaturePage } from '../http/formats/feature-collection.ts'
import { type CursorPage, toCursorPage } from '../http/lists/cursor.ts'
import { FEEDS } from '../http/openapi/describe-operations.ts'
import { formatParameters, queryParameters, toPagination } from '../http/lists/pagination.ts'
import { failsWith, toTimestamp } from '../http/schema/fields.ts'
import { renderAtom } from '../issues/formats/atom.ts'
import { toFeedDocument } from '../issues/formats/feed-document.ts'
import { pageTitle } from '../issues/formats/title.ts'
import { findLatestIssueChange, createListLastModifiedFinder } from '../issues/list/last-modified.ts'
import { readListWithValidators, checkListVersion } from '../issues/list/etag.ts'
import { toIssue } from '../issues/present.ts'
import { toFeature, toRecord } from '../issues/records/present.ts'
import { findPlaceUrlNames } from '../issues/records/queries.ts'
import { loggingReader } from '../issues/list/logging-reader.ts'
import { parseListQuery } from '../issues/list/read-list.ts'
import { findPlaceByUrlName } from '../places/queries.ts'
import { findPlacesVersion } from '../places/version.ts'
import type { Services } from '../services.ts'
import { limitPages } from '../http/request/page-limit.ts'
import { AtomFeed, IssueFeatures } from './schema.ts'

/** Feeds have limits of their own, below those of pages, because feed readers can wait. */
const LIMITS = {
  pages: { concurrency: 5, queueMax: 50, waitMaxMs: 5_000 },
  queries: { concurrency: 2, queueMax: 1_000, waitMaxMs: 10_000 },
}

const ATOM = '/feeds/issues.atom'
const GEOJSON = '/feeds/issues.geojson'
const feedDescription =
  'Returns the issues that `GET /issues` lists for the same parameters, and also those of a circle (`lat`, `lng` and `radius`) or a polygon (`area`), with public data only. No account is needed; with credentials, filters by the caller such as `assigned_to_me` work as in the list. The URL has no API prefix. Requests do not count towards the rate limit; each client address has a limit of its own and gets 429 beyond it.'

const pageParameters = ['page', 'per_page', 'cursor']

function isWholeDownload(request: FastifyRequest): boolean {
  if (request.routeOptions.url !== GEOJSON) return false
  const parameters = queryParameters(request)
  return !pageParameters.some((name) => parameters.has(name))
}

export const feedRoutes: FastifyPluginAsyncTypebox<Services & { readonly downloads: Downloads }> = async (app, services) => {
  await shedLoad(app, services)
  addGisClientLimits(app, services.config, isWholeDownload)
  addApiContentPolicy(app)
  identifyCaller(app, services)
  const { clock, downloads } = services
  const { db, areas, urls } = limitPages(app, services, { ...LIMITS, isExempt: isWholeDownload })
  const balancedReader = { query: db.read }
  const findListLastModified = createListLastModifiedFinder(db)

  app.setValidatorCompiler(filterQueryCompiler(app))

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
      const found = await readFeed(request, reply, request.query, ATOM)
      if (!found) return reply.notModified()
      const { title, validators, rows, pagination } = found
      const issues = rows.map((row) => toIssue(row, urls))
      const page = {
        title,
        path: ATOM,
        parameters: queryParameters(request),
        placeUrlName: request.query.place_url,
        pagination,
        issues,
      }
      const xml = renderAtom(await toFeedDocument(page, urls, () => findLatestIssueChange(balancedReader)))
      setValidators(request, reply, { etagParts: [xml], ...validators })
      if (isNotModified(request, reply)) return reply.notModified()
      return reply.type('application/atom+xml; charset=utf-8').send(xml)
    },
  )

  app.get(
    GEOJSON,
    {
      schema: {
        operationId: 'getIssuesAsGeoJson',
        summary: 'Get issues as GeoJSON for a map',
        description: `${feedDescription} A FeatureCollection of points (RFC 7946), which GIS programs such as QGIS open by this URL. Without \`per_page\`, \`page\` and \`cursor\` it is whole: all issues of one snapshot, sorted by id or as \`sort\` says, with their number in \`numberMatched\` and in \`X-Total-Count\`. This counts as a download of \`/exports\`: a client may have two at a time, and the setting \`EXPORTS\` of the server may require credentials or refuse it. With \`per_page\`, which is at most 100, it is a page; \`links\` lead to the next one.`,
        tags: [FEEDS],
        querystring: PagedQuery,
        response: {
          200: { description: 'All issues, or a page.', content: { 'application/geo+json': { schema: IssueFeatures } } },
          ...failsWith(422),
        },
      },
    },
    async (request, reply) => {
      if (isWholeDownload(request)) {
        await downloads.send(request, reply, () => prepareDownload(request, request.query))
        return reply
      }
      const found = await readFeed(request, reply, request.query, GEOJSON)
      if (!found) return reply.notModified()
      const { title, validators, rows, pagination } = found
      const placeUrlNames = await findPlaceUrlNames(
        balancedReader,
        rows.map(({ id }) => id),
      )
      const features = rows.map((row) => toFeature(toRecord(row, placeUrlNames.get(row.id) ?? null), urls))
      const self = urls.at(`${GEOJSON}?${formatParameters(queryParameters(request))}`)
      const collection = { ...toFeaturePage(features, self, pagination), title, metadata: { pagination } }
      const etagParts = validators.etagParts ?? [JSON.stringify(collection)]
      setValidators(request, reply, { ...validators, etagParts })
      if (isNotModified(request, reply)) return reply.notModified()
      return reply.type('application/geo+json; charset=utf-8').send(collection)
    },
  )

  /** Returns undefined if the caller already has the current response. */
  async function readFeed(request: FastifyRequest, reply: FastifyReply, query: PagedQuery, path: string) {
    const { viewer } = request
    const parameters = queryParameters(request)
    const cursorPage = toCursorPage(query, parameters)
    const parseRequest = async () => {
      const reader = loggingReader(balancedReader, request.log)
      // The title is part of the validators because it contains the name of the place.
      const { listRequest, title } = await parseFeedQuery(reader, query, cursorPage, viewer)
      // A feature names the place that covers it, so that changes of places change the response.
      const placesVersion = path === GEOJSON ? await findPlacesVersion(reader) : undefined
      return { listRequest, title, reader, request, viewer, responseInputs: [urls.root, title, placesVersion ?? ''] }
    }
    if ((await checkListVersion(request, reply, parseRequest)) !== undefined) return undefined
    // Last-Modified is read before everything on which the response depends, which includes the centre of a place.
    const lastModified = await findListLastModified(query, viewer, path === GEOJSON)
    const { listRequest, title, ...context } = await parseRequest()
    const { entries, next, issues: rows, createValidators } = await readListWithValidators(listRequest, context)
    const { dependencyIds: _, ...validators } = createValidators(
      rows.map(({ reporter }) => reporter),
      rows.map(({ request_type }) => request_type),
    )
    return {
      title,
      validators: { ...validators, lastModified },
      rows,
      pagination: toPagination(urls, path, parameters, listRequest.page, entries, next),
    }
  }

  async function parseFeedQuery(reader: Queryable, query: PagedQuery, cursorPage: CursorPage, viewer: Viewer | null) {
    const feedArea = await resolveAreaForm(query, areas)
    const listRequest = await parseListQuery({ reader, areas, area: feedArea }, query, cursorPage, viewer)
    const place =
      listRequest.area.kind === 'place' && query.place_url ? await findPlaceByUrlName(reader, query.place_url) : undefined
    return { listRequest, title: pageTitle(query, place?.name) }
  }

  async function prepareDownload(request: FastifyRequest, query: PagedQuery): Promise<Download> {
    const { viewer } = request
    const parameters = queryParameters(request)
    const reader = loggingReader(balancedReader, request.log)
    const { listRequest, title } = await parseFeedQuery(reader, query, toCursorPage(query, parameters), viewer)
    const order = parameters.has('sort') || parameters.has('sort_direction') ? listRequest.order : undefined
    const context = { urls, title, createdAt: toTimestamp(clock().toISOString()) }
    const table = issueTable({ filter: listRequest.filter, viewer, order }, context)
    return { table, openWriter: geoJsonWriter, contentType: 'application/geo+json; charset=utf-8', isText: true }
  }
}
