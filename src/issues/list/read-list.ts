import type { FastifyBaseLogger, FastifyReply, FastifyRequest } from 'fastify'

import type { Query, Queryable, Sql } from '../../database/database.ts'
import { problems } from '../../errors/problems.ts'
import { type AreaLookup, findOrigin, resolveArea } from '../../geo/area-query.ts'
import type { Area } from '../../geo/area.ts'
import type { AreaVersion } from '../../geo/pyramid/totals.ts'
import type { Viewer } from '../../http/auth/authentication.ts'
import { weakEtag } from '../../http/caching/validators.ts'
import { createKeptPages, type PageVersion } from '../../http/caching/kept-pages.ts'
import { type Cursor, type CursorPage, encodeCursor, hashList, type NextPage, type Page } from '../../http/lists/pagination.ts'
import { text, type Language } from '../../locales/texts.ts'
import type { Services } from '../../services.ts'
import type { UserSummaryRow } from '../../users/present.ts'
import { CHANGES_CURSOR, encodeChangesCursor, findChangesPosition } from '../../issue-lifecycle/changes-cursor.ts'
import { type IssueFilter, parseFilter } from './filter.ts'
import { findListPage, type ListPage } from './page.ts'
import type { ListIssuesQuery } from './query.ts'
import { type Order, parseRowPosition, type Position, findListVersion, type ListVersion } from './statement.ts'

interface ListResult extends ListPage {
  readonly area: Area
  readonly next: NextPage
}

type ListParameters = Omit<ListIssuesQuery, 'details' | 'fields[issue]'>

export interface ListRequest {
  readonly area: Area
  readonly filter: IssueFilter
  readonly order: Order
  readonly page: Page
  /** Identifies the list in cursors; it is computed lazily because only they need it. */
  readonly listHash: () => string
  /** The position after which the page begins; undefined without a valid cursor of this list. */
  readonly position: Position | undefined
}

/** Returns a condition on issue `i` in addition to a filter, or undefined. */
export type ParseCondition = (filter: IssueFilter) => Promise<Sql | undefined>

/**
 * Parses the query of a list; the API and the feeds share it. A cursor of another list is ignored because clients edit URLs.
 * @param sources.parseCondition returns another condition
 * @param sources.scope `IssueFilter.scope`
 * @param sources.staffCondition `IssueFilter.staffCondition`
 * @param sources.order an order that replaces the one of the query
 * @param sources.area an area that replaces the one of the query; distances are measured from its centre
 * @throws Problem 422 naming ids that do not exist, or for a forged cursor
 */
export async function parseListQuery(
  sources: {
    readonly reader: Queryable
    readonly areas: AreaLookup
    readonly area?: Area | undefined
    readonly parseCondition?: ParseCondition | undefined
    readonly order?: Order | undefined
    readonly scope?: IssueFilter['scope']
    readonly staffCondition?: Sql | undefined
  },
  query: ListParameters,
  { cursor, page, perPage }: CursorPage,
  viewer: Viewer | null,
): Promise<ListRequest> {
  const { reader, areas, parseCondition, scope, staffCondition } = sources
  const area = sources.area ?? (await resolveArea(query, areas))
  const order = sources.order ?? (await parseOrder(query, () => findOrigin(query, area, areas)))
  const queryFilter = { ...(await parseFilter(reader, query, area, viewer)), scope, staffCondition }
  const filter = parseCondition ? { ...queryFilter, condition: await parseCondition(queryFilter) } : queryFilter
  const listHash = () => hashList({ ...filterIdentity(filter, query), order, perPage })
  const position = cursor && toPosition(cursor, listHash(), order)
  return { area, filter, order, page: { page: position ? cursor.page : page, perPage }, listHash, position }
}

/** @param version the version of the area, if it was read before the list */
async function readList(
  reader: Queryable,
  listRequest: ListRequest,
  viewer: Viewer | null,
  version?: AreaVersion,
): Promise<ListResult> {
  const { area, filter, order, page, listHash, position } = listRequest
  const issuePage = await findListPage(reader, { filter, order, pagePosition: { ...page, position }, viewer }, undefined, version)
  const lastIssue = issuePage.hasNext ? issuePage.issues.at(-1) : undefined
  const cursor =
    lastIssue && encodeCursor({ page: page.page + 1, listHash: listHash(), key: String(lastIssue.sort_key), id: lastIssue.id })
  return { area, ...issuePage, next: { hasNext: issuePage.hasNext, cursor } }
}

async function parseOrder(
  { sort = 'created_at', sort_direction }: Pick<ListIssuesQuery, 'sort' | 'sort_direction'>,
  findDistanceOrigin: () => ReturnType<typeof findOrigin>,
): Promise<Order> {
  if (sort !== 'distance') return { by: sort, direction: sort_direction ?? 'DESC' }
  const origin = await findDistanceOrigin()
  if (!origin) throw problems.invalid({ sort: text('distance_without_point') })
  return { by: sort, direction: sort_direction ?? 'ASC', origin }
}

/** The query identifies the list as written: spelling corrections and the centre of a place may change. */
function filterIdentity({ area, ...filter }: IssueFilter, { search }: ListParameters) {
  const isStored = area.kind === 'place' || area.kind === 'watchArea'
  return { ...filter, search, area: isStored ? { ...area, centre: undefined } : area }
}

/** @throws Problem 422 for a key that no row of this list can have */
function toPosition(cursor: Cursor, listHash: string, order: Order): Position | undefined {
  if (cursor.listHash !== listHash) return undefined
  const position = parseRowPosition(order, cursor.key, cursor.id)
  if (position) return position
  throw problems.invalid({
    cursor: text('must_be', { allowed: text('cursor_of_next_page') }),
  })
}

/** Logs the text of each statement, without values, at log level `debug`, for the analysis of slow lists. */
export function loggingReader(reader: Queryable, log: FastifyBaseLogger): Queryable {
  if (log.level !== 'debug' && log.level !== 'trace') return reader
  const query: Query = (statement) => {
    log.debug({ sql: statement.text.trim() }, 'SQL statement of an issue list')
    return reader.query(statement)
  }
  return { query }
}

interface RequestedList {
  readonly reader: Queryable
  readonly listRequest: ListRequest
  readonly viewer: Viewer | null
  readonly type: string
  /** Null for formats in which names of request types and organisations are in their own language. */
  readonly language: Language | null
}

interface RenderedList {
  readonly body: string
  readonly headers?: Readonly<Record<string, string | number>>
  /** The users whom the body shows. */
  readonly people: readonly (UserSummaryRow | null)[]
  /** False for a body that depends on more than the version of the list. */
  readonly isKept?: boolean
}

/** Returns a function that sends a page of a list, which is kept in memory for anonymous callers. */
export function createListSender({ db, clock }: Pick<Services, 'db' | 'clock'>) {
  const send = createKeptPages<readonly number[], PageVersion & { readonly list: ListVersion }>(db, clock)

  return (
    request: FastifyRequest,
    reply: FastifyReply,
    { reader, listRequest, viewer, type, language }: RequestedList,
    render: (list: ListResult) => Promise<RenderedList>,
  ) => {
    // The same URL may mean another list later, such as one whose search is corrected by other words. A cursor has a hash of the list as it was asked for.
    const resolvedListHash = weakEtag(JSON.stringify(listRequest))
    const toText = ({ version }: ListVersion, people: string) => [resolvedListHash, version, people].join('|')
    return send(request, reply, {
      key: `${type} ${language ?? ''} ${request.url}`,
      findVersion: async (ids) => {
        const list = await findListVersion(reader, listRequest.area, ids)
        void reply.header(CHANGES_CURSOR, encodeChangesCursor(list))
        return { text: toText(list, list.people ?? ''), list }
      },
      read: async (found) => {
        const version = found?.list ?? (request.viewer ? undefined : await findListVersion(reader, listRequest.area))
        void reply.header(CHANGES_CURSOR, encodeChangesCursor(version ?? (await findChangesPosition(reader, listRequest.area))))
        const { body, headers, people, isKept = true } = await render(await readList(reader, listRequest, viewer, version))
        const revisions = formatRevisions(people)
        return {
          body,
          headers: { 'content-type': type, ...(language === null ? {} : { 'content-language': language }), ...headers },
          version: version && isKept ? { text: toText(version, revisions.join()) } : undefined,
          shown: revisions.map((revision) => Number.parseInt(revision, 10)),
        }
      },
    })
  }
}

/**
 * Returns the parts of `ListVersion.people`. If a user changes while the list is read, it shows two revisions of the user; both are returned, and no
 * later version has two of one user.
 */
function formatRevisions(people: readonly (UserSummaryRow | null)[]): string[] {
  const revisions = people.flatMap((user) => (user ? [`${user.id} ${user.summary_revision}`] : []))
  return [...new Set(revisions)].sort((a, b) => Number.parseInt(a, 10) - Number.parseInt(b, 10))
}
