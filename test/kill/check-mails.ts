import { sql } from '../../src/database/database.ts'
import type { PostgresDatabase } from '../../src/database/postgres.ts'
import { checkDigests } from './check-digests.ts'
import type { Finding } from './check-writes.ts'
import type { RunLog } from './run-log.ts'
import type { Arrival } from './sink.ts'
import { expectedWatchMails } from './watchers.ts'
import { queryRows } from '../helpers/query-rows.ts'

export interface CheckedMails {
  readonly findings: Finding[]
  /** Number of different mails that arrived. */
  readonly mails: number
  /** Number of mails that arrived again because their 250 was lost. */
  readonly again: number
}

interface DueMail {
  readonly event: number
  readonly address: string
  /** False for users who followed after the change: the mail is optional. */
  readonly must: boolean
}

/**
 * The recipients of each change, from rows and the order of their commits: the followers at that time with a confirmed address, without the
 * author. For later followers the mail is optional.
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

/** A user with a watch area gets one mail for an event, also if they follow the issue. */
const dueAtOnce = (db: PostgresDatabase) =>
  queryRows<DueMail>(
    db,
    sql`
    SELECT DISTINCT d.event, d.address, TRUE AS must FROM (${expectedWatchMails}) d WHERE d.frequency = 'instant'`,
  )

/** Compares the mails that arrived with the expected ones. */
export async function checkMails(db: PostgresDatabase, arrivals: readonly Arrival[], runLog: RunLog): Promise<CheckedMails> {
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
    const unexplained = copies.slice(0, -1).filter((copy) => !wasCutOff(copy, runLog))
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

/** A worker records a mail within milliseconds of its 250, or when the database is back. */
const NOTED_WITHIN_MS = 2_000

/** Whether the sender could not read or record the 250, because of the sink, an outage or its own death. */
export function wasCutOff({ acknowledged, from, at }: Arrival, { deaths, outages }: RunLog): boolean {
  const died = deaths.get(from)
  if (!acknowledged || died === undefined) return !acknowledged
  const away = outages.filter((outage) => outage.from < at + NOTED_WITHIN_MS && outage.to > at)
  return died < Math.max(at, ...away.map(({ to }) => to)) + NOTED_WITHIN_MS
}
