import type { FastifyReply, FastifyRequest } from 'fastify'

import type { Queryable } from '../../database/database.ts'
import type { AreaLookup } from '../../geo/area-query.ts'
import type { Viewer } from '../../http/auth/authentication.ts'
import { type CursorPage, toCursorPage, queryParameters, toPagination } from '../../http/lists/pagination.ts'
import { findPlaceByUrlName } from '../../places/queries.ts'
import type { Services } from '../../services.ts'
import { pageTitle } from '../formats/title.ts'
import { loggingReader, type ParseCondition, parseListQuery, type createListSender } from '../list/read-list.ts'
import type { ListIssuesQuery } from '../list/query.ts'
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
}

/** Returns a function that sends a page of a list with its title. */
export function createTitledPageSender(
  { db, areas, urls }: Pick<Services, 'db' | 'areas' | 'urls'>,
  sendList: ReturnType<typeof createListSender>,
) {
  return async (
    request: FastifyRequest,
    reply: FastifyReply,
    { query, path, type, parseCondition }: PageOptions,
    render: (page: TitledPage) => Promise<{ readonly body: string; readonly headers?: Readonly<Record<string, string | number>> }>,
  ) => {
    const { viewer } = request
    const reader = loggingReader(db.reader, request.log)
    const parameters = queryParameters(request)
    const cursorPage = toCursorPage(query, parameters)
    const { listRequest, title } = await parsePageQuery({ reader, areas, parseCondition }, query, cursorPage, viewer)
    return sendList(
      request,
      reply,
      { reader, listRequest, viewer, type, language: null },
      async ({ entries, next, issues: rows }) => {
        const pagination = toPagination(urls, path, parameters, listRequest.page, entries, next)
        const page = await render({ title, parameters, rows, pagination })
        // A feed without entries shows the last change anywhere, which is no part of its version.
        return { ...page, people: rows.map(({ reporter }) => reporter), isKept: rows.length > 0 }
      },
    )
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
