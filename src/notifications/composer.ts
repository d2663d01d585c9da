import type { Database } from '../database/database.ts'
import type { Urls } from '../http/request/urls.ts'
import { listIssueNotificationContents, listEligibleIssueRecipients } from './recipients/issue-notification-queries.ts'
import { composeClosingMail } from './compose-closing-mail.ts'
import { composeAccountMail, composeDraftMail, composeInvitation, composeReceipt } from './compose-report-mails.ts'
import type { LeasedMail } from './lease-queries.ts'
import type { MailKey, EligibleRecipient } from '../mail/rules.ts'
import { listQuestionNotificationContents, listEligibleQuestionRecipients } from './recipients/question-notification-queries.ts'
import { listDigestIssues, listEligibleDigestRecipients } from '../watch-areas/digest-queries.ts'
import { listEligibleWatchRecipients, listWatchNotificationContents } from '../watch-areas/notification-queries.ts'
import { composeDigest, composeWatchNotification } from './templates/compose-watch-mails.ts'
import { composeIssueNotification } from './templates/compose-issue-notification.ts'
import { composeQuestionNotification } from './templates/compose-question-notification.ts'
import type { ComposeContext, ComposedMail } from './templates/layout.ts'

/**
 * Returns undefined if the recipient no longer wants the mail or its content is no longer public.
 * @throws Error if this mail could not be composed
 */
type Composer = (mail: LeasedMail) => ComposedMail | undefined

export type CreateComposer = (mails: readonly LeasedMail[], context: ComposeContext) => Promise<Composer>

const createComposerByKind = {
  issue: createComposerFrom(
    (db, mails) => listIssueNotificationContents(db, eventIds(mails)),
    listEligibleIssueRecipients,
    composeIssueNotification,
  ),
  question: createComposerFrom(listQuestionNotificationContents, listEligibleQuestionRecipients, composeQuestionNotification),
  watch: createComposerFrom(listWatchNotificationContents, listEligibleWatchRecipients, composeWatchNotification),
  digest: createDigestComposer,
  account: composeOneByOne(composeAccountMail),
  draft: composeOneByOne(composeDraftMail),
  receipt: composeOneByOne(composeReceipt),
  closing: composeOneByOne(composeClosingMail),
  invitation: composeOneByOne(composeInvitation),
} as const satisfies Partial<Record<LeasedMail['kind'], CreateComposer>>

/** Composers of other rooms, by the kinds that are not composed here. */
export type FurtherComposers = Readonly<Record<Exclude<LeasedMail['kind'], keyof typeof createComposerByKind>, CreateComposer>>

/** Reads the contents and recipients of one batch with a few statements per kind, and returns their composer. */
export async function createComposer(
  mails: readonly LeasedMail[],
  context: ComposeContext,
  further: FurtherComposers,
): Promise<Composer> {
  const createByKind: Readonly<Record<LeasedMail['kind'], CreateComposer>> = { ...createComposerByKind, ...further }
  const composers = new Map<LeasedMail['kind'], Composer>()
  for (const [kind, group] of Map.groupBy(mails, (mail) => mail.kind)) {
    composers.set(kind, await createByKind[kind](group, context))
  }
  return (mail) => composers.get(mail.kind)?.(mail)
}

/** The mails of one batch have different texts and links. An error concerns one mail only. */
export function composeOneByOne(
  compose: (mail: LeasedMail, context: ComposeContext) => Promise<ComposedMail | undefined>,
): CreateComposer {
  return async (mails, context) => {
    const composed = new Map<string, () => ComposedMail | undefined>()
    for (const mail of mails) {
      try {
        const result = await compose(mail, context)
        composed.set(mail.message_id, () => result)
      } catch (error) {
        composed.set(mail.message_id, () => {
          throw error
        })
      }
    }
    return ({ message_id }) => composed.get(message_id)?.()
  }
}

/** The content is read once for each event, and the recipient once for each mail. */
function createComposerFrom<Content extends { readonly event_id: number }, Recipient extends EligibleRecipient>(
  listContents: (db: Database, mails: readonly LeasedMail[]) => Promise<Content[]>,
  listRecipients: (db: Database, mails: readonly LeasedMail[]) => Promise<Recipient[]>,
  compose: (recipient: Recipient & { readonly user_id: number }, content: Content, urls: Urls, signingKey: string) => ComposedMail,
): CreateComposer {
  return async (mails, { db, urls, signingKey }) => {
    const [contents, recipients] = [await listContents(db, mails), await listRecipients(db, mails)]
    const contentByEvent = new Map(contents.map((content) => [content.event_id, content]))
    const recipientByMail = new Map(recipients.map((recipient) => [toMapKey(recipient), recipient]))
    return (mail) => {
      const content = contentByEvent.get(mail.event_id)
      const recipient = recipientByMail.get(toMapKey(mail))
      return content && recipient ? compose({ ...recipient, user_id: mail.user_id }, content, urls, signingKey) : undefined
    }
  }
}

/** Only the content of digests with an eligible recipient is read, because a digest lists many issues. */
async function createDigestComposer(mails: readonly LeasedMail[], { db, urls, signingKey }: ComposeContext): Promise<Composer> {
  const recipients = await listEligibleDigestRecipients(db, mails)
  const issuesByDigest = Map.groupBy(await listDigestIssues(db, eventIds(recipients)), ({ digest_id }) => digest_id)
  const recipientByMail = new Map(recipients.map((recipient) => [toMapKey(recipient), recipient]))
  return (mail) => {
    const recipient = recipientByMail.get(toMapKey(mail))
    const issues = issuesByDigest.get(mail.event_id) ?? []
    return recipient && composeDigest({ ...recipient, user_id: mail.user_id }, issues, urls, signingKey)
  }
}

const eventIds = (mails: readonly MailKey[]) => [...new Set(mails.map(({ event_id }) => event_id))]

const toMapKey = ({ event_id, email_address_id }: MailKey) => `${event_id} ${email_address_id}`
