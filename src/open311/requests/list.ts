import type { FastifyReply, FastifyRequest } from 'fastify'

import { setValidators, toEtag } from '../../http/caching/conditional.ts'
import type { Page } from '../../http/lists/pagination.ts'
import type { Urls } from '../../http/request/urls.ts'
import { type CachedPage, checkListVersion, readListWithValidators } from '../../issues/list/etag.ts'
import { withLastModified } from '../../issues/list/last-modified.ts'
import { loggingReader } from '../../issues/list/logging-reader.ts'
import type { ListRequest } from '../../issues/list/read-list.ts'
import { findNamesVersion } from '../../issues/list/version.ts'
import { createResponseCache } from '../../issues/response-cache.ts'
import type { Services } from '../../services.ts'
import { contentTypes, requestedFormat } from '../formats/format.ts'
import { formatPageLinks, pageUrl } from '../formats/page-links.ts'
import { render } from '../formats/send.ts'
import type { Jurisdiction } from '../input/jurisdiction.ts'
import { type Parameters, readBoolean } from '../input/parameters.ts'
import { limitsOfPage, readExtensions } from './extensions.ts'
import { findMediaUrls } from './media-urls.ts'
import { toServiceRequest } from './present.ts'
import { readPeriod } from './period.ts'
import { readFilter, readPage } from './query.ts'

type CachedList = CachedPage & { readonly link: string; readonly entries: number }

/**
 * Returns a function that sends a page of the list of `GET /issues`, newest first, as an anonymous caller sees it. Like that
 * list, it reads the version first if the caller has an ETag or the page is in memory.
 */
export function createListSender({ areas, clock, config: { mediaUrlHosts }, db, urls }: Services) {
  const cachedLists = createResponseCache<CachedList>()

  return async (request: FastifyRequest, reply: FastifyReply, parameters: Parameters, jurisdiction: Jurisdiction) => {
    const format = requestedFormat(request)
    const reader = loggingReader({ query: db.read }, request.log)
    const readAt = clock()
    const page = readPage(parameters)
    const { period } = readPeriod(parameters, readAt)
    const filter = await readFilter(parameters, jurisdiction, { reader, areas, period })
    const order = { by: 'created_at', direction: 'DESC' } as const
    const listRequest: ListRequest = { area: filter.area, filter, order, page, listHash: () => '', position: undefined }
    const namesVersion = filter.condition && (await findNamesVersion(reader))
    const context = { reader, request, viewer: null, responseInputs: [urls.root, format, namesVersion ?? '', ...mediaUrlHosts] }
    const send = (body: string, link: string, entries: number) =>
      reply.headers({ link, 'x-total-count': entries }).type(contentTypes[format]).send(body)

    const key = `${format} ${request.url}`
    const cached = request.viewer ? undefined : withLastModified(cachedLists.get(key), db, readAt)
    const outcome = await checkListVersion(request, reply, async () => ({ ...context, listRequest }), cached)
    if (outcome === 'not-modified') return reply.notModified()
    if (outcome === 'cached' && cached) return send(cached.body, cached.link, cached.entries)

    const { entries, issues, createValidators } = await readListWithValidators(listRequest, context)
    const hasExtensions = readBoolean(parameters, 'extensions')
    const extend = hasExtensions ? await readExtensions(reader, issues, urls, limitsOfPage(page.perPage)) : () => ({})
    const mediaUrls = await findMediaUrls(reader, issues, mediaUrlHosts)
    const value = issues.map((issue) => ({ ...toServiceRequest(issue, urls, mediaUrls.get(issue.id)), ...extend(issue) }))
    const body = render({ root: 'service_requests', value }, format)
    // The response contains no names, so that no change of a user changes it.
    const { dependencyIds, ...validators } = createValidators(
      [],
      issues.map(({ request_type }) => request_type),
    )
    const link = pageLinks(urls, request, page, entries)
    setValidators(request, reply, { etagParts: [body], ...validators })
    const etag = toEtag(request, validators)
    if (!request.viewer && dependencyIds && etag !== undefined)
      cachedLists.set(key, { etag, dependencyIds, readAt, body, link, entries })
    return send(body, link, entries)
  }
}

/** @throws Problem 422 if the URL of another page would be too long */
function pageLinks(urls: Urls, request: FastifyRequest, { page, perPage }: Page, entries: number): string {
  const last = Math.max(Math.ceil(entries / perPage), 1)
  const urlOf = (number: number) => pageUrl(urls, request, { page: String(number) })
  return formatPageLinks([
    ['first', urlOf(1)],
    ...(page > 1 ? [['prev', urlOf(Math.min(page - 1, last))] as const] : []),
    ...(page < last ? [['next', urlOf(page + 1)] as const] : []),
    ['last', urlOf(last)],
  ])
}
