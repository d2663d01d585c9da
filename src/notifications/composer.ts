import type { Database } from '../database/database.ts'
import type { Urls } from '../http/request/urls.ts'
import {
  type LeasedNotification,
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

/** Composes one notification; undefined if the recipient no longer wants it or its content is no longer public. */
type Composer = (notification: LeasedNotification) => ComposedMail | undefined

interface ComposeContext {
  readonly db: Database
  readonly urls: Urls
  readonly key: string
}

type ComposerFactory = (notifications: readonly LeasedNotification[], context: ComposeContext) => Promise<Composer>

const factories = {
  issue: composerFactory(
    (db, notifications) => listNotificationContents(db, eventIds(notifications)),
    listWantedNotifications,
    composeNotification,
  ),
  question: composerFactory(listQuestionNotificationContents, listWantedQuestionNotifications, composeQuestionNotification),
  watch: composerFactory(listWatchNotificationContents, listWantedWatchNotifications, composeWatchNotification),
  digest: createDigestComposer,
} as const satisfies Record<string, ComposerFactory>
type NotificationKind = keyof typeof factories

function notificationKind({ type, watch_area_id }: LeasedNotification): NotificationKind {
  if (type === 'watch_area.digest_due') return 'digest'
  if (watch_area_id !== null) return 'watch'
  return /^(question|answer)\./.test(type) ? 'question' : 'issue'
}

/** Reads the notifications of one batch with a few statements per kind, and returns their composer. */
export async function createComposer(notifications: readonly LeasedNotification[], context: ComposeContext): Promise<Composer> {
  const composers = new Map<NotificationKind, Composer>()
  for (const [kind, group] of Map.groupBy(notifications, notificationKind)) {
    composers.set(kind, await factories[kind](group, context))
  }
  return (notification) => composers.get(notificationKind(notification))?.(notification)
}

function composerFactory<Content extends { readonly event_id: number }, Wanted extends WantedNotification>(
  listContents: (db: Database, notifications: readonly LeasedNotification[]) => Promise<Content[]>,
  listWanted: (db: Database, notifications: readonly LeasedNotification[]) => Promise<Wanted[]>,
  compose: (recipient: Wanted & { readonly user_id: number }, content: Content, urls: Urls, key: string) => ComposedMail,
): ComposerFactory {
  return async (notifications, { db, urls, key }) => {
    const [contents, wanted] = [await listContents(db, notifications), await listWanted(db, notifications)]
    const contentByEvent = new Map(contents.map((content) => [content.event_id, content]))
    const recipientByDelivery = new Map(wanted.map((recipient) => [deliveryId(recipient), recipient]))
    return (notification) => {
      const content = contentByEvent.get(notification.event_id)
      const recipient = recipientByDelivery.get(deliveryId(notification))
      return content && recipient ? compose({ ...recipient, user_id: notification.user_id }, content, urls, key) : undefined
    }
  }
}

/** The content is read for the wanted digests only, because a digest lists many issues. */
async function createDigestComposer(
  notifications: readonly LeasedNotification[],
  { db, urls, key }: ComposeContext,
): Promise<Composer> {
  const wanted = await listWantedDigests(db, notifications)
  const issuesByDigest = Map.groupBy(await listDigestIssues(db, eventIds(wanted)), ({ digest_id }) => digest_id)
  const recipientByDelivery = new Map(wanted.map((recipient) => [deliveryId(recipient), recipient]))
  return (notification) => {
    const recipient = recipientByDelivery.get(deliveryId(notification))
    const issues = issuesByDigest.get(notification.event_id) ?? []
    return recipient && composeDigest({ ...recipient, user_id: notification.user_id }, issues, urls, key)
  }
}

const eventIds = (notifications: readonly MailKey[]) => [...new Set(notifications.map(({ event_id }) => event_id))]

const deliveryId = ({ event_id, email_id }: MailKey) => `${event_id} ${email_id}`
