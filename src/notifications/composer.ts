import type { Database } from '../database/database.ts'
import type { Urls } from '../http/request/urls.ts'
import {
  type LeasedNotificationMail,
  listNotificationContents,
  listWantedNotifications,
  type WantedNotification,
} from './recipients/notification-queries.ts'
import type { MailKey } from '../mail/queries.ts'
import { listQuestionNotificationContents, listWantedQuestionNotifications } from './recipients/question-notification-queries.ts'
import { listDigestIssues, listWantedDigests } from '../watch-areas/digest-content-queries.ts'
import { listWantedWatchNotifications, listWatchNotificationContents } from '../watch-areas/notification-queries.ts'
import { composeDigest } from './templates/compose-digest.ts'
import { composeNotification } from './templates/compose-notification.ts'
import { composeQuestionNotification } from './templates/compose-question-notification.ts'
import { composeWatchNotification } from './templates/compose-watch-notification.ts'
import type { ComposedMail } from './templates/composed-mail.ts'

/** Returns undefined if the recipient no longer wants the mail or its content is no longer public. */
type Composer = (notification: LeasedNotificationMail) => ComposedMail | undefined

interface ComposeContext {
  readonly db: Database
  readonly urls: Urls
  readonly signingKey: string
}

type CreateComposer = (notifications: readonly LeasedNotificationMail[], context: ComposeContext) => Promise<Composer>

const createComposerByKind = {
  issue: createComposerFrom(
    (db, notifications) => listNotificationContents(db, eventIds(notifications)),
    listWantedNotifications,
    composeNotification,
  ),
  question: createComposerFrom(listQuestionNotificationContents, listWantedQuestionNotifications, composeQuestionNotification),
  watch: createComposerFrom(listWatchNotificationContents, listWantedWatchNotifications, composeWatchNotification),
  digest: createDigestComposer,
} as const satisfies Record<string, CreateComposer>
type NotificationKind = keyof typeof createComposerByKind

function notificationKind({ type, watch_area_id }: LeasedNotificationMail): NotificationKind {
  if (type === 'watch_area.digest_due') return 'digest'
  if (watch_area_id !== null) return 'watch'
  return /^(question|answer)\./.test(type) ? 'question' : 'issue'
}

/** Reads the notifications of one batch with a few statements per kind, and returns their composer. */
export async function createComposer(notifications: readonly LeasedNotificationMail[], context: ComposeContext): Promise<Composer> {
  const composers = new Map<NotificationKind, Composer>()
  for (const [kind, group] of Map.groupBy(notifications, notificationKind)) {
    composers.set(kind, await createComposerByKind[kind](group, context))
  }
  return (notification) => composers.get(notificationKind(notification))?.(notification)
}

/** The content is read once for each event, and the recipient once for each mail. */
function createComposerFrom<Content extends { readonly event_id: number }, Wanted extends WantedNotification>(
  listContents: (db: Database, notifications: readonly LeasedNotificationMail[]) => Promise<Content[]>,
  listWanted: (db: Database, notifications: readonly LeasedNotificationMail[]) => Promise<Wanted[]>,
  compose: (recipient: Wanted & { readonly user_id: number }, content: Content, urls: Urls, signingKey: string) => ComposedMail,
): CreateComposer {
  return async (notifications, { db, urls, signingKey }) => {
    const [contents, wanted] = [await listContents(db, notifications), await listWanted(db, notifications)]
    const contentByEvent = new Map(contents.map((content) => [content.event_id, content]))
    const recipientByMail = new Map(wanted.map((recipient) => [toMapKey(recipient), recipient]))
    return (notification) => {
      const content = contentByEvent.get(notification.event_id)
      const recipient = recipientByMail.get(toMapKey(notification))
      return content && recipient ? compose({ ...recipient, user_id: notification.user_id }, content, urls, signingKey) : undefined
    }
  }
}

/** Only the content of wanted digests is read, because a digest lists many issues. */
async function createDigestComposer(
  notifications: readonly LeasedNotificationMail[],
  { db, urls, signingKey }: ComposeContext,
): Promise<Composer> {
  const wanted = await listWantedDigests(db, notifications)
  const issuesByDigest = Map.groupBy(await listDigestIssues(db, eventIds(wanted)), ({ digest_id }) => digest_id)
  const recipientByMail = new Map(wanted.map((recipient) => [toMapKey(recipient), recipient]))
  return (notification) => {
    const recipient = recipientByMail.get(toMapKey(notification))
    const issues = issuesByDigest.get(notification.event_id) ?? []
    return recipient && composeDigest({ ...recipient, user_id: notification.user_id }, issues, urls, signingKey)
  }
}

const eventIds = (notifications: readonly MailKey[]) => [...new Set(notifications.map(({ event_id }) => event_id))]

const toMapKey = ({ event_id, email_id }: MailKey) => `${event_id} ${email_id}`
