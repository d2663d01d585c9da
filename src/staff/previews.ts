import Type, { type Static } from 'typebox'
import { NewClosing } from '../comments/new-comment.ts'
import { nullable, stringEnum, failsWith } from '../http/schema/fields.ts'
import { transitionNames, type TransitionName } from '../issue-lifecycle/transitions.ts'
import { writeComment } from '../comments/write-comment.ts'
import { Count, sql, type Transaction } from '../database/database.ts'
import type { ValidationErrors } from '../errors/problems.ts'
import type { Viewer } from '../http/identity/viewer-queries.ts'
import { requireIssueCapability } from '../issue-lifecycle/edit-issue.ts'
import { limitIssueWrites } from '../issue-lifecycle/lock-issue.ts'
import { addIssueMails, listIssueNotificationContents } from '../notifications/recipients/issue-notification-queries.ts'
import { composeIssueNotification } from '../notifications/templates/compose-issue-notification.ts'
import type { Services } from '../services.ts'
import { addWatchMailsAndMatches } from '../watch-areas/match-queries.ts'
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import { requireLogin, requireViewer } from '../http/auth/authentication.ts'
import { preferredLocale } from '../http/errors/text-language.ts'
import { IssueParams } from '../issue-lifecycle/status.ts'

const { image: _, ...fields } = NewClosing.properties

/** A picture is left out, because it changes neither the recipients nor the text. */
export const NewPreview = Type.Object(
  {
    ...fields,
    transition: Type.Optional(
      stringEnum(transitionNames, { description: 'The change of the status; none for a comment.', examples: ['close'] }),
    ),
  },
  { title: 'NewPreview' },
)

const count = (who: string) => Type.Integer({ minimum: 0, description: `Mails to ${who}.`, examples: [1] })

export const Preview = Type.Object(
  {
    is_held: Type.Boolean({ description: 'The text would wait for a review: no mail is sent before.', examples: [false] }),
    locale: nullable(Type.String({ description: 'The language of the mail.', examples: ['en'] })),
    subject: nullable(Type.String({ examples: ['Closed: Pothole at the crossing (#4711)'] })),
    text: nullable(
      Type.String({
        description: 'The mail as plain text, in the language of the issue.',
        examples: ['Ada Park closed this issue.'],
      }),
    ),
    recipients: Type.Object({
      reporter: count('the reporter'),
      followers: count('other followers'),
      watchers: count('users who watch the area and want a mail at once'),
    }),
  },
  { title: 'Preview' },
)
export type Preview = Static<typeof Preview>

interface PreviewRequest {
  readonly issue_id: number
  readonly by: Viewer
  readonly transition: TransitionName | undefined
  readonly body: object
  readonly inputErrors: ValidationErrors | undefined
  /** An employee must give an outcome to close the issue. */
  readonly requiresOutcome?: boolean
  readonly locale: string | undefined
  readonly request_id: string
}

/** Carries the result out of a transaction that it rolls back, so that nothing is written and no delivery is queued. */
export class RolledBack extends Error {
  readonly result: unknown
  constructor(result: unknown) {
    super('A preview is rolled back.')
    this.result = result
  }
}

/** Returns the result of the `RolledBack` that the work throws. */
export async function previewOf<Result>(work: () => Promise<unknown>): Promise<Result> {
  try {
    await work()
  } catch (error) {
    if (error instanceof RolledBack) return error.result as Result
    throw error
  }
  throw new Error('The transaction of a preview was not rolled back.')
}

/**
 * Returns the mail that an answer or a change of the status would send, in the language of the issue, and the numbers of its recipients. It
 * makes the change and its mails in a transaction that is rolled back, so that both are exactly those that would be sent.
 * @throws Problem 403 without the capability `work_on_issues`, and those of `writeComment`
 */
export async function previewAnswer(
  services: Services,
  { issue_id, by, request_id, ...request }: PreviewRequest,
): Promise<Preview> {
  const { db } = services
  await requireIssueCapability(db, issue_id, by, 'work_on_issues')
  return previewOf(() =>
    writeComment(services, {
      ...request,
      issueId: issue_id,
      commenter: by,
      requestId: request_id,
      changes: {
        transaction: (work) =>
          limitIssueWrites(db, issue_id).transaction(async (tx) => {
            const { isHeld } = await work(tx)
            throw new RolledBack(isHeld ? HELD : await readMails(tx, issue_id, services))
          }),
      },
    }),
  )
}

const NO_RECIPIENTS = { reporter: 0, followers: 0, watchers: 0 }
const HELD: Preview = { is_held: true, locale: null, subject: null, text: null, recipients: NO_RECIPIENTS }

const Recipients = Type.Object({ reporter: Count, followers: Count, watchers: Count })

async function readMails(tx: Transaction, issueId: number, { urls }: Pick<Services, 'urls'>): Promise<Preview> {
  const event_id = tx.deliveries.find(({ handler }) => handler === 'notify')?.event_id ?? 0
  await addIssueMails(tx, event_id)
  await addWatchMailsAndMatches(tx, event_id)
  const [recipients = NO_RECIPIENTS] = await tx.query(sql.type(Recipients)`
    SELECT (count(*) FILTER (WHERE mail.kind = 'receipt' OR mail.kind = 'issue' AND address.user_id IS NOT DISTINCT FROM i.reporter_id))::integer AS reporter,
      (count(*) FILTER (WHERE mail.kind = 'issue' AND address.user_id IS DISTINCT FROM i.reporter_id))::integer AS followers,
      (count(*) FILTER (WHERE mail.kind = 'watch'))::integer AS watchers
    FROM mails mail
    LEFT JOIN email_addresses address ON address.id = mail.email_address_id
    JOIN issues i ON i.id = ${issueId}
    WHERE mail.event_id = ${event_id}`)
  const { locale } = await tx.prisma.issue.findUniqueOrThrow({ where: { id: issueId }, select: { locale: true } })
  const [content] = await listIssueNotificationContents(tx, [event_id])
  // The token of the preview has another key, so that it unsubscribes no user.
  const mail = content && composeIssueNotification({ locale, user_id: 0 }, content, urls, 'preview')
  return { is_held: false, locale, subject: mail?.subject ?? null, text: mail?.text ?? null, recipients }
}

export const previewRoutes: FastifyPluginAsyncTypebox<Services> = async (app, services) => {
  app.post(
    '/issues/:id/preview',
    {
      onRequest: requireLogin,
      schema: {
        operationId: 'previewAnswer',
        summary: 'Preview the mail of an answer and its recipients',
        description:
          'With the body of the comment or the closing and its `transition`. Nothing is written or sent. Needs the capability `work_on_issues`.',
        tags: ['Staff'],
        params: IssueParams,
        body: NewPreview,
        response: { 200: Preview, ...failsWith(400, 404, 413, 415, 422) },
      },
    },
    async (request) => {
      const { transition, ...body } = request.body
      const { id: issue_id } = request.params
      const by = requireViewer(request)
      const locale = preferredLocale(request)
      return previewAnswer(services, { issue_id, by, transition, body, inputErrors: {}, locale, request_id: request.id })
    },
  )
}
