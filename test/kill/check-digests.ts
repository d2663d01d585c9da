import { sql } from '../../src/database/database.ts'
import type { PostgresDatabase } from '../../src/database/postgres.ts'
import type { Finding } from './check-writes.ts'
import { expectedWatchMails } from './watch-areas.ts'
import { queryRows } from '../helpers/query-rows.ts'

/** Each event in an area with digests is in one; none is empty or to an unconfirmed address. `received` counts mails by event and address. */
export async function checkDigests(db: PostgresDatabase, received: ReadonlyMap<string, number>): Promise<Finding[]> {
  const matches = await queryRows<{ kind: Finding['kind']; text: string }>(
    db,
    sql`
    WITH due AS (SELECT d.area, d.event FROM (${expectedWatchMails}) d WHERE d.frequency IN ('daily', 'weekly')),
      sent AS (
        SELECT m.watch_area_id AS area, m.event_id AS event FROM watch_matches m
        JOIN events g ON g.id = m.digest_id AND g.type = 'watch_area.digest_due' AND g.subject_id = m.watch_area_id)
    SELECT 'lost' AS kind, 'event ' || d.event || ' is in no digest of area ' || d.area AS text
    FROM (SELECT * FROM due EXCEPT SELECT * FROM sent) d
    UNION ALL
    SELECT 'wrong', 'event ' || t.event || ' is in a digest of area ' || t.area || ', which should not have it'
    FROM (SELECT * FROM sent EXCEPT SELECT * FROM due) t
    UNION ALL
    SELECT 'double', 'digest ' || g.id || ' is empty, because another one has its events'
    FROM events g WHERE g.type = 'watch_area.digest_due' AND NOT EXISTS (SELECT FROM watch_matches m WHERE m.digest_id = g.id)`,
  )
  const digests = await queryRows<{ event: number; address: string }>(
    db,
    sql`
    SELECT g.id AS event, m.email AS address FROM events g
    JOIN watch_areas w ON w.id = g.subject_id JOIN email_addresses m ON m.user_id = w.user_id WHERE g.type = 'watch_area.digest_due'`,
  )
  const lost = digests.filter(({ event, address }) => !received.has(`${event} ${address}`))
  return [...matches, ...lost.map(({ event, address }) => ({ kind: 'lost' as const, text: `digest ${event} to ${address}` }))]
}
