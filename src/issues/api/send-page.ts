import type { FastifyReply, FastifyRequest } from 'fastify'

import { isNotModified, setValidators } from '../../http/caching/conditional.ts'
import { ATOM_TYPE, CSV_TYPE, GEOJSON_TYPE, RSS_TYPE } from '../../http/formats/content-types.ts'
import { toFeaturePage } from '../../http/formats/feature-collection.ts'
import { LICENCE_URL } from '../../http/formats/licence.ts'
import { toCursorPage } from '../../http/lists/cursor.ts'
import { queryParameters, toMetadata, withParameters } from '../../http/lists/pagination.ts'
import { apiPrefix } from '../../http/request/urls.ts'
import { findPlaceByUrlName } from '../../places/queries.ts'
import { findPlacesVersion } from '../../places/version.ts'
import type { Services } from '../../services.ts'
import { renderAtom } from '../formats/atom.ts'
import { renderCsv } from '../formats/csv.ts'
import { toFeedDocument } from '../formats/feed-document.ts'
import { refuseJsonParameters } from '../formats/json-parameters.ts'
import { renderRss } from '../formats/rss.ts'
import { pageTitle } from '../formats/title.ts'
import { readListWithValidators, checkListVersion } from '../list/etag.ts'
import { createListLastModifiedFinder, findLatestIssueChange } from '../list/last-modified.ts'
import { loggingReader } from '../list/logging-reader.ts'
import type { ListIssuesQuery } from '../list/query.ts'
import { parseListQuery } from '../list/read-list.ts'
import { toIssue } from '../present.ts'
import type { IssueRow } from '../queries.ts'
import { toFeature, toRecord } from '../records/present.ts'
import { findPlaceUrlNames } from '../records/queries.ts'

const PATH = '/issues'

/** Content types of a list that callers select by Accept. */
export const pageTypes = [GEOJSON_TYPE, ATOM_TYPE, RSS_TYPE, CSV_TYPE] as const
type PageType = (typeof pageTypes)[number]
type Pagination = ReturnType<typeof toMetadata>['pagination']

interface IssuePage {
  readonly query: ListIssuesQuery
  readonly parameters: URLSearchParams
  readonly title: string
  readonly rows: readonly IssueRow[]
  readonly pagination: Pagination
}

/** Returns a function that sends a page of `GET /issues` in a content type other than JSON. */
export function createPageSender({ db, areas, urls }: Services) {
  const balancedReader = { query: db.read }
  const findListLastModified = createListLastModifiedFinder(db)

  const renderers: Readonly<Record<PageType, (page: IssuePage) => Promise<string>>> = {
    [GEOJSON_TYPE]: async ({ rows, parameters, pagination }) => {
      const features = (await findRecords(rows)).map((record) => toFeature(record, urls))
      return JSON.stringify(toFeaturePage(features, urls.api(withParameters(PATH, parameters)), pagination))
    },
    [CSV_TYPE]: async ({ rows }) => renderCsv(await findRecords(rows), urls),
    [ATOM_TYPE]: async (page) => renderAtom(await createFeedDocument(page)),
    [RSS_TYPE]: async (page) => renderRss(await createFeedDocument(page)),
  }

  const createFeedDocument = ({ query, parameters, title, rows, pagination }: IssuePage) =>
    toFeedDocument(
      {
        title,
        path: `${apiPrefix}${PATH}`,
        parameters,
        placeUrlName: query.place_url,
        pagination,
        issues: rows.map((row) => toIssue(row, urls)),
      },
      urls,
      () => findLatestIssueChange(balancedReader),
    )

  return async (request: FastifyRequest, reply: FastifyReply, query: ListIssuesQuery, type: PageType) => {
    refuseJsonParameters(query)
    const { viewer } = request
    const reader = loggingReader(balancedReader, request.log)
    const parameters = queryParameters(request)
    const cursorPage = toCursorPage(query, parameters)
    // Features and rows name the place that covers the issue, so that changes of places change the response.
    const showsPlaces = type === GEOJSON_TYPE || type === CSV_TYPE
    const parseRequest = async () => {
      const listRequest = await parseListQuery({ reader, areas }, query, cursorPage, viewer)
      const place =
        listRequest.area.kind === 'place' && query.place_url ? await findPlaceByUrlName(reader, query.place_url) : undefined
      const title = pageTitle(query, place?.name)
      const placesVersion = showsPlaces ? await findPlacesVersion(reader) : undefined
      return { listRequest, title, reader, request, viewer, responseInputs: [urls.root, type, title, placesVersion ?? ''] }
    }
    if ((await checkListVersion(request, reply, parseRequest)) !== undefined) return reply.notModified()

    // Last-Modified is read before everything on which the response depends, which includes the centre of a place.
    const lastModified = await findListLastModified(query, viewer, showsPlaces)
    const { listRequest, title, ...context } = await parseRequest()
    const { entries, next, issues: rows, createValidators } = await readListWithValidators(listRequest, context)
    const { pagination } = toMetadata(urls, PATH, parameters, listRequest.page, entries, next)
    const { dependencyIds: _, ...validators } = createValidators(
      rows.map(({ reporter }) => reporter),
      rows.map(({ request_type }) => request_type),
    )
    const body = await renderers[type]({ query, parameters, title, rows, pagination })
    setValidators(request, reply, { etagParts: [body], ...validators, lastModified })
    if (isNotModified(request, reply)) return reply.notModified()
    if (type === CSV_TYPE) void reply.header('link', linkHeader(pagination)).header('x-total-count', entries)
    return reply.type(type).send(body)
  }

  async function findRecords(rows: readonly IssueRow[]) {
    const ids = rows.map(({ id }) => id)
    const placeUrlNames = await findPlaceUrlNames(balancedReader, ids)
    return rows.map((row) => toRecord(row, placeUrlNames.get(row.id) ?? null))
  }
}

/** Returns the value of a Link header (RFC 8288). */
function linkHeader({ next_page_url, previous_page_url }: Pagination): string {
  const links = { next: next_page_url, prev: previous_page_url, license: LICENCE_URL }
  return Object.entries(links)
    .filter(([, url]) => url !== null)
    .map(([rel, url]) => `<${url}>; rel="${rel}"`)
    .join(', ')
}
