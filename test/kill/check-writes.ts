import { listDeliveryHandlers, type EventType } from '../../src/outbox/event-types.ts'
import { type Sql, sql } from '../../src/database/database.ts'
import type { PostgresDatabase } from '../../src/database/postgres.ts'
import type { ConfirmedWrite } from './writer.ts'
import { queryRows } from '../helpers/query-rows.ts'

export interface Finding {
  readonly kind: 'lost' | 'double' | 'wrong'
  readonly text: string
}

interface Count {
  readonly name: string
  readonly found: number
  readonly expected: number
}

const toFindings = (what: string, counts: readonly Count[]): Finding[] =>
  counts.map(({ name, found, expected }) => ({
    kind: found < expected ? ('lost' as const) : ('double' as const),
    text: `${what}: ${name} exists ${found} times instead of ${expected}`,
  }))

/** Checks that every confirmed write is there once, with its event, and that refused writes are not. */
export async function checkWrites(db: PostgresDatabase, confirmed: readonly ConfirmedWrite[]): Promise<Finding[]> {
  const rows = JSON.stringify(
    confirmed.map(({ write, status, id }) => ({
      ...{ kind: write.kind, text: write.text, by: write.by.id, issue: write.issue ?? id ?? null, status },
    })),
  )
  const ledger = sql`jsonb_to_recordset(${rows}::jsonb) AS l (kind text, text text, by integer, issue integer, status integer)`
  const wrong = async (what: string, from: Sql, name: Sql, found: Sql, expected: Sql) =>
    toFindings(
      what,
      await queryRows<Count>(
        db,
        sql`
        SELECT * FROM (SELECT ${name} AS name, ${found}::integer AS found, ${expected}::integer AS expected FROM ${from}) c
        WHERE c.found <> c.expected ORDER BY c.name LIMIT 20`,
      ),
    )
  const made = sql`(l.status IN (201, 202))::integer`
  const published = sql`(l.status = 201)::integer`
  const held = sql`(l.status = 202)::integer`
  const comments = sql`(SELECT count(*) FROM comments c WHERE c.comment = l.text AND c.issue_id = l.issue AND c.commenter_id = l.by)`
  const commentIds = sql`(SELECT c.id FROM comments c WHERE c.comment = l.text)`
  const events = (type: Sql, about: Sql) => sql`(SELECT count(*) FROM events e WHERE e.type = ${type} AND ${about})`
  const reports = sql`${ledger} WHERE l.kind = 'report'`
  const remarks = sql`${ledger} WHERE l.kind = 'comment'`
  const moves = sql`${ledger} WHERE l.kind IN ('close', 'open', 'acknowledge')`
  const issueOf = sql`(SELECT i.id FROM issues i WHERE i.summary = l.text)`
  const typeOfMove = sql`CASE l.kind WHEN 'close' THEN 'issue.closed' WHEN 'open' THEN 'issue.reopened' ELSE 'issue.acknowledged' END`
  return [
    ...(await wrong('report', reports, sql`l.text`, sql`(SELECT count(*) FROM issues i WHERE i.summary = l.text)`, made)),
    ...(await wrong(
      'event of report',
      reports,
      sql`l.text`,
      events(sql`'issue.reported'`, sql`e.subject_id IN ${issueOf}`),
      published,
    )),
    ...(await wrong(
      'event of pending report',
      reports,
      sql`l.text`,
      events(sql`'issue.held'`, sql`e.subject_id IN ${issueOf}`),
      held,
    )),
    ...(await wrong('comment', remarks, sql`l.text`, comments, made)),
    ...(await wrong(
      'event of comment',
      remarks,
      sql`l.text`,
      events(sql`'comment.added'`, sql`e.subject_id IN ${commentIds}`),
      published,
    )),
    ...(await wrong(
      'event of pending comment',
      remarks,
      sql`l.text`,
      events(sql`'comment.held'`, sql`e.subject_id IN ${commentIds}`),
      held,
    )),
    ...(await wrong('comment of move', moves, sql`l.text`, comments, made)),
    ...(await wrong(
      'history of move',
      moves,
      sql`l.text`,
      sql`(SELECT count(*) FROM status_changes s WHERE s.comment_id IN ${commentIds})`,
      made,
    )),
    ...(await wrong(
      'event of move',
      moves,
      sql`l.text`,
      events(typeOfMove, sql`e.subject_id = l.issue AND (e.payload->>'comment_id')::integer IN ${commentIds}`),
      made,
    )),
    ...(await wrong(
      'vote',
      sql`${ledger} WHERE l.kind = 'vote'`,
      sql`l.issue || ' by ' || l.by`,
      sql`(SELECT count(*) FROM votes v WHERE v.issue_id = l.issue AND v.user_id = l.by)`,
      made,
    )),
    ...(await wrong(
      'follow',
      sql`${ledger} WHERE l.kind = 'follow'`,
      sql`l.issue || ' by ' || l.by`,
      sql`(SELECT count(*) FROM follows f WHERE f.issue_id = l.issue AND f.user_id = l.by)`,
      made,
    )),
    ...(await checkUnconfirmedRows(db, ledger)),
  ]
}

async function checkUnconfirmedRows(db: PostgresDatabase, ledger: Sql): Promise<Finding[]> {
  const strays = await queryRows<{ text: string }>(
    db,
    sql`
    WITH l AS MATERIALIZED (SELECT l.text FROM ${ledger} WHERE l.status IN (201, 202))
    SELECT 'comment ' || c.comment AS text FROM comments c WHERE c.comment NOT IN (SELECT l.text FROM l)
    UNION ALL
    SELECT 'issue ' || i.summary FROM issues i WHERE i.summary NOT LIKE 'Planted%' AND i.summary NOT IN (SELECT l.text FROM l)
    LIMIT 20`,
  )
  return strays.map(({ text }) => ({ kind: 'wrong' as const, text: `no response confirmed the ${text}` }))
}

/** Checks that every event has the deliveries of its contract and that all of them are done. */
export async function checkDeliveries(db: PostgresDatabase): Promise<Finding[]> {
  const types = await queryRows<{ type: EventType; handlers: string[]; done: boolean; events: number }>(
    db,
    sql`
    SELECT v.type, v.handlers, v.done, count(*)::integer AS events
    FROM (SELECT e.type, array_remove(array_agg(f.handler ORDER BY f.handler), NULL) AS handlers,
            bool_and(f.handler IS NULL OR f.delivered_at IS NOT NULL) AS done
          FROM events e LEFT JOIN outbox_deliveries f ON f.event_id = e.id GROUP BY e.id, e.type) v
    GROUP BY v.type, v.handlers, v.done`,
  )
  return types.flatMap(({ type, handlers, done, events }) => {
    const expected = listDeliveryHandlers(type).toSorted().join(', ')
    if (handlers.join(', ') === expected && done) return []
    return [
      {
        kind: 'lost' as const,
        text: `${events} × ${type} has the deliveries ${handlers.join(', ')}${done ? '' : ', not all of them done'}; expected: ${expected}`,
      },
    ]
  })
}
