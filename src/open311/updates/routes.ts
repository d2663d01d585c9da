import type { FastifyInstance } from 'fastify'

import { type Language, textsIn } from '../../locales/texts.ts'
import { type IssueUpdate, listIssueUpdates } from './list-updates.ts'
import { cutDescription } from '../../georeport/description.ts'
import { toState } from '../../georeport/update-states.ts'
import { negotiateLanguage } from '../../http/errors/text-language.ts'
import type { Urls } from '../../http/request/urls.ts'
import { toTimestamp } from '../../http/schema/fields.ts'
import type { Services } from '../../services.ts'
import { suffixes } from '../formats/format.ts'
import { formatPageLinks, pageUrl } from '../formats/page-links.ts'
import { sendDocument } from '../formats/send.ts'
import { findJurisdiction, roots } from '../input/jurisdiction.ts'
import { knownParameters, readInteger, readParameters } from '../input/parameters.ts'
import { readPeriod } from '../requests/period.ts'

const PAGE_SIZE_MAX = 1_000
const PAGE_MAX = 10_000
const options = { config: knownParameters(['start_date', 'end_date', 'page', 'page_size']) }

/** GET servicerequestupdates: what is public of the updates in a period, oldest first (an extension of FixMyStreet). */
export function addUpdateRoutes(app: FastifyInstance, { db, urls, clock }: Services): void {
  const reader = { query: db.read }

  for (const root of roots)
    for (const suffix of suffixes)
      app.get(`${root}/servicerequestupdates${suffix}`, options, async (request, reply) => {
        const parameters = readParameters(request)
        const jurisdiction = await findJurisdiction(reader, request, parameters)
        const { createdFrom: from, createdBefore: before } = readPeriod(parameters, clock()).period
        const [page, size] = [
          readInteger(parameters, 'page', { max: PAGE_MAX }) ?? 1,
          readInteger(parameters, 'page_size', { max: PAGE_SIZE_MAX }) ?? PAGE_SIZE_MAX,
        ]
        const found = await listIssueUpdates(reader, {
          ...{ from, before, organizationId: jurisdiction?.id },
          ...{ limit: size + 1, offset: (page - 1) * size },
        })
        const urlOf = (number: number) => pageUrl(urls, request, { page: String(number) })
        const link = formatPageLinks([
          ...(found.length > size ? [['next', urlOf(page + 1)] as const] : []),
          ...(page > 1 ? [['prev', urlOf(page - 1)] as const] : []),
        ])
        const language = negotiateLanguage(request)
        void reply.headers({ 'content-language': language, link })
        const value = found.slice(0, size).map((update) => toUpdate(update, urls, language))
        return sendDocument(request, reply, { root: 'service_request_updates', value })
      })
}

const toUpdate = ({ kind, id, issue_id, status, created_at, comment, image }: IssueUpdate, urls: Urls, language: Language) => ({
  update_id: kind === 'comment' ? String(id) : `change-${id}`,
  service_request_id: String(issue_id),
  status: toState(status),
  external_status_code: status,
  updated_datetime: toTimestamp(created_at),
  description: cutDescription(comment ?? textsIn(language)(`standardUpdate.${status}`)),
  media_url: image && urls.at(`/files/${image}`),
})
