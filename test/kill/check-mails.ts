import { sql } from '../../src/database/database.ts'
import type { PostgresDatabase } from '../../src/database/postgres.ts'
import { checkDigests } from './check-digests.ts'
import type { Finding } from './check-writes.ts'
import type { RunLog } from './run-log.ts'
import type { Arrival } from './mail-server.ts'
import { expectedWatchMails } from './watch-areas.ts'
import { queryRows } from '../helpers/query-rows.ts'

export interface CheckedMails {
  readonly findings: Finding[]
  /** Number of different mails that arrived. */
  readonly mails: number
  /** Number of mails that arrived again because their 250 was lost. */
  readonly repeatedMails: number
}

interface ExpectedMail {
  readonly event: number
  readonly address: string
  /** False for users who followed after the change: the mail is optional. */
  readonly isRequired: boolean
}

/** The recipients of each change in the order of commits: followers at that time with a confirmed address, without the author. */
const expectedFollowerMails = (db: PostgresDatabase) =>
  queryRows<ExpectedMail>(
    db,
    sql`
    SELECT e.id AS event, m.email AS address, pg_xact_commit_timestamp(f.xmin) < pg_xact_commit_timestamp(e.xmin) AS "isRequired"
    FROM events e
    LEFT JOIN comments c ON e.type = 'comment.added' AND c.id = e.subject_id
    JOIN follows f ON f.issue_id = CASE WHEN e.type = 'comment.added' THEN c.issue_id ELSE e.subject_id END
    JOIN email_addresses m ON m.user_id = f.user_id AND m.confirmed_at IS NOT NULL
    WHERE e.type IN ('comment.added', 'issue.closed', 'issue.reopened', 'issue.acknowledged') AND f.user_id IS DISTINCT FROM e.actor_id
      AND pg_xact_commit_timestamp(f.xmin) <= (SELECT max(pg_xact_commit_timestamp(p.xmin)) FROM outbox_deliveries p WHERE p.event_id = e.id)`,
  )

interface StoredMail {
  readonly message_id: string
  readonly event: number
  readonly type: string
  readonly address: string
}

/** A user with a watch area gets one mail for an event, also if they follow the issue. */
const expectedInstantMails = (db: PostgresDatabase) =>
  queryRows<ExpectedMail>(
    db,
    sql`
    SELECT DISTINCT d.event, d.address, TRUE AS "isRequired" FROM (${expectedWatchMails}) d WHERE d.frequency = 'instant'`,
  )

export async function checkMails(db: PostgresDatabase, arrivals: readonly Arrival[], runLog: RunLog): Promise<CheckedMails> {
  const findings: Finding[] = []
  const mailsById = new Map(
    (
      await queryRows<StoredMail>(
        db,
        sql`
        SELECT d.message_id::text, d.event_id AS event, e.type, m.email AS address
        FROM mails d JOIN email_addresses m ON m.id = d.email_address_id JOIN events e ON e.id = d.event_id`,
      )
    ).map((mail) => [mail.message_id, mail]),
  )
  const arrived = Map.groupBy(arrivals, ({ messageId, to }) => `${messageId.split('@')[0]} ${to}`)
  const received = new Map<string, number>()
  let repeatedMails = 0
  for (const copies of arrived.values()) {
    const [first] = copies
    const mail = mailsById.get(first?.messageId.split('@')[0] ?? '')
    if (!first || !mail || mail.address !== first.to) {
      findings.push({ kind: 'wrong', text: `a mail ${first?.messageId} to ${first?.to} without a stored mail` })
      continue
    }
    const name = `${mail.event} ${mail.address}`
    received.set(name, (received.get(name) ?? 0) + 1)
    repeatedMails += copies.length - 1
    const unexplained = copies.slice(0, -1).filter((copy) => !isDuplicateExplained(copy, runLog))
    for (const copy of unexplained) {
      findings.push({ kind: 'double', text: `${copy.messageId} arrived at ${copy.to} again, although its 250 was not lost` })
    }
  }
  const expected = [...(await expectedFollowerMails(db)), ...(await expectedInstantMails(db))]
  const allowed = new Set(expected.map(({ event, address }) => `${event} ${address}`))
  for (const { event, address, isRequired } of expected) {
    const times = received.get(`${event} ${address}`) ?? 0
    if (isRequired && times === 0) findings.push({ kind: 'lost', text: `the mail of event ${event} to ${address}` })
    if (times > 1) findings.push({ kind: 'double', text: `event ${event} was mailed to ${address} under ${times} Message-IDs` })
  }
  for (const { event, address, type } of mailsById.values()) {
    if (INSTANT_TYPES.has(type) && received.has(`${event} ${address}`) && !allowed.has(`${event} ${address}`)) {
      findings.push({ kind: 'wrong', text: `event ${event} was mailed to ${address}, who is not a recipient` })
    }
  }
  return { findings: [...findings, ...(await checkDigests(db, received))], mails: received.size, repeatedMails }
}

const INSTANT_TYPES: ReadonlySet<string> = new Set([
  'issue.reported',
  'comment.added',
  'issue.closed',
  'issue.reopened',
  'issue.acknowledged',
])

/** A worker records a mail within milliseconds of its 250, or when the database is back. */
const RECORDED_WITHIN_MS = 2_000

/** Returns whether the sender could not read or record the 250, because of the mail server, an outage or its own death. */
export function isDuplicateExplained({ acknowledged, from, at }: Arrival, { deaths, outages }: RunLog): boolean {
  const died = deaths.get(from)
  if (!acknowledged || died === undefined) return !acknowledged
  const away = outages.filter((outage) => outage.from < at + RECORDED_WITHIN_MS && outage.to > at)
  return died < Math.max(at, ...away.map(({ to }) => to)) + RECORDED_WITHIN_MS
}
