import { listHandlers, type WatchAreaEvent } from '../../src/outbox/event-types.ts'
import { deliver } from '../../jobs/handlers/deliver.ts'
import { sendDigests } from '../../jobs/handlers/send-digests.ts'
import { type Database, sql } from '../../src/database/database.ts'
import { type NewEvent, recordEvent } from '../../src/outbox/queries.ts'
import { GREEN, type Factories, type IssueInput, type TestUser, square } from '../helpers/factories.ts'
import { notifierWith, postbox } from '../notifications/news.ts'
import { queryRows } from '../helpers/query-rows.ts'

const never = new AbortController().signal

export interface GivenWatch {
  readonly of: TestUser
  readonly frequency?: 'instant' | 'daily' | 'weekly' | 'never'
  readonly about?: 'new' | 'updates' | 'all'
  readonly name?: string | null
  readonly locale?: string
  readonly area?: object
  readonly next_digest_at?: string
}

type Effect = 'notify-followers' | 'notify-watchers'

/** People who watch, things that happen, and workers that mail them. */
export function watchingIn(db: () => Database, given: () => Factories) {
  const box = postbox()
  const worker = () => notifierWith(db(), box.mailer)

  /** Writes an event as the service does, and gives its id. */
  async function happen(event: Omit<NewEvent, 'type'> & { readonly type: WatchAreaEvent }): Promise<number> {
    const [pending] = await db().transaction((tx) => recordEvent(tx, event))
    if (!pending) throw new Error(`nothing follows from ${event.type}`)
    return pending.event_id
  }

  return {
    sent: box.sent,
    worker,
    happen,
    async watch({
      of,
      frequency = 'instant',
      about = 'all',
      name = 'Downtown',
      locale = 'en',
      ...rest
    }: GivenWatch): Promise<number> {
      const { area = square(GREEN) } = rest
      const due = rest.next_digest_at ?? (frequency === 'daily' || frequency === 'weekly' ? '2100-01-01T07:00:00Z' : null)
      const [added] = await queryRows<{ id: number }>(
        db(),
        sql`
        INSERT INTO watch_areas (user_id, watcher_token, area, frequency, about, name, locale, next_digest_at)
        VALUES (${of.id}, gen_random_uuid()::text, ST_Multi(ST_SetSRID(ST_GeomFromGeoJSON(${JSON.stringify(area)}), 4326)),
          ${frequency}, ${about}, ${name}, ${locale}, ${due}::timestamptz)
        RETURNING watch_areas.id`,
      )
      return added?.id ?? 0
    },
    async reported(issue: IssueInput = {}): Promise<{ readonly event: number; readonly issue: number }> {
      const id = await given().issue(issue)
      return { issue: id, event: await happen({ type: 'issue.reported', subject_id: id, actor_id: issue.reporter?.id ?? null }) }
    },
    async commented(
      on: number,
      by?: TestUser,
      comment = 'Deeper now.',
    ): Promise<{ readonly event: number; readonly comment: number }> {
      const id = await given().comment({ on, comment, ...(by ? { by } : {}) })
      const payload = { issue_id: on, comment_id: id }
      return { comment: id, event: await happen({ type: 'comment.added', subject_id: id, actor_id: by?.id ?? null, payload }) }
    },
    moved: (type: 'issue.acknowledged' | 'issue.closed' | 'issue.opened', issue: number, by: TestUser | null = null) =>
      happen({ type, subject_id: issue, actor_id: by?.id ?? null }),
    /** Does effects of an event in this order, and none of the others. */
    async runHandlers(event: number, order: readonly Effect[]): Promise<void> {
      for (const handler of order) await deliver({ event_id: event, handler }, worker().services, never)
    },
    /** Does all that follows from what happened, and sends what is due. */
    async mail(): Promise<string[]> {
      box.sent.length = 0
      const pending = await queryRows<{ event_id: number; handler: string }>(
        db(),
        sql`
        SELECT e.event_id, e.handler FROM outbox_deliveries e
        WHERE e.delivered_at IS NULL AND e.handler IN ('notify-followers', 'notify-watchers') ORDER BY e.event_id, e.handler`,
      )
      for (const delivery of pending) await deliver(delivery, worker().services, never)
      await worker().send()
      return box.addresses()
    },
    /** Makes the digests that are due at a moment. */
    makeDigests: (at: Date) => sendDigests({}, { ...worker().services, clock: () => at }, never),
  }
}

/** All that watch areas are searched for. */
export const watchedEvents = [
  'issue.reported',
  'issue.acknowledged',
  'issue.closed',
  'issue.opened',
  'comment.added',
] as const satisfies WatchAreaEvent[]

export const isWatched = (type: Parameters<typeof listHandlers>[0]) => listHandlers(type).includes('notify-watchers')
