import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'

import packageJson from '../../../package.json' with { type: 'json' }
import { sql } from '../../database/database.ts'
import {
  setValidators,
  revalidateClientCopy,
  isNotModified,
  sendJson,
  toEtag,
  type Validators,
} from '../../http/caching/conditional.ts'
import { findLastModified } from '../../http/caching/last-modified.ts'
import { problems } from '../../errors/problems.ts'
import { GEOJSON_TYPE, JSON_TYPE, serializeJson } from '../../http/formats/content-types.ts'
import { createTypeNegotiator } from '../../http/formats/negotiate-type.ts'
import { failsWith } from '../../http/schema/fields.ts'
import { placeChangeTimes } from '../../places/queries.ts'
import { findPlacesVersion } from '../../places/version.ts'
import type { Services } from '../../services.ts'
import { refuseJsonParameters } from '../formats/json-parameters.ts'
import { toExtendedIssue } from '../present.ts'
import { findIssue } from '../queries.ts'
import { toRecords } from '../records/from-rows.ts'
import { toFeature } from '../records/present.ts'
import { IssueFeature } from '../records/schema.ts'
import { ExtendedIssue, IssueQuery, ISSUE_DETAILS_MAX } from '../schema.ts'
import { IssueParams } from '../../issue-lifecycle/schema.ts'
import { createResponseCache, revalidate } from '../response-cache.ts'
import { findExtendedIssue } from '../extended-issue-queries.ts'
import { findIssueVersion, type IssueVersion } from '../../issue-lifecycle/version.ts'

const negotiateType = createTypeNegotiator([JSON_TYPE, GEOJSON_TYPE])

export const issueRoutes: FastifyPluginAsyncTypebox<Services> = async (app, { db, urls }) => {
  const responses = createResponseCache()

  app.get(
    '/issues/:id',
    {
      schema: {
        operationId: 'getIssue',
        summary: 'Get an issue with all its details',
        description: `Includes comments and votes (up to ${ISSUE_DETAILS_MAX.toLocaleString('en')} of each), answers, and the relation of the caller to the issue. An issue that is pending review exists only for its author and moderators. With \`Accept: application/geo+json\` it is a feature without the details.`,
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
      const { headers, params, url, viewer } = request
      const cached = viewer ? undefined : responses.get(url)
      // The version is much cheaper than the issue. It usually suffices for a conditional request and for a cached response.
      if (cached || headers['if-none-match'] !== undefined || headers['if-modified-since'] !== undefined) {
        const version = await findIssueVersion(db, params.id, viewer)
        if (!version) throw problems.notFound('the_issue')
        const result = revalidate(request, reply, toValidators(version), cached)
        if (result === 'not-modified') return reply.notModified()
        if (result === 'cached' && cached) return sendJson(reply, cached.body)
      }
      const issue = await findExtendedIssue(db, params.id, viewer)
      if (!issue) throw problems.notFound('the_issue')
      const validators = toValidators(issue)
      const etag = toEtag(request, validators)
      setValidators(request, reply, validators)
      if (isNotModified(request, reply)) return reply.notModified()
      const body = serializeJson(reply, toExtendedIssue(issue, issue, issue.comments, urls))
      if (!viewer && etag !== undefined) responses.set(url, { etag, body })
      return sendJson(reply, body)
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
    // Versions are read before the issue, so that an ETag is never newer than its response.
    const version = await findIssueVersion(db, id, viewer)
    if (!version) throw problems.notFound('the_issue')
    const placesVersion = await findPlacesVersion(db)
    const lastModified =
      version.last_modified && (await findLastModified(db, [sql`${version.last_modified}::timestamptz`, ...placeChangeTimes]))
    const etagParts = [...(toValidators(version).etagParts ?? []), GEOJSON_TYPE, placesVersion ?? '']
    const validators = { etagParts, lastModified }
    if (revalidateClientCopy(request, reply, validators)) return reply.notModified()
    const issue = await findIssue(db, id, viewer)
    if (!issue) throw problems.notFound('the_issue')
    const [record] = await toRecords(db, [issue])
    if (!record) throw problems.notFound('the_issue')
    setValidators(request, reply, validators)
    if (isNotModified(request, reply)) return reply.notModified()
    return reply.type(GEOJSON_TYPE).send(toFeature(record, urls))
  }

  const toValidators = (version: IssueVersion): Validators => ({
    etagParts: [
      version.revision,
      version.sees_private,
      version.reporter_revision,
      version.assignee_revision,
      version.commenter_revisions,
      version.title,
      version.name,
      version.actor_role,
      version.changed_at,
      version.is_reporter,
      version.is_following,
      version.has_voted,
      packageJson.version,
      urls.root,
    ],
    lastModified: version.last_modified,
  })
}
