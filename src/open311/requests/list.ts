import type { FastifyReply, FastifyRequest } from 'fastify'

import type { Page } from '../../http/lists/pagination.ts'
import type { Urls } from '../../http/request/urls.ts'
import { type ListRequest, loggingReader } from '../../issues/list/read-list.ts'
import { createListSender as createKeptListSender } from '../../issues/list/send-list.ts'
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

/** Returns a function that sends a page of the list of `GET /issues`, newest first, as an anonymous caller sees it. */
export function createListSender({ areas, clock, config: { mediaUrlHosts }, db, urls }: Services) {
  const sendList = createKeptListSender({ db, clock })

  return async (request: FastifyRequest, reply: FastifyReply, parameters: Parameters, jurisdiction: Jurisdiction) => {
    const format = requestedFormat(request)
    const reader = loggingReader({ query: db.read }, request.log)
    const page = readPage(parameters)
    const { period } = readPeriod(parameters, clock())
    const filter = await readFilter(parameters, jurisdiction, { reader, areas, period })
    const order = { by: 'created_at', direction: 'DESC' } as const
    const listRequest: ListRequest = { area: filter.area, filter, order, page, listHash: () => '', position: undefined }
    const type = contentTypes[format]
    return sendList(request, reply, { reader, listRequest, viewer: null, type, language: null }, async ({ entries, issues }) => {
      const hasExtensions = readBoolean(parameters, 'extensions')
      const extend = hasExtensions ? await readExtensions(reader, issues, urls, limitsOfPage(page.perPage)) : () => ({})
      const mediaUrls = await findMediaUrls(reader, issues, mediaUrlHosts)
      const value = issues.map((issue) => ({ ...toServiceRequest(issue, urls, mediaUrls.get(issue.id)), ...extend(issue) }))
      return {
        body: render({ root: 'service_requests', value }, format),
        headers: { link: pageLinks(urls, request, page, entries), 'x-total-count': entries },
        // The response contains no names, so that no change of a user changes it.
        people: [],
      }
    })
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
