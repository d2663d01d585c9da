import type { FastifyReply, FastifyRequest } from 'fastify'

import type { Queryable } from '../../database/database.ts'
import type { AreaLookup } from '../../geo/area-query.ts'
import type { Viewer } from '../../http/auth/authentication.ts'
import type { Validators } from '../../http/caching/conditional.ts'
import { CSV_TYPE, GEOJSON_TYPE } from '../../http/formats/content-types.ts'
import { type CursorPage, toCursorPage } from '../../http/lists/cursor.ts'
import { queryParameters, toPagination } from '../../http/lists/pagination.ts'
import { findPlaceByUrlName } from '../../places/queries.ts'
import { findPlacesVersion } from '../../places/version.ts'
import type { Services } from '../../services.ts'
import { pageTitle } from '../formats/title.ts'
import { readListWithValidators, checkListVersion } from '../list/etag.ts'
import { loggingReader } from '../list/logging-reader.ts'
import { findNamesVersion } from '../list/version.ts'
import type { ListIssuesQuery } from '../list/query.ts'
import { parseListQuery, type ParseCondition } from '../list/read-list.ts'
import type { IssueRow } from '../queries.ts'

type PageQuery = Omit<ListIssuesQuery, 'details' | 'fields[issue]'>

interface PageOptions {
  readonly query: PageQuery
  /** The path of the list from the root. */
  readonly path: string
  /** The content type of the response. */
  readonly type: string
  readonly parseCondition?: ParseCondition | undefined
}

export interface TitledPage {
  readonly title: string
  readonly parameters: URLSearchParams
  readonly rows: readonly IssueRow[]
  readonly pagination: ReturnType<typeof toPagination>
  /** Without `etagParts`, the ETag is a hash of the body. */
  readonly validators: Validators
}

/** Returns a function that reads a page of a list with its title, and undefined if the caller already has the current response. */
export function createPageReader({ db, areas, urls }: Pick<Services, 'db' | 'areas' | 'urls'>) {
  const balancedReader = { query: db.read }

  return async (request: FastifyRequest, reply: FastifyReply, page: PageOptions): Promise<TitledPage | undefined> => {
    const { query, path, type, parseCondition } = page
    const { viewer } = request
    const reader = loggingReader(balancedReader, request.log)
    const parameters = queryParameters(request)
    const cursorPage = toCursorPage(query, parameters)
    // Features and rows name the place that covers the issue, so that changes of places change the response.
    const showsPlaces = type === GEOJSON_TYPE || type === CSV_TYPE
    const parseRequest = async () => {
      // The title is part of the validators because it contains the name of the place.
      const { listRequest, title } = await parsePageQuery({ reader, areas, parseCondition }, query, cursorPage, viewer)
      const { condition } = listRequest.filter
      const version = condition ? await findNamesVersion(reader) : showsPlaces ? await findPlacesVersion(reader) : undefined
      return { listRequest, title, reader, request, viewer, responseInputs: [urls.root, type, title, version ?? ''] }
    }
    if ((await checkListVersion(request, reply, parseRequest)) !== 'stale') return undefined

    const { listRequest, title, ...context } = await parseRequest()
    const { entries, next, issues: rows, createValidators } = await readListWithValidators(listRequest, context)
    const { dependencyIds: _, ...validators } = createValidators(
      rows.map(({ reporter }) => reporter),
      rows.map(({ request_type }) => request_type),
    )
    const pagination = toPagination(urls, path, parameters, listRequest.page, entries, next)
    return { title, parameters, rows, pagination, validators }
  }
}

/** Returns the parsed query with the title of the list. */
export async function parsePageQuery(
  sources: { readonly reader: Queryable; readonly areas: AreaLookup; readonly parseCondition?: ParseCondition | undefined },
  query: PageQuery,
  cursorPage: CursorPage,
  viewer: Viewer | null,
) {
  const listRequest = await parseListQuery(sources, query, cursorPage, viewer)
  const isInPlace = listRequest.area.kind === 'place' && query.place_url !== undefined
  const place = isInPlace ? await findPlaceByUrlName(sources.reader, query.place_url ?? '') : undefined
  return { listRequest, title: pageTitle(query, place?.name) }
}
