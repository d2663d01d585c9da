import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'

import packageJson from '../../package.json' with { type: 'json' }
import { setValidators, isNotModified, sendJson, toEtag, type Validators } from '../http/caching/conditional.ts'
import { problems } from '../errors/problems.ts'
import { failsWith } from '../http/schema/fields.ts'
import type { Services } from '../services.ts'
import { toExtendedIssue } from './present.ts'
import { ExtendedIssue, IssueQuery, ISSUE_DETAILS_MAX } from './schema.ts'
import { IssueParams } from '../issue-lifecycle/schema.ts'
import { createResponseCache, setValidatorsIfCurrent } from './response-cache.ts'
import { findExtendedIssue } from './extended-issue-queries.ts'
import { findIssueVersion, type IssueVersion } from '../issue-lifecycle/version.ts'

export const issueRoutes: FastifyPluginAsyncTypebox<Services> = async (app, { db, urls }) => {
  const responses = createResponseCache()

  app.get(
    '/issues/:id',
    {
      schema: {
        operationId: 'getIssue',
        summary: 'Get an issue with all its details',
        description: `Includes comments and votes (up to ${ISSUE_DETAILS_MAX.toLocaleString('en')} of each), answers, and the relation of the caller to the issue. An issue that is pending review exists only for its author and moderators.`,
        tags: ['Issues'],
        params: IssueParams,
        querystring: IssueQuery,
        response: { 200: ExtendedIssue, ...failsWith(404, 422) },
      },
    },
    async (request, reply) => {
      const { headers, params, url, viewer } = request
      const cached = viewer ? undefined : responses.get(url)
      // The version is much cheaper than the issue. It usually suffices for a conditional request and for a cached response.
      if (cached || headers['if-none-match'] !== undefined || headers['if-modified-since'] !== undefined) {
        const version = await findIssueVersion(db, params.id, viewer)
        if (!version) throw problems.notFound('the_issue')
        const result = setValidatorsIfCurrent(request, reply, toValidators(version), cached)
        if (result === 'not modified') return reply.notModified()
        if (result && cached) return sendJson(reply, cached.body)
      }
      const issue = await findExtendedIssue(db, params.id, viewer)
      if (!issue) throw problems.notFound('the_issue')
      const validators = toValidators(issue)
      const etag = toEtag(request, validators)
      setValidators(request, reply, validators)
      if (isNotModified(request, reply)) return reply.notModified()
      const body = reply.serialize(toExtendedIssue(issue, issue, issue.comments, urls)) as string
      if (!viewer && etag !== undefined) responses.set(url, { etag, body })
      return sendJson(reply, body)
    },
  )

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
