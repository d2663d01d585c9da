import type { FastifyInstance, FastifyRequest, FastifyReply } from 'fastify'

import { listNewestComments } from '../../comments/queries.ts'
import type { Queryable } from '../../database/database.ts'
import { problems } from '../../errors/problems.ts'
import { refuseOgcParameters } from '../../gis/query.ts'
import { setLastModified } from '../../http/caching/validators.ts'
import { LICENCE_LINK } from '../../http/formats/feature-collection.ts'
import type { Page } from '../../http/lists/pagination.ts'
import type { Urls } from '../../http/request/urls.ts'
import { toNullableTimestamp, toTimestamp } from '../../http/schema/fields.ts'
import type { Status } from '../../issue-lifecycle/status.ts'
import { findIssueVersion } from '../../issue-lifecycle/version.ts'
import { listStatusChangesOfIssues } from '../../issues/history-queries.ts'
import { type ListRequest, loggingReader, createListSender as createKeptListSender } from '../../issues/list/read-list.ts'
import { type AnswerLimits, listIssueCounts, listPublicAnswers, type PublicAnswerRow } from '../../issues/public-answer-queries.ts'
import { type IssueRow, listIssuesByIds } from '../../issues/queries.ts'
import type { Services } from '../../services.ts'
import {
  suffixes,
  withoutSuffix,
  contentTypes,
  requestedFormat,
  sendDocument,
  render,
  formatPageLinks,
  pageUrl,
} from '../formats/send.ts'
import { isId, knownParameters, readBoolean, readParameters, type Parameters } from '../input/body.ts'
import { findJurisdiction, type Jurisdiction, roots } from '../input/jurisdiction.ts'
import { findMediaUrls, toServiceRequest } from './present.ts'
import { listNames, names, readIds, readFilter, readPage, readPeriod } from './query.ts'

/** Limits the comments and the changes of each request, and its answers. */
interface ExtensionLimits extends AnswerLimits {
  readonly notesMax: number
}

const LIMITS_OF_ONE: ExtensionLimits = { notesMax: 1_000, answersMax: 1_000, charactersMax: 1_000_000 }

/** Limits a page to some ten megabytes of texts, however many requests it has. */
const limitsOfPage = (pageSize: number): ExtensionLimits => ({
  notesMax: Math.min(Math.max(Math.floor(2_000 / pageSize), 2), 20),
  answersMax: 20,
  charactersMax: 1_000,
})

const changeTypes: Readonly<Record<Status, string>> = {
  Open: 'reopened',
  Acknowledged: 'acknowledged',
  Closed: 'closed',
  Archived: 'archived',
}

/**
 * Returns a function that adds `notes`, the history with public comments, and `extended_attributes` to a service request. It contains no names
 * and is the same for all callers.
 */
async function readExtensions(reader: Queryable, issues: readonly IssueRow[], urls: Urls, limits: ExtensionLimits) {
  const ids = issues.map(({ id }) => id)
  const [changes, comments, counts, answers] = await Promise.all([
    listStatusChangesOfIssues(reader, ids, limits.notesMax),
    listNewestComments(reader, ids, limits.notesMax),
    listIssueCounts(reader, ids),
    listPublicAnswers(reader, ids, limits),
  ])
  const changesByIssue = Map.groupBy(changes, ({ issue_id }) => issue_id)
  const commentsByIssue = Map.groupBy(comments, ({ issue_id }) => issue_id)
  const countsByIssue = new Map(counts.map((row) => [row.id, row]))
  const answersByIssue = Map.groupBy(answers, ({ issue_id }) => issue_id)
  const file = (key: string) => urls.at(`/files/${key}`)

  return (issue: IssueRow) => ({
    notes: [
      toNote(issue.created_at, 'submitted', 'Submitted'),
      ...[
        ...(changesByIssue.get(issue.id) ?? []).map(({ created_at, to_status }) =>
          toNote(created_at, changeTypes[to_status], to_status === 'Open' ? 'Reopened' : to_status),
        ),
        ...(commentsByIssue.get(issue.id) ?? []).map(({ created_at, comment, image }) => ({
          ...toNote(created_at, 'comment', comment),
          media_url: image && file(image.full),
        })),
      ].sort((a, b) => (a.datetime < b.datetime ? -1 : a.datetime > b.datetime ? 1 : 0)),
    ],
    extended_attributes: {
      status: issue.status,
      outcome: issue.outcome,
      title: issue.summary,
      request_type_id: issue.request_type?.id ?? null,
      url: urls.at(`/issues/${issue.id}`),
      votes: countsByIssue.get(issue.id)?.vote_count ?? 0,
      comments: countsByIssue.get(issue.id)?.comment_count ?? 0,
      rating: issue.rating,
      acknowledged_datetime: toNullableTimestamp(issue.acknowledged_at),
      closed_datetime: toNullableTimestamp(issue.closed_at),
      reopened_datetime: toNullableTimestamp(issue.reopened_at),
      photos: issue.images.map(({ full }) => ({ media_url: file(full) })),
      video_url: issue.video_url,
      attributes: (answersByIssue.get(issue.id) ?? []).map((answer) => toAttribute(answer, urls)),
    },
  })
}

/** The code is that of the service definition. */
const toAttribute = ({ primary_key, question, answer, keys, file }: PublicAnswerRow, urls: Urls) => ({
  code: primary_key,
  name: question,
  value: file === null ? answer : urls.at(`/files/${file}`),
  keys,
})

const toNote = (createdAt: string, type: string, description: string) => ({
  datetime: toTimestamp(new Date(createdAt).toISOString()),
  type,
  description,
  media_url: null as string | null,
})

/** A thousand ids of ten digits with percent-encoded commas have 13,000 characters. Node.js allows 16,384 for a URL and its headers together. */
const LIST_URL_MAX = 14_000
const listOptions = { config: { ...knownParameters(names, listNames), urlMax: LIST_URL_MAX } }
const oneOptions = { config: knownParameters(['extensions']) }

interface Requested {
  Params: { id: string }
}

/** GET requests and GET a request: the issues that an anonymous caller may read. */
export function addRequestRoutes(app: FastifyInstance, services: Services): void {
  const { config, db, urls } = services
  const sendList = createListSender(services)

  for (const root of roots) {
    for (const suffix of suffixes) {
      app.get(`${root}/requests${suffix}`, listOptions, async (request, reply) => {
        const parameters = readParameters(request, listNames)
        const jurisdiction = await findJurisdiction(db.reader, request, parameters)
        const ids = readIds(parameters)
        if (!ids) {
          refuseOgcParameters(request)
          return sendList(request, reply, parameters, jurisdiction)
        }
        const issues = await readIssues(ids, jurisdiction)
        void reply.headers({ link: LICENCE_LINK, 'x-total-count': issues.length })
        return sendDocument(request, reply, await toDocument(request, issues, limitsOfPage(ids.length)))
      })
    }

    app.get<Requested>(`${root}/requests/:id`, oneOptions, async (request, reply) => {
      const jurisdiction = await findJurisdiction(db.reader, request, readParameters(request))
      const id = withoutSuffix(request.params.id)
      const version = isId(id) ? await findIssueVersion(db.reader, Number(id), null) : undefined
      const issues = version ? await readIssues([Number(id)], jurisdiction) : []
      if (!version || issues.length === 0) throw problems.notFound('the_service_request')
      setLastModified(reply, version.last_modified)
      return sendDocument(request, reply, await toDocument(request, issues, LIMITS_OF_ONE))
    })
  }

  /** Returns the public issues with these ids, newest first. */
  async function readIssues(ids: readonly number[], jurisdiction: Jurisdiction): Promise<readonly IssueRow[]> {
    const issues = await listIssuesByIds(db.reader, ids, null)
    return issues
      .filter(({ request_type }) => !jurisdiction || request_type?.organization_id === jurisdiction.id)
      .sort((a, b) => (a.created_at < b.created_at ? 1 : a.created_at > b.created_at ? -1 : b.id - a.id))
  }

  async function toDocument(request: FastifyRequest, issues: readonly IssueRow[], limits: ExtensionLimits) {
    const hasExtensions = readBoolean(readParameters(request, listNames), 'extensions')
    const extend = hasExtensions ? await readExtensions(db.reader, issues, urls, limits) : () => ({})
    const mediaUrls = await findMediaUrls(db.reader, issues, config.mediaUrlHosts)
    const value = issues.map((issue) => ({ ...toServiceRequest(issue, urls, mediaUrls.get(issue.id)), ...extend(issue) }))
    return { root: 'service_requests', value }
  }
}

/** Returns a function that sends a page of the list of `GET /issues`, newest first, as an anonymous caller sees it. */
function createListSender({ areas, clock, config: { mediaUrlHosts }, db, urls }: Services) {
  const sendList = createKeptListSender({ db, clock })

  return async (request: FastifyRequest, reply: FastifyReply, parameters: Parameters, jurisdiction: Jurisdiction) => {
    const format = requestedFormat(request)
    const reader = loggingReader(db.reader, request.log)
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
