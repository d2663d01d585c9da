import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'

import { createKeptPages, type PageVersion } from '../../http/caching/kept-pages.ts'
import { problems } from '../../errors/problems.ts'
import { negotiateLanguage } from '../../http/errors/text-language.ts'
import { GEOJSON_TYPE, JSON_TYPE, serializeJson } from '../../http/formats/content-types.ts'
import { createTypeNegotiator } from '../../http/formats/negotiate-type.ts'
import { failsWith } from '../../http/schema/fields.ts'
import type { Services } from '../../services.ts'
import { refuseJsonParameters } from '../formats/schema.ts'
import { toExtendedIssue } from '../present.ts'
import { findIssue } from '../queries.ts'
import { toRecords } from '../records/from-rows.ts'
import { toFeature } from '../records/present.ts'
import { IssueFeature } from '../records/schema.ts'
import { ExtendedIssue, IssueQuery, ISSUE_DETAILS_MAX } from '../schema.ts'
import { IssueParams } from '../../issue-lifecycle/schema.ts'
import { findExtendedIssue } from '../extended-issue-queries.ts'
import { findIssueVersion, type IssueVersion } from '../../issue-lifecycle/version.ts'

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
    version.commenter_revisions,
    version.names_changed_at,
  ]),
  lastModified: version.last_modified,
})
