import { setTimeout as pause } from 'node:timers/promises'

import { openQueue, type QueueOptions } from '../../src/queue/queue.ts'
import { sql } from '../../src/database/database.ts'
import { openPostgres, type PostgresDatabase } from '../../src/database/postgres.ts'
import { silentLog } from '../jobs/log.ts'
import { CENTER } from './create-world.ts'

/** Half a side of watch areas: reports are up to 0.05 away, so some are outside. */
const HALF_SIDE = 0.03

/** Creates areas (polygons and boxes, of all frequencies) for two of three users. They precede all events, so every event must reach them. */
export const createWatchAreas = (db: PostgresDatabase) => {
  const box = `ST_Multi(ST_MakeEnvelope(${CENTER.lng - HALF_SIDE}, ${CENTER.lat - HALF_SIDE}, ${CENTER.lng + HALF_SIDE}, ${CENTER.lat + HALF_SIDE}, 4326))`
  const edges = `${CENTER.lng - HALF_SIDE}, ${CENTER.lat - HALF_SIDE}, ${CENTER.lng + HALF_SIDE}, ${CENTER.lat + HALF_SIDE}`
  return db.executeScript(`
    INSERT INTO watch_areas (user_id, watcher_token, area, kind, west, south, east, north, frequency, about, locale, next_digest_at)
    SELECT u.id, 'token-' || u.id || '-' || k, ${box}, c.kind::watch_area_kind, c.west, c.south, c.east, c.north, c.frequency::watch_frequency,
      (ARRAY['all', 'new', 'updates'])[1 + (u.id / 3) % 3]::watch_about, u.locale, CASE WHEN c.frequency <> 'instant' THEN now() END
    FROM users u CROSS JOIN generate_series(1, 2) k CROSS JOIN LATERAL (
      SELECT kind.*, (ARRAY['instant', 'daily', 'weekly'])[CASE k WHEN 1 THEN 1 + u.id % 2 * (1 + u.id % 4 / 2) ELSE 1 END] AS frequency
      FROM (SELECT 'polygon' AS kind, NULL::float8 AS west, NULL::float8 AS south, NULL::float8 AS east, NULL::float8 AS north WHERE u.id % 2 = 0
        UNION ALL SELECT 'box', ${edges} WHERE u.id % 2 = 1) kind) c
    WHERE u.id % 3 <> 0 AND (k = 1 OR u.id % 5 = 0);`)
}

/** The expected events of each watch area, computed from coordinates, without the owner's own actions. */
export const expectedWatchMails = sql`
  SELECT e.id AS event, w.id AS area, w.frequency, m.email AS address
  FROM events e
  LEFT JOIN comments c ON e.type = 'comment.added' AND c.id = e.subject_id
  JOIN issues i ON i.id = CASE WHEN e.type = 'comment.added' THEN c.issue_id ELSE e.subject_id END
  JOIN watch_areas w ON abs(i.lng - ${CENTER.lng}::float8) < ${HALF_SIDE}::float8 AND abs(i.lat - ${CENTER.lat}::float8) < ${HALF_SIDE}::float8
    AND w.about IN ('all', CASE e.type WHEN 'issue.reported' THEN 'new'::watch_about ELSE 'updates' END)
  JOIN email_addresses m ON m.user_id = w.user_id AND m.confirmed_at IS NOT NULL
  WHERE e.type IN ('issue.reported', 'comment.added', 'issue.closed', 'issue.reopened', 'issue.acknowledged')
    AND w.user_id IS DISTINCT FROM e.actor_id`

const TICK_MS = 1_000

/** Makes all digests due every second and queues the job that sends them. */
export async function startDigestClock(databaseUrl: string, queueOptions: QueueOptions) {
  const db = openPostgres({ url: databaseUrl })
  const queue = await openQueue(queueOptions, silentLog)
  let isStopping = false
  const tick = async () => {
    await db.execute(sql`UPDATE watch_areas w SET next_digest_at = now() WHERE w.frequency IN ('daily', 'weekly') RETURNING w.id`)
    await queue.enqueue('create-digests', {})
  }
  const loop = (async () => {
    while (!isStopping) {
      // A killed server is back soon.
      await tick().catch(() => undefined)
      await pause(TICK_MS)
    }
  })()
  return async () => {
    isStopping = true
    await loop
    await queue.close()
    await db.close()
  }
}
