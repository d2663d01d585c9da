import { type Database, sql } from '../database/database.ts'

/** Device fields serve the analysis of errors in apps, which takes some weeks. */
const RETENTION_DAYS = 90

export async function clearOldDeviceFields(db: Database, now: Date, count: number): Promise<number> {
  return db.transaction((tx) =>
    tx.execute(sql`
      UPDATE issues SET device_id = NULL, device_os = NULL, device_name = NULL
      WHERE issues.id IN (
        SELECT o.id FROM issues o
        WHERE (o.device_id IS NOT NULL OR o.device_os IS NOT NULL OR o.device_name IS NOT NULL)
          AND o.created_at <= ${now.toISOString()}::timestamptz - make_interval(days => ${RETENTION_DAYS}::integer)
        ORDER BY o.created_at, o.id
        LIMIT ${count}
        FOR NO KEY UPDATE SKIP LOCKED)`),
  )
}

export async function clearOldCommentDevices(db: Database, now: Date, count: number): Promise<number> {
  return db.transaction((tx) =>
    tx.execute(sql`
      UPDATE comments SET device_id = NULL
      WHERE comments.id IN (
        SELECT o.id FROM comments o
        WHERE o.device_id IS NOT NULL
          AND o.created_at <= ${now.toISOString()}::timestamptz - make_interval(days => ${RETENTION_DAYS}::integer)
        ORDER BY o.created_at, o.id
        LIMIT ${count}
        FOR NO KEY UPDATE SKIP LOCKED)`),
  )
}

/** Deletes contact data of Open311 reports, of which the organisation has made use by then. */
export async function deleteOldContactData(db: Database, now: Date, count: number): Promise<number> {
  return db.transaction((tx) =>
    tx.execute(sql`
      DELETE FROM issue_answers WHERE issue_answers.id IN (
        SELECT o.id FROM issue_answers o JOIN issues i ON i.id = o.issue_id
        WHERE o.is_contact AND i.created_at <= ${now.toISOString()}::timestamptz - make_interval(days => ${RETENTION_DAYS}::integer)
        ORDER BY o.issue_id, o.id
        LIMIT ${count}
        FOR UPDATE OF o SKIP LOCKED)`),
  )
}
