import { onTestFinished } from 'vitest'

import { openQueue, type JobQueue } from '../../src/queue/queue.ts'
import { sql, type Database, type Query } from '../../src/database/database.ts'
import { recordEvent } from '../../src/outbox/queries.ts'
import type { Services } from '../../src/services.ts'
import { appOn } from '../http/app-on.ts'
import type { TestApp } from '../helpers/use-app.ts'
import { silentLog } from '../jobs/log.ts'

export const OPS_TOKEN = 'a-token-of-the-operators'
export const opsBearer = { authorization: `Bearer ${OPS_TOKEN}` }

/** Opens an app with functions that send requests with OPS_TOKEN. */
export async function openOpsApp(db: TestApp['db'], replace: Partial<Services> = {}) {
  const opened = await appOn(db, { OPS_TOKEN }, replace)
  const ask = (url: string, headers: Record<string, string> = {}) =>
    opened.anonymous.send('GET', url, { headers: { ...opsBearer, ...headers } })
  const post = (url: string, headers: Record<string, string> = {}) =>
    opened.anonymous.send('POST', url, { headers: { ...opsBearer, ...headers } })
  return { ...opened, ask, post }
}

/** Opens queues that are emptied when the test ends. */
export async function openTestQueue(options: Parameters<typeof openQueue>[0]): Promise<JobQueue> {
  const queue = await openQueue(options, silentLog)
  onTestFinished(async () => {
    await Promise.all(Object.values(queue.queues).map((one) => one.obliterate({ force: true })))
    await queue.close()
  })
  return queue
}

/** Records an event whose pending delivery sends a mail. Returns its id. */
export async function createEvent(db: Database, subject_id: number, request_id?: string): Promise<number> {
  const [pending] = await db.transaction(async (tx) => {
    await recordEvent(tx, {
      type: 'user.password_changed',
      subject_id,
      actor_id: subject_id,
      ...(request_id === undefined ? {} : { request_id }),
    })
    return tx.deliveries
  })
  return pending?.event_id ?? 0
}

export async function createDeadLetter(db: Database, subject_id: number): Promise<number> {
  const id = await createEvent(db, subject_id)
  await db.execute(sql`
    UPDATE outbox_deliveries e SET dead_at = now(), starts = 34, requeues = 33, last_error = 'Error: broken'
    WHERE e.event_id = ${id} RETURNING e.event_id`)
  return id
}

export function withUptime(db: TestApp['db'], seconds: number): TestApp['db'] {
  const query: Query = async (statement) => {
    const found = await db.query(statement)
    const rows: { database_up_s?: number }[] = Array.isArray(found) ? found : []
    for (const row of rows) if ('database_up_s' in row) row.database_up_s = seconds
    return found
  }
  return { ...db, query }
}

export async function createWorker(db: Database, queues: readonly string[], seen_s: number): Promise<void> {
  await db.execute(sql`
    INSERT INTO workers (id, queues, host, process_id, started_at, seen_at)
    VALUES (gen_random_uuid(), ${queues}::text[], 'here', 1, now() - interval '1 hour', now() - make_interval(secs => ${seen_s}))
    RETURNING workers.id`)
}
