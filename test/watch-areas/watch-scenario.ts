import { type EventType, type WatchAreaEventType, watchAreaEventTypes } from '../../src/outbox/event-types.ts'
import { deliver } from '../../jobs/handlers/deliver.ts'
import { createDigests } from '../../jobs/handlers/batch-jobs.ts'
import { type Database, sql } from '../../src/database/database.ts'
import { type NewEvent, recordEvent } from '../../src/outbox/queries.ts'
import { GREEN, type Factories, type IssueInput, type TestUser, square } from '../helpers/factories.ts'
import { createNotifier, createMailbox } from '../notifications/notifier.ts'
import { queryRows } from '../helpers/query-rows.ts'

const never = new AbortController().signal

export interface WatchInput {
  readonly user: TestUser
  readonly frequency?: 'instant' | 'daily' | 'weekly' | 'never'
  readonly about?: 'new' | 'updates' | 'all'
  readonly name?: string | null
  readonly locale?: string
  readonly area?: object
  readonly next_digest_at?: string
}

type DeliveryName = 'notify'

export function createWatchScenario(db: () => Database, factories: () => Factories) {
  const box = createMailbox()
  const worker = () => createNotifier(db(), box.mailer)

  async function emitEvent(event: Omit<NewEvent, 'type'> & { readonly type: WatchAreaEventType }): Promise<number> {
    const [pending] = await db().transaction(async (tx) => {
      await recordEvent(tx, event)
      return tx.deliveries
    })
    if (!pending) throw new Error(`${event.type} has no delivery`)
    return pending.event_id
  }

  return {
    sent: box.sent,
    worker,
    emitEvent,
    async watch({
      user,
      frequency = 'instant',
      about = 'all',
      name = 'Downtown',
      locale = 'en',
      ...rest
    }: WatchInput): Promise<number> {
      const { area = square(GREEN) } = rest
      const due = rest.next_digest_at ?? (frequency === 'daily' || frequency === 'weekly' ? '2100-01-01T07:00:00Z' : null)
      const [added] = await queryRows<{ id: number }>(
        db(),
        sql`
        INSERT INTO watch_areas (user_id, watcher_token, area, frequency, about, name, locale, next_digest_at)
        VALUES (${user.id}, gen_random_uuid()::text, ST_Multi(ST_SetSRID(ST_GeomFromGeoJSON(${JSON.stringify(area)}), 4326)),
          ${frequency}, ${about}, ${name}, ${locale}, ${due}::timestamptz)
        RETURNING watch_areas.id`,
      )
      return added?.id ?? 0
    },
    async reported(issue: IssueInput = {}): Promise<{ readonly event: number; readonly issue: number }> {
      const id = await factories().issue(issue)
      return { issue: id, event: await emitEvent({ type: 'issue.reported', subject_id: id, actor_id: issue.reporter?.id ?? null }) }
    },
    async commented(
      on: number,
      by?: TestUser,
      comment = 'Deeper now.',
    ): Promise<{ readonly event: number; readonly comment: number }> {
      const id = await factories().comment({ on, comment, ...(by ? { by } : {}) })
      const payload = { issue_id: on, comment_id: id }
      return { comment: id, event: await emitEvent({ type: 'comment.added', subject_id: id, actor_id: by?.id ?? null, payload }) }
    },
    moved: (type: 'issue.acknowledged' | 'issue.closed' | 'issue.reopened', issue: number, by: TestUser | null = null) =>
      emitEvent({ type, subject_id: issue, actor_id: by?.id ?? null }),
    /** Runs only these deliveries of an event, in this order. */
    async runHandlers(event: number, order: readonly DeliveryName[]): Promise<void> {
      for (const handler of order) await deliver({ event_id: event, handler }, worker().services, never)
    },
    /** Runs all pending deliveries, sends due mails and returns their recipients. */
    async mail(): Promise<string[]> {
      box.sent.length = 0
      const pending = await queryRows<{ event_id: number; handler: string }>(
        db(),
        sql`
        SELECT e.event_id, e.handler FROM outbox_deliveries e
        WHERE e.delivered_at IS NULL AND e.handler = 'notify' ORDER BY e.event_id, e.handler`,
      )
      for (const delivery of pending) await deliver(delivery, worker().services, never)
      await worker().send()
      return box.addresses()
    },
    makeDigests: (at: Date) => createDigests({}, { ...worker().services, clock: () => at }, never),
  }
}

export const watchedEvents = [
  'issue.reported',
  'issue.acknowledged',
  'issue.closed',
  'issue.reopened',
  'comment.added',
] as const satisfies WatchAreaEventType[]

export const isWatched = (type: EventType) => watchAreaEventTypes.some((watched) => watched === type)
