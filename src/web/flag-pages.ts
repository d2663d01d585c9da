import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { html, type SafeHtml } from '@remix-run/html-template'
import Type from 'typebox'

import { findIssueOfComment } from '../comments/queries.ts'
import { problems } from '../http/problems.ts'
import { failsWith, Id } from '../http/schema.ts'
import { isReadableIssue } from '../issues/queries.ts'
import type { Services } from '../services.ts'
import { linksOf } from './links.ts'
import { type Page, sendPage } from './page.ts'

const paramsOf = (what: string) => Type.Object({ id: { ...Id, description: `The id of the ${what}.` } })
const description = 'A page that stands behind `flag_url` until flags can be sent.'
const response = {
  200: { description: 'A page that explains flags.', content: { 'text/html': { schema: Type.String() } } },
  ...failsWith(404),
}

/** What stands behind `flag_url` until flags can be sent: a page. Register it under /api/v2, where its access and limits hold. */
export const flagPages: FastifyPluginAsyncTypebox<Services> = async (app, { db, urls }) => {
  const { to } = linksOf(urls)

  app.get(
    '/issues/:id/flag',
    {
      schema: {
        operationId: 'getIssueFlagPage',
        summary: 'Read what flagging an issue means',
        description,
        tags: ['Issues'],
        params: paramsOf('issue'),
        response,
      },
    },
    async (request, reply) => {
      const { id } = request.params
      if (!(await isReadableIssue(db, id, request.viewer))) throw problems.notFound('The issue')
      return sendPage(request, reply, urls, flagPage('issue', to(`/issues/${id}`))) as never
    },
  )

  app.get(
    '/comments/:id/flag',
    {
      schema: {
        operationId: 'getCommentFlagPage',
        summary: 'Read what flagging a comment means',
        description,
        tags: ['Comments'],
        params: paramsOf('comment'),
        response,
      },
    },
    async (request, reply) => {
      const { id } = request.params
      const issue = await findIssueOfComment(db, id, request.viewer)
      if (issue === undefined || !(await isReadableIssue(db, issue, request.viewer))) throw problems.notFound('The comment')
      return sendPage(request, reply, urls, flagPage('comment', to(`/issues/${issue}`) + `#comment-${id}`)) as never
    },
  )
}

function flagPage(what: 'issue' | 'comment', back: string): Page {
  return {
    title: `Flag this ${what}`,
    description: `What flagging this ${what} means, and what happens then.`,
    body: html`<h1>Flag this ${what}</h1>
      <p>
        A flag tells the moderators that something should not stand here: an insult, somebody's private data, advertising, or a
        report that was made up.
      </p>
      ${whatHappens(what)}
      <p>Flags cannot be sent yet: they need an account, and come with accounts.</p>
      <p><a class="button" href="${back}">Back to the ${what}</a></p>`,
  }
}

const whatHappens = (what: string): SafeHtml =>
  html`<ul>
    <li>
      A flag never hides anything by itself. Three different people, whose accounts are older than a day, put the ${what} before a
      moderator, who decides.
    </li>
    <li>Flagging twice counts once, and the author is not told who flagged.</li>
    <li>That something is wrong, solved or a duplicate is no reason for a flag: a comment says it better.</li>
  </ul>`
