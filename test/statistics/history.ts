import fc from 'fast-check'

import { type Database, sql } from '../../src/database/database.ts'
import { outcomes, type Status } from '../../src/issue-lifecycle/status.ts'
import { queryRows } from '../helpers/query-rows.ts'

/* Issues with random histories, and the numbers of a period, counted in TypeScript from the rows of the tables. */

export const FIRST_DAY = Date.parse('2025-01-01T00:00:00Z')
export const DAYS = 400
const HOUR_MS = 3_600_000

interface Change {
  readonly from: Status
  readonly to: Status
  readonly at: string
}

const position = fc.oneof(
  { weight: 5, arbitrary: fc.double({ min: -0.15, max: 0.15, noNaN: true }) },
  // The edges and the centre of the place.
  { weight: 1, arbitrary: fc.constantFrom(-0.1, 0, 0.1) },
)

const pastIssue = fc.record({
  dx: position,
  dy: position,
  type: fc.integer({ min: 0, max: 3 }),
  state: fc.constantFrom('passed', 'passed', 'passed', 'passed', 'passed', 'held', 'rejected'),
  /** Answers of residents to closings, by their order. */
  answers: fc.array(fc.array(fc.boolean(), { maxLength: 3 }), { maxLength: 3 }),
  isImported: fc.integer({ min: 0, max: 4 }).map((n) => n === 0),
  outcome: fc.option(fc.constantFrom(...outcomes)),
  /** Hours from the report to the targets. */
  targets: fc.option(
    fc.record({ acknowledge: fc.option(fc.integer({ min: 1, max: 900 })), close: fc.option(fc.integer({ min: 1, max: 1500 })) }),
  ),
  /** Hours from the first day, and from one change to the next. Many changes are at midnight. */
  created: fc.oneof(
    fc.integer({ min: 0, max: DAYS * 24 }),
    fc.integer({ min: 0, max: DAYS }).map((day) => day * 24),
  ),
  steps: fc.array(fc.record({ to: fc.constantFrom('Acknowledged', 'Closed'), hours: fc.integer({ min: 1, max: 900 }) }), {
    maxLength: 6,
  }),
})
type PastIssue = typeof pastIssue extends fc.Arbitrary<infer Issue> ? Issue : never

const timeAt = (hours: number) => new Date(FIRST_DAY + hours * HOUR_MS).toISOString()

function simulate({ created, steps }: PastIssue): readonly Change[] {
  const changes: Change[] = []
  let [status, hours]: [Status, number] = ['Open', created]
  for (const { to, hours: later } of steps) {
    // The end of a merge returns to the former status.
    const next: Status =
      status === 'Closed' ? (hours % 3 === 0 ? 'Acknowledged' : 'Open') : status === 'Acknowledged' ? 'Closed' : to
    hours += later
    changes.push({ from: status, to: next, at: timeAt(hours) })
    status = next
  }
  return status === 'Closed' && hours % 2 === 0
    ? [...changes, { from: 'Closed', to: 'Archived', at: timeAt(hours + 168) }]
    : changes
}

const lastTo = (changes: readonly Change[], to: Status) =>
  changes.findLast((change) => change.to === to && change.from !== 'Closed')?.at ?? null
const lastReopening = (changes: readonly Change[]) =>
  changes.findLast(({ from, to }) => from === 'Closed' && to !== 'Archived')?.at ?? null

/** @param types ids of request types; issues beyond them have none */
export async function createPastIssues(
  db: Database,
  { count, around, types, seed }: { count: number; around: { lng: number; lat: number }; types: readonly number[]; seed: number },
): Promise<void> {
  const issues = fc.sample(pastIssue, { seed, numRuns: count }).map((issue, index) => {
    const changes = simulate(issue)
    return {
      ...{
        id: index + 1,
        lng: around.lng + issue.dx,
        lat: around.lat + issue.dy,
        type: types[issue.type] ?? null,
        state: issue.state,
      },
      ...{
        status: changes.at(-1)?.to ?? 'Open',
        created: timeAt(issue.created),
        imported: issue.isImported ? timeAt(DAYS * 24) : null,
      },
      acknowledged: lastTo(changes, 'Acknowledged'),
      closed: lastTo(changes, 'Closed'),
      outcome: issue.outcome,
      reopened: lastReopening(changes),
      // An import has no history.
      changes: issue.isImported ? [] : changes,
      answers: issue.isImported ? [] : issue.answers,
      target: toTarget(issue, lastReopening(changes)),
    }
  })
  await db.execute(sql`
    INSERT INTO issues (id, summary, status, lng, lat, request_type_id, moderation_state, created_at, updated_at, imported_at, acknowledged_at, closed_at, reopened_at, outcome)
    SELECT r.id, 'Issue ' || r.id, r.status, r.lng, r.lat, r.type, r.state, r.created, r.created, r.imported, r.acknowledged, r.closed, r.reopened, r.outcome
    FROM jsonb_to_recordset(${JSON.stringify(issues)}::jsonb) AS r (id integer, status issue_status, lng float8, lat float8, type integer,
      state moderation_state, created timestamptz, imported timestamptz, acknowledged timestamptz, closed timestamptz, reopened timestamptz, outcome text)`)
  await db.execute(sql`
    INSERT INTO issue_targets (issue_id, started_at, acknowledge_by, close_by)
    SELECT t.id, t.started, t.acknowledge, t.close
    FROM jsonb_to_recordset(${JSON.stringify(issues.flatMap(({ id, target }) => (target ? [{ id, ...target }] : [])))}::jsonb)
      AS t (id integer, started timestamptz, acknowledge timestamptz, close timestamptz)`)
  const history = issues.flatMap(({ id, created, imported, changes }) =>
    imported === null ? [{ id, from: null, to: 'Open', at: created }, ...changes.map((change) => ({ id, ...change }))] : [],
  )
  await db.execute(sql`
    INSERT INTO status_changes (issue_id, from_status, to_status, created_at)
    SELECT h.id, h."from", h."to", h.at FROM jsonb_to_recordset(${JSON.stringify(history)}::jsonb) AS h (id integer, "from" issue_status, "to" issue_status, at timestamptz)`)
  const answers = issues.flatMap(({ id, answers: closings }) =>
    closings.flatMap((residents, closing) => residents.map((is_fixed, resident) => ({ id, closing, resident, is_fixed }))),
  )
  await db.execute(sql`INSERT INTO users (name) SELECT 'Resident ' || n FROM generate_series(0, 2) n`)
  await db.execute(sql`
    INSERT INTO closing_answers (status_change_id, user_id, issue_id, is_fixed)
    SELECT s.id, (SELECT u.id FROM users u WHERE u.name = 'Resident ' || a.resident), a.id, a.is_fixed
    FROM jsonb_to_recordset(${JSON.stringify(answers)}::jsonb) AS a (id integer, closing integer, resident integer, is_fixed boolean)
    JOIN (SELECT c.id, c.issue_id, row_number() OVER (PARTITION BY c.issue_id ORDER BY c.id) - 1 AS closing
      FROM status_changes c WHERE c.to_status = 'Closed') s ON s.issue_id = a.id AND s.closing = a.closing`)
}

/** The clock starts at the report, or when the issue was reopened. */
function toTarget({ created, targets }: PastIssue, reopened: string | null) {
  const by = (hours: number | null) => (hours === null ? null : timeAt(created + hours))
  return targets && { started: reopened ?? timeAt(created), acknowledge: by(targets.acknowledge), close: by(targets.close) }
}

interface IssueWithHistory {
  readonly id: number
  readonly type: number | null
  readonly isOpen: boolean
  readonly created: number
  /** That of the closing at this time. */
  readonly outcome: { readonly name: string | null; readonly closed: number | null }
  readonly changes: readonly {
    readonly kind: Kind
    readonly wasOpen: boolean
    readonly at: number
    readonly answers: readonly boolean[]
  }[]
  readonly target: Target | null
}
interface Target {
  readonly started: number
  readonly acknowledged: number | null
  readonly closed: number | null
}
type Kind = 'acknowledged' | 'closed' | 'reopened'

/** Reads issues by ids with all their changes, oldest first. */
export async function readHistories(db: Database, ids: readonly number[]): Promise<IssueWithHistory[]> {
  const issues = await queryRows<{
    id: number
    request_type_id: number | null
    status: Status
    created_at: string
    acknowledged_at: string | null
    closed_at: string | null
    reopened_at: string | null
    outcome: string | null
    started_at: string | null
    acknowledge_by: string | null
    close_by: string | null
    changes: { from: Status; to: Status; at: string; answers: boolean[] | null }[]
  }>(
    db,
    sql`
    SELECT i.id, i.request_type_id, i.status, i.created_at, i.acknowledged_at, i.closed_at, i.reopened_at, i.outcome,
      t.started_at, t.acknowledge_by, t.close_by,
      (SELECT coalesce(json_agg(json_build_object('from', s.from_status, 'to', s.to_status, 'at', s.created_at,
          'answers', (SELECT json_agg(a.is_fixed) FROM closing_answers a WHERE a.status_change_id = s.id)) ORDER BY s.id), '[]')
        FROM status_changes s WHERE s.issue_id = i.id AND s.from_status IS NOT NULL) AS changes
    FROM issues i LEFT JOIN issue_targets t ON t.issue_id = i.id WHERE i.id = ANY (${[...ids]}::integer[])`,
  )
  const isOpen = (status: Status) => status === 'Open' || status === 'Acknowledged'
  const kinds: Partial<Record<Status, Kind>> = { Acknowledged: 'acknowledged', Closed: 'closed', Open: 'reopened' }
  return issues.map((issue) => {
    const recorded = issue.changes.flatMap(({ from, to, at, answers }) => {
      const kind = from === 'Closed' && to !== 'Archived' ? 'reopened' : kinds[to]
      return kind ? [{ kind, wasOpen: isOpen(from), at: Date.parse(at), answers: answers ?? [] }] : []
    })
    const stamps = [
      { kind: 'acknowledged', wasOpen: true, time: issue.acknowledged_at },
      { kind: 'closed', wasOpen: true, time: issue.closed_at },
      { kind: 'reopened', wasOpen: false, time: issue.reopened_at },
    ] as const
    const own = stamps.flatMap(({ time, ...stamp }) => (time === null ? [] : [{ ...stamp, at: Date.parse(time), answers: [] }]))
    const changes = recorded.length > 0 ? recorded : own.toSorted((a, b) => a.at - b.at)
    const parse = (time: string | null) => (time === null ? null : Date.parse(time))
    const started = parse(issue.started_at)
    const target = started === null ? null : { started, acknowledged: parse(issue.acknowledge_by), closed: parse(issue.close_by) }
    return {
      outcome: { name: issue.outcome, closed: parse(issue.closed_at) },
      target,
      id: issue.id,
      type: issue.request_type_id,
      isOpen: isOpen(issue.status),
      created: Date.parse(issue.created_at),
      changes,
    }
  })
}

/** Counts a period, from a time until another one that does not belong to it. */
export function countPeriod(issues: readonly IssueWithHistory[], from: number, end: number) {
  const isIn = (at: number) => at >= from && at < end
  const changes = issues.flatMap(({ created, target, ...issue }) =>
    issue.changes.map((change) => ({ ...change, target, hours: (change.at - created) / HOUR_MS })),
  )
  const inTime = (kind: 'acknowledged' | 'closed') =>
    changes.flatMap(({ target, ...change }) => {
      const by = target && change.at >= target.started ? target[kind] : null
      return change.kind === kind && isIn(change.at) && by !== null ? [change.at <= by] : []
    })
  const answered = changes.filter(({ kind, at, answers }) => kind === 'closed' && isIn(at) && answers.length > 0)
  const confirmed = answered.filter(({ answers }) => answers.filter(Boolean).length > answers.length / 2)
  const hoursOf = (kind: Kind) => changes.filter((change) => change.kind === kind && isIn(change.at)).map(({ hours }) => hours)
  const [acknowledged, closed] = [hoursOf('acknowledged'), hoursOf('closed')]
  return {
    open_at_start: countOpen(issues, from),
    open_at_end: countOpen(issues, end),
    reported: issues.filter(({ created }) => isIn(created)).length,
    acknowledged: acknowledged.length,
    closed: closed.length,
    reopened: hoursOf('reopened').length,
    acknowledged_in_time: [inTime('acknowledged').filter(Boolean).length, inTime('acknowledged').length],
    closed_in_time: [inTime('closed').filter(Boolean).length, inTime('closed').length],
    closed_confirmed: [confirmed.length, answered.length],
    median_acknowledge_hours: percentile(acknowledged, 0.5),
    p90_acknowledge_hours: percentile(acknowledged, 0.9),
    median_close_hours: percentile(closed, 0.5),
    p90_close_hours: percentile(closed, 0.9),
  }
}

/** Counts the closings of a period by outcome, without those that have none. */
export function countOutcomes(issues: readonly IssueWithHistory[], from: number, end: number) {
  const closings = issues.flatMap(({ outcome, changes }) =>
    changes.filter(({ kind, at }) => kind === 'closed' && at === outcome.closed && at >= from && at < end).map(() => outcome.name),
  )
  const known = outcomes.map((name) => [name, closings.filter((closing) => closing === name).length] as const)
  return Object.fromEntries(known.filter(([, closed]) => closed > 0))
}

/** An issue was as its next change found it, or is as it is now. */
const countOpen = (issues: readonly IssueWithHistory[], at: number) =>
  issues.filter(({ created, changes, isOpen }) => created < at && (changes.find((change) => change.at >= at)?.wasOpen ?? isOpen))
    .length

/** Interpolates between the two values around the rank. */
function percentile(values: readonly number[], share: number): number | null {
  const sorted = values.toSorted((a, b) => a - b)
  const rank = share * (sorted.length - 1)
  const [below, above] = [sorted[Math.floor(rank)], sorted[Math.ceil(rank)]]
  return below === undefined || above === undefined ? null : roundHours(below + (above - below) * (rank - Math.floor(rank)))
}

/** Rounding errors of the database differ from those of JavaScript. */
export const roundHours = (hours: number) => Math.round(hours * 1e6) / 1e6
