import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'

import { requireLogin, requireViewer } from '../http/auth/authentication.ts'
import { preferredLocale } from '../http/errors/text-language.ts'
import { storedResult, idempotent } from '../http/idempotency/idempotency.ts'
import { orNotFound } from '../errors/problems.ts'
import { negotiateLanguage } from '../http/formats/content-types.ts'
import { failsWith } from '../http/schema/fields.ts'
import { toIssue } from '../issues/present.ts'
import { findIssue } from '../issues/queries.ts'
import { Issue } from '../issues/schema.ts'
import type { Services } from '../services.ts'
import { type ReportResult, reportIssue } from './report-issue.ts'
import { TOO_MANY_PICTURES, NewIssue } from './report-schema.ts'
import { forCaller, parseOnBehalf } from './on-behalf.ts'
import { HELD, Held } from '../content-policy/schema.ts'

export const reportRoutes: FastifyPluginAsyncTypebox<Services> = async (app, services) => {
  const { db, urls } = services

  app.post(
    '/issues',
    {
      config: { errorShape: 'nested', files: ['answers[*]'], reportsTooManyFiles: true, reportsInvalidCharacters: true },
      onRequest: requireLogin,
      // `reportIssue` checks the body, so that the response has the errors of the schema and all other errors.
      attachValidation: true,
      schema: {
        operationId: 'createIssue',
        summary: 'Report an issue',
        description:
          'Accepts JSON, a form, or multipart/form-data with up to five pictures in the field `answers[issue_image]`. Get the report form of the location first, then the request type with its questions. The header `Location` is the page of the issue. With `on_behalf` an employee with the capability `report_for_caller` reports for a person who called or came: the issue has no account, and the contact data is only for staff.',
        tags: ['Issues'],
        body: NewIssue,
        response: { 201: Issue, 202: Held, ...failsWith(400, 413, 415, 422) },
      },
    },
    async (request, reply) => {
      const viewer = requireViewer(request)
      const { person, errors } = parseOnBehalf(request.body)
      const result =
        storedResult<ReportResult>(request) ??
        (await reportIssue(services, {
          source: 'api',
          body: request.body,
          inputErrors: { ...errors, ...request.invalidCharacters, ...(request.hasTooManyFiles ? TOO_MANY_PICTURES : {}) },
          reporter: viewer,
          locale: preferredLocale(request),
          requestId: request.id,
          inTransaction: (work) => idempotent(request, db, work),
          ...(person && forCaller(person, { by: viewer, now: services.clock(), via: 'api', language: negotiateLanguage(request) })),
        }))
      if (result.isHeld) return reply.code(202).send(HELD)
      // A moderator may have hidden the issue since the commit.
      const issue = orNotFound(await findIssue(db, result.id, viewer), 'the_issue')
      void reply.code(201).header('location', urls.at(`/issues/${issue.id}`))
      const language = negotiateLanguage(request)
      void reply.header('content-language', language)
      return toIssue(issue, urls, language)
    },
  )
}
