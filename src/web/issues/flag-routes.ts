import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import Type from 'typebox'
import {
  flagSubject,
  subjectCodes,
  findFlaggedText,
  type FlaggedText,
  findRoot,
  flaggedTypes,
  hasFlagged,
  type Subject,
  type RootSubject,
} from '../../flags/queries.ts'
import { flagParams, NewFlag, MESSAGE_MAX } from '../../flags/schema.ts'
import { pageTexts } from '../../http/errors/text-language.ts'
import { requireViewer } from '../../http/auth/authentication.ts'
import { type ValidationErrors, problems, orNotFound } from '../../errors/problems.ts'
import { failsWith } from '../../http/schema/fields.ts'
import { schemaErrors } from '../../http/validation/validation.ts'
import { isReadableIssue } from '../../issue-lifecycle/access.ts'
import type { Services } from '../../services.ts'
import { createForm, validationErrorsFrom, readText, translateErrors, toFormValues } from '../../html/form.ts'
import { createLinks, type Links, requirePageLogin, seeOther } from '../../html/links.ts'
import { sendPrivatePage, sendPage, type HtmlPage } from '../../html/page.ts'
import type { Texts } from '../../locales/texts.ts'
import { html, type SafeHtml } from '../../html/template.ts'
import type { FieldErrors } from '../../html/fields.ts'

const operations = {
  issue: { operationId: 'getIssueFlagPage', summary: 'Read what flagging an issue means', tags: ['Issues'] },
  comment: { operationId: 'getCommentFlagPage', summary: 'Read what flagging a comment means', tags: ['Comments'] },
  question: { operationId: 'getQuestionFlagPage', summary: 'Read what flagging a question means', tags: ['Questions'] },
  answer: { operationId: 'getAnswerFlagPage', summary: 'Read what flagging an answer means', tags: ['Questions'] },
  user: { operationId: 'getUserFlagPage', summary: 'Read what flagging a user means', tags: ['Users'] },
} as const

const description = 'A page with a form for logged-in users. Programs send POST to the same URL.'
const response = {
  200: { description: 'A page that explains flags.', content: { 'text/html': { schema: Type.String() } } },
  ...failsWith(404),
}

/** The page behind `flag_url`. Register it under /api/v2 with its access rules and limits. `flagForms` handles its form. */
export const flagPages: FastifyPluginAsyncTypebox<Services> = async (app, services) => {
  for (const type of flaggedTypes) {
    const schema = { ...operations[type], description, params: flagParams(type), response }
    app.get(`/${type}s/:id/flag`, { schema }, async (request, reply) =>
      sendFlagPage(services, request, reply, { type, id: (request.params as { readonly id: number }).id }),
    )
  }
}

/** The same page and its form outside of the API, with the same-origin check. */
export const flagForms: FastifyPluginAsyncTypebox<Services> = async (app, services) => {
  const { db, urls, clock } = services

  const requireLogin = requirePageLogin(urls)

  for (const type of flaggedTypes) {
    const params = flagParams(type)
    const path = `/${type}s/:id/flag`
    app.get(path, { schema: { params } }, async (request, reply) =>
      sendFlagPage(services, request, reply, { type, id: request.params.id }),
    )

    app.post(
      path,
      { attachValidation: true, onRequest: requireLogin, schema: { params, body: NewFlag } },
      async (request, reply) => {
        const subject: Subject = { type, id: request.params.id }
        const by = requireViewer(request)
        const errors = schemaErrors(request)
        if (errors) return sendFlagPage(services, request, reply.code(422), subject, errors)
        const { message } = request.body
        try {
          const flagging = { subject, message, by, clock, request_id: request.id }
          await db.transaction((tx) => flagSubject(tx, flagging))
        } catch (error) {
          return sendFlagPage(services, request, reply.code(422), subject, validationErrorsFrom(error))
        }
        return seeOther(reply, urls, flagPath(subject))
      },
    )
  }
}

async function sendFlagPage(
  { db, urls }: Pick<Services, 'db' | 'urls'>,
  request: FastifyRequest,
  reply: FastifyReply,
  subject: Subject,
  errors: ValidationErrors = {},
) {
  const whole = await requireReadable(db, request, subject)
  const flagged = orNotFound(await findFlaggedText(db, subject), subjectCodes[subject.type])
  const state = await findFlagState(db, request, subject, flagged)
  const { public_author_id, text } = flagged
  const author_id = public_author_id === null || public_author_id === request.viewer?.id ? undefined : public_author_id
  const links = createLinks(urls)
  const back = links.to(`/${whole.type}s/${whole.id}`) + (subject.type === whole.type ? '' : `#${subject.type}-${subject.id}`)
  const page = flagPage(
    {
      subject,
      state,
      back,
      name: text['name'] ?? undefined,
      author_id,
      message: readText(toFormValues(request.body), 'message'),
      errors: translateErrors(request, errors),
    },
    pageTexts(request),
    links,
  )
  return state === 'anonymous' ? sendPage(request, reply, urls, page) : sendPrivatePage(request, reply, urls, page)
}

/** @throws Problem 404 if the subject is unknown or not visible to the viewer */
async function requireReadable(db: Services['db'], { viewer }: FastifyRequest, subject: Subject): Promise<RootSubject> {
  const whole = await findRoot(db, subject, viewer)
  if (!whole || (whole.type === 'issue' && !(await isReadableIssue(db, whole.id, viewer))))
    throw problems.notFound(subjectCodes[subject.type])
  return whole
}

async function findFlagState(
  db: Services['db'],
  { viewer }: FastifyRequest,
  subject: Subject,
  { author_id, moderation_state }: FlaggedText,
): Promise<FlagState> {
  if (!viewer) return 'anonymous'
  if (author_id === viewer.id) return 'author'
  if (moderation_state !== 'passed') return 'not public'
  return (await hasFlagged(db, subject, viewer)) ? 'already flagged' : 'can flag'
}

type FlagState = 'anonymous' | 'author' | 'already flagged' | 'not public' | 'can flag'

interface FlagPage {
  readonly subject: Subject
  readonly state: FlagState
  /** Path of the issue or question, with the anchor of the comment or answer. */
  readonly back: string
  /** The name of a flagged user. */
  readonly name?: string | undefined
  /** The author, unless the content is anonymous or the viewer's own. */
  readonly author_id?: number | undefined
  readonly message?: string
  readonly errors?: FieldErrors
}

const flagPath = ({ type, id }: Subject) => `/${type}s/${id}/flag`

function flagPage(page: FlagPage, texts: Texts, links: Links): HtmlPage {
  const { type } = page.subject
  const words = { this: texts(`flag.words.${type}.this`) }
  return {
    title: texts('flag.title', words),
    description: texts('flag.description', words),
    body: html`<div class="narrow">
      <h1>${texts('flag.title', words)}</h1>
      ${page.name === undefined ? '' : html`<p><b>${page.name}</b></p>`}
      <p>${texts('flag.purpose')}</p>
      <ul>
        <li>${texts('flag.threshold', words)}</li>
        <li>${texts('flag.once')}</li>
        <li>${type === 'user' ? texts('flag.notForUser') : texts('flag.notFor', { reply: texts(`flag.words.${type}.reply`) })}</li>
      </ul>
      ${flagAction(page, texts, links)}
      ${page.author_id === undefined ? '' : html`<p><a href="${links.to(flagPath({ type: 'user', id: page.author_id }))}">${texts('flag.flagAuthor')}</a></p>`}
      <p><a href="${page.back}">${texts(`flag.words.${type}.back`)}</a></p>
    </div>`,
  }
}

function flagAction({ subject, state, message, errors = {} }: FlagPage, texts: Texts, { to }: Links): SafeHtml {
  const words = { this: texts(`flag.words.${subject.type}.this`) }
  switch (state) {
    case 'anonymous':
      return html`<p><a class="button" href="${to('/login', { return_to: flagPath(subject) })}">${texts('flag.logIn')}</a></p>`
    case 'author':
      return html`<p>${subject.type === 'user' ? texts('flag.ownProfile') : texts('flag.own', words)}</p>`
    case 'already flagged':
      return html`<div class="done" role="status"><p><b>${texts('flag.flagged', words)}</b> ${texts('flag.thanks')}</p></div>`
    case 'not public':
      return html`<p>${texts(`flag.words.${subject.type}.notPublic`)}</p>`
    case 'can flag': {
      const form = createForm(texts.language, { values: { message }, errors })
      const options = { hint: texts('flag.messageHint'), maxlength: MESSAGE_MAX, required: true }
      const field = form.textarea('message', texts('flag.message'), options)
      return html`${form.errorSummary()}
        <form method="post" action="${to(flagPath(subject))}">${field}<p><button>${texts('flag.title', words)}</button></p></form>`
    }
  }
}
