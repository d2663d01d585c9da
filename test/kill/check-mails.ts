import { sql } from '../../src/database/database.ts'
import type { PostgresDatabase } from '../../src/database/postgres.ts'
import { checkDigests } from './check-digests.ts'
import type { Finding } from './check-writes.ts'
import type { Diary } from './diary.ts'
import type { Arrival } from './sink.ts'
import { dueToWatchers } from './watchers.ts'
import { queryRows } from '../helpers/query-rows.ts'

export interface CheckedMails {
  readonly findings: Finding[]
  /** Mails that arrived, each counted once. */
  readonly mails: number
  /** How often one came once more because its 250 was lost. */
  readonly again: number
}

interface DueMail {
  readonly event: number
  readonly address: string
  /** False: they followed after it, and may have it or not. */
  readonly must: boolean
}

/**
 * Whom the changes must have been told to, from rows and the order of their commits alone: everybody who followed the issue by then and has
 * a confirmed address, but not who made the change. Who followed later, but before the mails were written, may be told.
 */
const dueToFollowers = (db: PostgresDatabase) =>
  queryRows<DueMail>(
    db,
    sql`
    SELECT e.id AS event, m.email AS address, pg_xact_commit_timestamp(f.xmin) < pg_xact_commit_timestamp(e.xmin) AS must
    FROM events e
    LEFT JOIN comments c ON e.type = 'comment.added' AND c.id = e.subject_id
    JOIN follows f ON f.issue_id = CASE WHEN e.type = 'comment.added' THEN c.issue_id ELSE e.subject_id END
    JOIN emails m ON m.user_id = f.user_id AND m.confirmed_at IS NOT NULL
    WHERE e.type IN ('comment.added', 'issue.closed', 'issue.opened', 'issue.acknowledged') AND f.user_id IS DISTINCT FROM e.actor_id
      AND pg_xact_commit_timestamp(f.xmin) <= (SELECT max(pg_xact_commit_timestamp(p.xmin)) FROM outbox_deliveries p WHERE p.event_id = e.id)`,
  )

interface Delivery {
  readonly message_id: string
  readonly event: number
  readonly type: string
  readonly address: string
}

/** Who watched the place from the beginning gets one mail of the event, whether they follow the issue as well or not. */
const dueAtOnce = (db: PostgresDatabase) =>
  queryRows<DueMail>(
    db,
    sql`
    SELECT DISTINCT d.event, d.address, TRUE AS must FROM (${dueToWatchers}) d WHERE d.frequency = 'instant'`,
  )

/** Compares what arrived with what was due. */
export async function checkMails(db: PostgresDatabase, arrivals: readonly Arrival[], diary: Diary): Promise<CheckedMails> {
  const findings: Finding[] = []
  const deliveries = new Map(
    (
      await queryRows<Delivery>(
        db,
        sql`
        SELECT d.message_id::text, d.event_id AS event, e.type, m.email AS address
        FROM mail_deliveries d JOIN emails m ON m.id = d.email_id JOIN events e ON e.id = d.event_id`,
      )
    ).map((delivery) => [delivery.message_id, delivery]),
  )
  const arrived = Map.groupBy(arrivals, ({ messageId, to }) => `${messageId.split('@')[0]} ${to}`)
  const got = new Map<string, number>()
  let again = 0
  for (const copies of arrived.values()) {
    const [first] = copies
    const delivery = deliveries.get(first?.messageId.split('@')[0] ?? '')
    if (!first || !delivery || delivery.address !== first.to) {
      findings.push({ kind: 'wrong', text: `a mail ${first?.messageId} to ${first?.to} that no delivery tells of` })
      continue
    }
    const name = `${delivery.event} ${delivery.address}`
    got.set(name, (got.get(name) ?? 0) + 1)
    again += copies.length - 1
    const unexplained = copies.slice(0, -1).filter((copy) => !wasCutOff(copy, diary))
    for (const copy of unexplained) {
      findings.push({ kind: 'double', text: `${copy.messageId} went to ${copy.to} once more, though nothing cut its 250 off` })
    }
  }
  const due = [...(await dueToFollowers(db)), ...(await dueAtOnce(db))]
  const mayHave = new Set(due.map(({ event, address }) => `${event} ${address}`))
  for (const { event, address, must } of due) {
    const times = got.get(`${event} ${address}`) ?? 0
    if (must && times === 0) findings.push({ kind: 'lost', text: `the mail of event ${event} to ${address}` })
    if (times > 1) findings.push({ kind: 'double', text: `event ${event} was mailed to ${address} under ${times} Message-IDs` })
  }
  for (const { event, address, type } of deliveries.values()) {
    if (TOLD_AT_ONCE.has(type) && got.has(`${event} ${address}`) && !mayHave.has(`${event} ${address}`)) {
      findings.push({ kind: 'wrong', text: `event ${event} was mailed to ${address}, who must not have it` })
    }
  }
  return { findings: [...findings, ...(await checkDigests(db, got))], mails: got.size, again }
}

const TOLD_AT_ONCE: ReadonlySet<string> = new Set([
  'issue.reported',
  'comment.added',
  'issue.closed',
  'issue.opened',
  'issue.acknowledged',
])

/** A worker notes a mail within milliseconds of its 250; where the database is away, when it is back. */
const NOTED_WITHIN_MS = 2_000

/** Whether something kept the sender from reading the 250 or from noting it: the sink, or its own death before it could note anything. */
export function wasCutOff({ acknowledged, from, at }: Arrival, { deaths, outages }: Diary): boolean {
  const died = deaths.get(from)
  if (!acknowledged || died === undefined) return !acknowledged
  const away = outages.filter((outage) => outage.from < at + NOTED_WITHIN_MS && outage.to > at)
  return died < Math.max(at, ...away.map(({ to }) => to)) + NOTED_WITHIN_MS
}
