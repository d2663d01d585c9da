import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'

import { dropOverriddenParameters } from '../geo/area-query.ts'
import { identifyCaller } from '../http/auth/authentication.ts'
import { addApiContentPolicy } from '../http/request/browser-security.ts'
import { addClientLimits } from '../http/rate-limit/client-limits.ts'
import { isNotModified, setValidators } from '../http/caching/conditional.ts'
import { shedLoad } from '../http/plugins.ts'
import { toCursorPage } from '../http/lists/cursor.ts'
import { FEEDS } from '../http/openapi/describe-operations.ts'
import { toPagination, queryParameters, formatParameters } from '../http/lists/pagination.ts'
import { failsWith, toTimestamp } from '../http/schema/fields.ts'
import { findLatestIssueChange, createListLastModifiedFinder } from '../issues/list/last-modified.ts'
import { readListWithValidators, setListValidatorsIfCurrent } from '../issues/list/etag.ts'
import { toIssue } from '../issues/present.ts'
import { loggingReader } from '../issues/list/logging-reader.ts'
import { parseListQuery } from '../issues/list/read-list.ts'
import { findPlaceByUrlName } from '../places/queries.ts'
import type { Services } from '../services.ts'
import { withInputTransform } from '../http/validation/compilers.ts'
import { limitPages } from '../http/request/page-limit.ts'
import { resolveFeedArea, feedAreaForm } from './area.ts'
import { renderAtom } from './atom.ts'
import { toFeature } from './geojson.ts'
import { AtomFeed, FeedQuery, IssueFeatures } from './schema.ts'
import { feedTitle } from './words.ts'

/** Feeds have limits of their own, below those of pages, because feed readers can wait. */
const LIMITS = {
  pages: { concurrency: 5, queueMax: 50, waitMaxMs: 5_000 },
  queries: { concurrency: 2, queueMax: 1_000, waitMaxMs: 10_000 },
}
/** A client gets fewer concurrent requests than the total, so that it cannot block other clients. */
const CLIENT_LIMITS = { concurrency: 2, queueMax: 50, waitMaxMs: 5_000, rateFactor: 30, networkConcurrency: 3 }

const ATOM = '/feeds/issues.atom'
const GEOJSON = '/feeds/issues.geojson'
const feedDescription =
  'Returns the issues that `GET /issues` lists for the same parameters, and also those of a circle (`lat`, `lng` and `radius`) or a polygon (`area`), with public data only. No account is needed; with credentials, filters by the caller such as `assigned_to_me` work as in the list. The URL has no API prefix. Requests do not count towards the rate limit; each client address has a limit of its own and gets 429 beyond it.'

export const feedRoutes: FastifyPluginAsyncTypebox<Services> = async (app, services) => {
  await shedLoad(app, services)
  addClientLimits(app, services.config, CLIENT_LIMITS)
  addApiContentPolicy(app)
  identifyCaller(app, services)
  const { db, areas, urls } = limitPages(app, services, LIMITS)
  const balancedReader = { query: db.read }
  const findListLastModified = createListLastModifiedFinder(db)

  app.setValidatorCompiler(
    withInputTransform(app, 'querystring', (query) => (feedAreaForm(query) ? query : dropOverriddenParameters(query))),
  )

  app.get(
    ATOM,
    {
      schema: {
        operationId: 'getIssuesAsAtom',
        summary: 'Follow issues as an Atom feed',
        description: `${feedDescription} Atom (RFC 4287) with the point of each issue as GeoRSS-Simple; \`next\` and \`previous\` lead to the other pages (RFC 5005).`,
        tags: [FEEDS],
        querystring: FeedQuery,
        response: {
          200: { description: 'The feed.', content: { 'application/atom+xml': { schema: AtomFeed } } },
          ...failsWith(422),
        },
      },
    },
    async (request, reply) => {
      const found = await readFeed(request, reply, request.query, ATOM)
      if (!found) return reply.notModified()
      const { title, validators, issues, pagination } = found
      const parameters = [...queryParameters(request)]
      const newest = issues
        .map(({ updated_at }) => updated_at)
        .sort()
        .at(-1)
      const xml = renderAtom({
        title,
        id: feedUrl(
          ATOM,
          parameters.filter(([name]) => name !== 'page' && name !== 'per_page' && name !== 'cursor'),
        ),
        self: feedUrl(ATOM, parameters),
        htmlUrl: urls.at(request.query.place_url === undefined ? '/' : `/places/${encodeURIComponent(request.query.place_url)}`),
        geojsonUrl: feedUrl(GEOJSON, parameters),
        next: pagination.next_page_url,
        previous: pagination.previous_page_url,
        icon: urls.at('/files/favicon.svg'),
        updated: newest ?? toTimestamp(await findLatestIssueChange(balancedReader)),
        issues,
      })
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
        description: `${feedDescription} A FeatureCollection of points (RFC 7946), which GIS programs such as QGIS open by this URL.`,
        tags: [FEEDS],
        querystring: FeedQuery,
        response: {
          200: { description: 'The issues.', content: { 'application/geo+json': { schema: IssueFeatures } } },
          ...failsWith(422),
        },
      },
    },
    async (request, reply) => {
      const found = await readFeed(request, reply, request.query, GEOJSON)
      if (!found) return reply.notModified()
      const { title, validators, issues, pagination } = found
      const collection: IssueFeatures = {
        type: 'FeatureCollection',
        title,
        metadata: { pagination },
        features: issues.map(toFeature),
      }
      const etagParts = validators.etagParts ?? [JSON.stringify(collection)]
      setValidators(request, reply, { ...validators, etagParts })
      if (isNotModified(request, reply)) return reply.notModified()
      return reply.type('application/geo+json; charset=utf-8').send(collection)
    },
  )

  /** Returns undefined if the caller already has the current response. */
  async function readFeed(request: FastifyRequest, reply: FastifyReply, query: FeedQuery, path: string) {
    const { viewer } = request
    const parameters = queryParameters(request)
    const cursorPage = toCursorPage(query, parameters)
    const parseRequest = async () => {
      const feedArea = await resolveFeedArea(query, areas)
      const reader = loggingReader(balancedReader, request.log)
      const listRequest = await parseListQuery({ reader, areas, area: feedArea }, query, cursorPage, viewer)
      const place =
        listRequest.area.kind === 'place' && query.place_url ? await findPlaceByUrlName(reader, query.place_url) : undefined
      // The title is part of the validators because it contains the name of the place.
      const title = feedTitle(query, place?.name)
      return { listRequest, title, reader, request, viewer, responseInputs: [urls.root, title] }
    }
    if ((await setListValidatorsIfCurrent(request, reply, parseRequest)) !== undefined) return undefined
    // Last-Modified is read before everything on which the response depends, which includes the centre of a place.
    const lastModified = await findListLastModified(query, viewer)
    const { listRequest, title, ...context } = await parseRequest()
    const { entries, next, issues: rows, createValidators } = await readListWithValidators(listRequest, context)
    const { dependencyIds: _, ...validators } = createValidators(
      rows.map(({ reporter }) => reporter),
      rows.map(({ request_type }) => request_type),
    )
    return {
      title,
      validators: { ...validators, lastModified },
      issues: rows.map((row) => toIssue(row, urls)),
      pagination: toPagination(urls, path, parameters, listRequest.page, entries, next),
    }
  }

  function feedUrl(path: string, parameters: Iterable<readonly [string, string]>): string {
    const queryString = formatParameters(parameters)
    return urls.at(queryString === '' ? path : `${path}?${queryString}`)
  }
}
