import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import Type from 'typebox'

import { findIssueOfComment } from '../comments/queries.ts'
import { flag } from '../flags/flag.ts'
import { findFlaggedText, hasFlagged, type Subject } from '../flags/queries.ts'
import { flagParamsOf, NewFlag } from '../flags/schema.ts'
import { requireViewer } from '../http/access.ts'
import { type Faults, problems } from '../http/problems.ts'
import { failsWith } from '../http/schema.ts'
import { faultsOfSchema } from '../http/validation.ts'
import { isReadableIssue } from '../issues/queries.ts'
import type { Services } from '../services.ts'
import { flagPage, flagPath, type Standing } from './flag-page.ts'
import { faultsOf, textIn, toldTo, typedIn } from './form-input.ts'
import { linksOf } from './links.ts'
import { sendForm, sendPage } from './page.ts'
import { logInFirst, seeOther } from './return-to.ts'

const SUBJECTS = ['issue', 'comment'] as const

const operations = {
  issue: { operationId: 'getIssueFlagPage', summary: 'Read what flagging an issue means', tags: ['Issues'] },
  comment: { operationId: 'getCommentFlagPage', summary: 'Read what flagging a comment means', tags: ['Comments'] },
} as const
const description = 'A page for people, with a form for whoever is logged in; programs send POST to the same address.'
const response = {
  200: { description: 'A page that explains flags.', content: { 'text/html': { schema: Type.String() } } },
  ...failsWith(404),
}

/** What stands behind `flag_url`. Register it under /api/v2, where its access and limits hold; its form is sent to `flagForms`. */
export const flagPages: FastifyPluginAsyncTypebox<Services> = async (app, services) => {
  for (const type of SUBJECTS) {
    const schema = { ...operations[type], description, params: flagParamsOf(type), response }
    app.get(`/${type}s/:id/flag`, { schema }, async (request, reply) =>
      show(services, request, reply, { type, id: (request.params as { readonly id: number }).id }),
    )
  }
}

/** The same page outside of the API, and its form, which a page of ours must have sent. */
export const flagForms: FastifyPluginAsyncTypebox<Services> = async (app, services) => {
  const { db, urls, rateLimit, clock, wakeEffects } = services

  const mayFlag = async (request: FastifyRequest, reply: FastifyReply) => {
    if (!request.viewer) return logInFirst(request, reply, urls, request.url)
    await rateLimit.count(reply, `user:${request.viewer.id}`)
  }

  for (const type of SUBJECTS) {
    const params = flagParamsOf(type)
    const path = `/${type}s/:id/flag`
    app.get(path, { schema: { params } }, async (request, reply) => show(services, request, reply, { type, id: request.params.id }))

    app.post(path, { attachValidation: true, onRequest: mayFlag, schema: { params, body: NewFlag } }, async (request, reply) => {
      const subject: Subject = { type, id: request.params.id }
      const by = requireViewer(request)
      const faults = faultsOfSchema(request)
      if (faults) return show(services, request, reply.code(422), subject, faults)
      const { message } = request.body
      try {
        const flagging = { subject, message, by, clock, request_id: request.id }
        wakeEffects(await db.transaction((tx) => flag(tx, flagging)))
      } catch (error) {
        return show(services, request, reply.code(422), subject, faultsOf(error))
      }
      return seeOther(reply, urls, flagPath(subject))
    })
  }
}

async function show(
  { db, urls }: Pick<Services, 'db' | 'urls'>,
  request: FastifyRequest,
  reply: FastifyReply,
  subject: Subject,
  faults: Faults = {},
) {
  const issue = await issueOf(db, request, subject)
  const standing = await standingOf(db, request, subject)
  const links = linksOf(urls)
  const back = links.to(`/issues/${issue}`) + (subject.type === 'comment' ? `#comment-${subject.id}` : '')
  const page = flagPage(
    { subject, standing, back, message: textIn(typedIn(request.body), 'message'), faults: toldTo(request, faults) },
    links,
  )
  return standing === 'nobody' ? sendPage(request, reply, urls, page) : sendForm(request, reply, urls, page)
}

/** @throws Problem 404 where the reader must not know of it */
async function issueOf(db: Services['db'], { viewer }: FastifyRequest, { type, id }: Subject): Promise<number> {
  const issue = type === 'issue' ? id : await findIssueOfComment(db, id, viewer)
  if (issue === undefined || !(await isReadableIssue(db, issue, viewer))) throw problems.notFound(`The ${type}`)
  return issue
}

async function standingOf(db: Services['db'], { viewer }: FastifyRequest, subject: Subject): Promise<Standing> {
  if (!viewer) return 'nobody'
  const text = await findFlaggedText(db, subject)
  if (text?.author_id === viewer.id) return 'author'
  if (text?.moderation_state !== 'passed') return 'not public'
  return (await hasFlagged(db, subject, viewer)) ? 'has flagged' : 'may flag'
}
