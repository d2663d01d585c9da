import { expect } from 'vitest'

import { deliver } from '../../jobs/handlers/deliver.ts'
import type { JobServices } from '../../jobs/handlers/services.ts'
import { sql } from '../../src/database/database.ts'
import { createDeliveryQueue, queueAfterCommit } from '../../src/outbox/delivery-jobs.ts'
import { addModerationItem, type NewModerationItem } from '../../src/content-policy/moderation-item-queries.ts'
import { type SubjectType } from '../../src/content-policy/schema.ts'
import { GREEN, type TestUser } from '../helpers/factories.ts'
import type { TestApp } from '../helpers/use-app.ts'
import { queryRows } from '../helpers/query-rows.ts'

export const report = (more: object = {}) => ({
  ...GREEN,
  address: '250 Church St',
  request_type_id: 'other',
  answers: { summary: 'Fucking bench' },
  ...more,
})

export interface Item {
  readonly id: number
  readonly subject_type: string
  readonly subject: { readonly id: number } | null
  readonly state: string
  readonly note: string | null
}

const never = new AbortController().signal
const NOW = new Date('2031-02-03T04:05:06Z')

/** Returns functions that create moderators, pending texts and decisions through the API. */
export function createModerationScenario(app: TestApp) {
  const send = (person: TestUser, path: string, body: unknown = {}) => app.as.user(person).send('POST', `/api/v2${path}`, { body })

  return {
    /** Creates a moderator of an organisation that is not responsible for the pending texts. */
    async moderator(name = 'Moderator'): Promise<TestUser> {
      const organization = await app.create.organization()
      return app.create.user({ name, memberOf: [{ organization, role: 'moderator' }] })
    },

    async createPendingReport(by: TestUser, more: object = {}): Promise<number> {
      const answer = await send(by, '/issues', report(more))
      expect(answer.status).toBe(202)
      const [last] = await queryRows<{ id: number }>(app.db, sql`SELECT max(i.id) AS id FROM issues i`)
      return last?.id ?? 0
    },

    async createPendingComment(by: TestUser, issue: number, { move = 'comments', comment = 'You asshole' } = {}): Promise<number> {
      const answer = await send(by, `/issues/${issue}/${move}`, { comment })
      expect(answer.status).toBe(202)
      const [last] = await queryRows<{ id: number }>(app.db, sql`SELECT max(c.id) AS id FROM comments c`)
      return last?.id ?? 0
    },

    async createPendingQuestion(by: TestUser, place: string, question = 'Where do assholes park?'): Promise<number> {
      const answer = await send(by, `/${place}/questions`, { question })
      expect(answer.status).toBe(202)
      const [last] = await queryRows<{ id: number }>(app.db, sql`SELECT max(q.id) AS id FROM questions q`)
      return last?.id ?? 0
    },

    async createPendingAnswer(by: TestUser, question: number, answer = 'Ask the assholes'): Promise<number> {
      const response = await send(by, `/questions/${question}/answers`, { answer })
      expect(response.status).toBe(202)
      const [last] = await queryRows<{ id: number }>(app.db, sql`SELECT max(a.id) AS id FROM answers a`)
      return last?.id ?? 0
    },

    /** Creates the same item as three flags. */
    flagged: (subject_type: SubjectType, subject_id: number, original: NewModerationItem['original'] = {}) =>
      app.db.transaction((tx) =>
        addModerationItem(tx, {
          subject_type,
          subject_id,
          reasons: ['flagged'],
          original,
          created_at: new Date('2026-01-03T00:00:00Z'),
        }),
      ),

    async items(as: TestUser, query = ''): Promise<Item[]> {
      const answer = await app.as.user(as).get(`/moderation${query}`)
      expect(answer.status).toBe(200)
      return (answer.body as { items: Item[] }).items
    },

    /** Returns the id of the pending item of a subject, or 0. */
    async findOpenItem(subject_type: SubjectType, subject_id: number): Promise<number> {
      const [item] = await queryRows<{ id: number }>(
        app.db,
        sql`
        SELECT m.id FROM moderation_items m WHERE m.subject_type = ${subject_type} AND m.subject_id = ${subject_id} AND m.state = 'held'`,
      )
      return item?.id ?? 0
    },

    async runModerateJobs(): Promise<unknown[]> {
      const queued: unknown[] = []
      const enqueue: JobServices['queue']['enqueue'] = (_name, payload) => {
        queued.push(payload)
        return Promise.resolve('')
      }
      const db = queueAfterCommit(app.db, createDeliveryQueue({ enqueue }, app.services.log))
      const services = { ...app.services, db, clock: () => NOW, queue: { enqueue } }
      const pending = await queryRows<{ event_id: number }>(
        app.db,
        sql`
        SELECT e.event_id FROM outbox_deliveries e WHERE e.handler = 'moderate' AND e.delivered_at IS NULL ORDER BY e.event_id`,
      )
      for (const { event_id } of pending) await deliver({ event_id, handler: 'moderate' }, services, never)
      return queued
    },

    approve: (by: TestUser, item: number, edits: object = {}) => send(by, `/moderation/${item}/approve`, edits),
    reject: (by: TestUser, item: number, reason?: string) => send(by, `/moderation/${item}/reject`, { reason }),

    /** Returns the types of all events except those of images. */
    async events(): Promise<string[]> {
      const rows = await queryRows<{ type: string }>(
        app.db,
        sql`SELECT v.type FROM events v WHERE v.type <> 'image.added' ORDER BY v.id`,
      )
      return rows.map(({ type }) => type)
    },

    async points(person: TestUser): Promise<number> {
      const [row] = await queryRows<{ points: number }>(
        app.db,
        sql`SELECT u.civic_points AS points FROM users u WHERE u.id = ${person.id}`,
      )
      return row?.points ?? -1
    },
  }
}
