import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import Type from 'typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'

import { problems } from '../../errors/problems.ts'
import { createKeptPages, type PageVersion } from '../../http/caching/kept-pages.ts'
import {
  ATOM_TYPE,
  CSV_TYPE,
  GEOJSON_TYPE,
  JSON_TYPE,
  RSS_TYPE,
  createTypeNegotiator,
  negotiateLanguage,
  serializeJson,
} from '../../http/formats/content-types.ts'
import { featureCsv } from '../../http/formats/csv.ts'
import { toFeaturePage, creditLinks } from '../../http/formats/feature-collection.ts'
import { withParameters } from '../../http/lists/pagination.ts'
import { apiPrefix, type Urls } from '../../http/request/urls.ts'
import { failsWith } from '../../http/schema/fields.ts'
import { IssueParams } from '../../issue-lifecycle/status.ts'
import { findIssueVersion, type IssueVersion } from '../../issue-lifecycle/version.ts'
import type { Services } from '../../services.ts'
import { renderAtom, renderRss, toFeedDocument } from '../formats/feed-document.ts'
import { refuseJsonParameters, pageContents } from '../formats/schema.ts'
import { toExtendedIssue, toIssue } from '../present.ts'
import { findExtendedIssue } from '../single-issue.ts'
import { findIssue } from '../queries.ts'
import { findLatestIssueChange } from '../list/overview.ts'
import type { IssueRecord } from '../records/columns.ts'
import { toRecords } from '../records/from-rows.ts'
import { toFeature, toIssueProperties } from '../records/present.ts'
import { IssueFeature, IssueProperties } from '../records/schema.ts'
import { ExtendedIssue, ISSUE_DETAILS_MAX } from '../schema.ts'
import type { ListSender, OtherTypes, SendPage } from './list-routes.ts'
import { createTitledPageSender, type TitledPage } from './read-page.ts'

const IssueQuery = Type.Object({
  details: Type.Optional(Type.Boolean({ description: 'A single issue always has its details.', examples: [true] })),
})

const negotiateType = createTypeNegotiator([JSON_TYPE, GEOJSON_TYPE])

export const issueRoutes: FastifyPluginAsyncTypebox<Services> = async (app, { clock, db, urls }) => {
  const sendKept = createKeptPages<null, PageVersion>(db, clock)

  app.get(
    '/issues/:id',
    {
      schema: {
        operationId: 'getIssue',
        summary: 'Get an issue with all its details',
        description: `Includes comments and votes (up to ${ISSUE_DETAILS_MAX.toLocaleString('en')} of each), answers, and the relation of the caller to the issue. An issue that is held exists only for its author and moderators. With \`Accept: application/geo+json\` it is a feature without the details.`,
        tags: ['Issues'],
        params: IssueParams,
        querystring: IssueQuery,
        response: {
          200: {
            description: 'The issue.',
            content: { 'application/json': { schema: ExtendedIssue }, 'application/geo+json': { schema: IssueFeature } },
          },
          ...failsWith(404, 422),
        },
      },
    },
    async (request, reply) => {
      if (negotiateType(request) === GEOJSON_TYPE) return sendFeature(request, reply, request.params, request.query)
      const { params, url, viewer } = request
      const language = negotiateLanguage(request)
      return sendKept(request, reply, {
        key: `${language} ${url}`,
        // The version is much cheaper than the issue.
        findVersion: async () => toPageVersion(found(await findIssueVersion(db, params.id, viewer))),
        read: async () => {
          const issue = found(await findExtendedIssue(db, params.id, viewer))
          const body = serializeJson(reply, toExtendedIssue(issue, issue, issue.comments, urls, language))
          return {
            body,
            headers: { 'content-type': JSON_TYPE, 'content-language': language },
            version: toPageVersion(issue),
            shown: null,
          }
        },
      })
    },
  )

  async function sendFeature(
    request: FastifyRequest,
    reply: FastifyReply,
    { id }: { readonly id: number },
    query: { readonly details?: boolean },
  ) {
    refuseJsonParameters(query)
    const { viewer } = request
    const [record] = await toRecords(db, [found(await findIssue(db, id, viewer))])
    return reply.type(GEOJSON_TYPE).send(toFeature(found(record), urls))
  }
}

/** @throws Problem 404 without an issue */
function found<Found>(issue: Found | undefined): Found {
  if (issue === undefined) throw problems.notFound('the_issue')
  return issue
}

const toPageVersion = (version: IssueVersion): PageVersion => ({
  text: JSON.stringify([
    version.revision,
    version.changed_at,
    version.reporter_revision,
    version.assignee_revision,
    version.assignee_organization_id,
    version.commenter_revisions,
    version.names_changed_at,
  ]),
  lastModified: version.last_modified,
})

const PATH = '/issues'

type Page = TitledPage & { readonly placeUrlName: string | undefined }

/** Returns functions that send the page which `GET /issues` has as JSON, by the other content types that `Accept` selects. */
function createPageSenders({ db, areas, urls }: Services, sendList: ListSender): ReadonlyMap<string, SendPage> {
  const sendTitledPage = createTitledPageSender({ db, areas, urls }, sendList)

  const renderers: Readonly<Record<string, (page: Page) => Promise<string>>> = {
    [GEOJSON_TYPE]: async ({ rows, parameters, pagination }) => {
      const features = (await toRecords(db.reader, rows)).map((record) => toFeature(record, urls))
      return JSON.stringify(toFeaturePage(features, urls.api(withParameters(PATH, parameters)), pagination))
    },
    [CSV_TYPE]: async ({ rows }) => renderCsv(await toRecords(db.reader, rows), urls),
    [ATOM_TYPE]: async (page) => renderAtom(await createFeedDocument(page)),
    [RSS_TYPE]: async (page) => renderRss(await createFeedDocument(page)),
  }

  const createFeedDocument = ({ rows, ...page }: Page) => {
    const issues = rows.map((row) => toIssue(row, urls))
    return toFeedDocument({ ...page, path: `${apiPrefix}${PATH}`, issues }, urls, () => findLatestIssueChange(db.reader))
  }

  const senders = Object.entries(renderers).map(([type, render]): [string, SendPage] => [
    type,
    (request, reply, query) => {
      refuseJsonParameters(query)
      return sendTitledPage(request, reply, { query, path: `${apiPrefix}${PATH}`, type }, async (page) => {
        const body = await render({ ...page, placeUrlName: query.place_url })
        const { pagination } = page
        return type === CSV_TYPE
          ? { body, headers: { link: linkHeader(pagination, urls), 'x-total-count': pagination.entries } }
          : { body }
      })
    },
  ])
  return new Map(senders)
}

export const otherTypes: OtherTypes = { contents: pageContents, createSenders: createPageSenders }

/** Returns the value of a Link header (RFC 8288). */
function linkHeader({ next_page_url, previous_page_url }: TitledPage['pagination'], urls: Urls): string {
  const pages = Object.entries({ next: next_page_url, prev: previous_page_url })
    .filter(([, url]) => url !== null)
    .map(([rel, url]) => `<${url}>; rel="${rel}"`)
  return [...pages, creditLinks(urls)].join(', ')
}

const columns = Object.keys(IssueProperties.properties) as (keyof IssueProperties)[]

/** Returns a table of issues as CSV (RFC 4180), with the columns of a whole download. */
function renderCsv(records: readonly IssueRecord[], urls: Urls): string {
  const { header, toRow } = featureCsv({ columns, hasPoints: true })
  const rows = records.map((record) => {
    const properties = toIssueProperties(record, urls)
    return toRow(
      columns.map((column) => properties[column]),
      [record.lng, record.lat],
    )
  })
  return header + rows.join('')
}
