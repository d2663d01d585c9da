import { type Sql, sql, type Transaction, IdRow } from '../../database/database.ts'
import { copyDueTimes } from '../../issue-lifecycle/edit-issue.ts'
import { addWorkingTime, type Calendar } from './calendar.ts'
import { type ClockRow, lockClocks, removeTargets, writeTargets } from './queries.ts'

const HOUR_MS = 3_600_000

/**
 * Sets the targets of issues by the rules of their organisations, or removes them if there is no rule. The clock starts at the publication, when the issue was
 * reopened last, or at `restartAt`, such as the time of a transfer, whichever is latest; a new start ends pauses. Otherwise the times that staff have set
 * stay. Idempotent; it locks the issues by id.
 */
export async function updateTargets(tx: Transaction, issueIds: readonly number[], restartAt?: Date): Promise<void> {
  const clocks = await lockClocks(tx, issueIds)
  const targets = clocks
    .map((clock) => [clock, startOf(clock, restartAt)] as const)
    .filter(([clock, start]) => !isKept(clock, start))
  await removeTargets(
    tx,
    targets.filter(([clock]) => !hasRule(clock)).map(([clock]) => clock.issue_id),
  )
  await writeTargets(
    tx,
    targets.filter(([clock]) => hasRule(clock)).map(([clock, start]) => computeTarget(clock, start)),
  )
  const changed = targets.map(([clock]) => clock.issue_id)
  if (changed.length > 0) await tx.execute(copyDueTimes(sql`one.id = ANY(${changed}::integer[])`))
}

const hasRule = ({ acknowledge_hours, close_hours }: ClockRow) => acknowledge_hours !== null || close_hours !== null

const isKept = ({ is_manual, started_at }: ClockRow, start: Date) => is_manual === true && started_at === start.toISOString()

function startOf({ created_at, reopened_at, started_at }: ClockRow, restartAt: Date | undefined): Date {
  const starts = [created_at, reopened_at, started_at].filter((start) => start !== null).map((start) => Date.parse(start))
  return new Date(Math.max(...starts, restartAt?.getTime() ?? 0))
}

/** An issue that was acknowledged keeps the target that this was measured by. */
function computeTarget(clock: ClockRow, start: Date) {
  const isSameClock = clock.started_at === start.toISOString()
  const pauses = isSameClock
    ? { paused_at: clock.paused_at, paused_seconds: clock.paused_seconds ?? 0 }
    : { paused_at: null, paused_seconds: 0 }
  const calendar = calendarOf(clock)
  const by = (hours: number | null) =>
    hours === null ? null : addWorkingTime(start, hours * HOUR_MS + pauses.paused_seconds * 1_000, calendar).toISOString()
  return {
    issue_id: clock.issue_id,
    started_at: start.toISOString(),
    acknowledge_by:
      clock.acknowledged_at !== null && clock.started_at !== null ? clock.acknowledge_by : by(clock.acknowledge_hours),
    close_by: by(clock.close_hours),
    ...pauses,
    reason: isSameClock ? clock.reason : null,
  }
}

/** Returns null if all hours count. */
export function calendarOf({
  time_zone,
  weekly_hours,
  holidays,
}: Pick<ClockRow, 'time_zone' | 'weekly_hours' | 'holidays'>): Calendar | null {
  return time_zone === null || weekly_hours === null || holidays === null ? null : { time_zone, weekly_hours, holidays }
}

export const BATCH_MAX = 1_000

/** Write transactions end within 30 seconds, so a report that did not see the rule yet is committed by then. */
const DELAY_S = 35

/** Lets the job `compute-targets` compute the targets of all open issues of an organisation again. Call it in the transaction that changes a rule or calendar. */
export async function scheduleTargets(tx: Transaction, organization_id: number, now: Date): Promise<void> {
  const work = { after_issue_id: 0, due_at: new Date(now.getTime() + DELAY_S * 1_000) }
  await tx.prisma.targetRecomputation.upsert({ where: { organization_id }, create: { organization_id, ...work }, update: work })
}

/** Computes one batch of one organisation. Returns false if there is no work. Concurrent calls work on different organisations. */
export async function computeNextTargets(tx: Transaction, now: Date): Promise<boolean> {
  const [due] = await tx.query(sql.type(IdRow)`
    SELECT r.organization_id AS id FROM target_recomputations r WHERE r.due_at <= ${now.toISOString()}::timestamptz
    ORDER BY r.due_at, r.organization_id LIMIT 1 FOR UPDATE SKIP LOCKED`)
  if (!due) return false
  const where = { organization_id: due.id }
  const ids = (await tx.query(sql.type(IdRow)`${selectOpenIssues(due.id)}`)).map(({ id }) => id)
  await updateTargets(tx, ids)
  const last = ids.length === BATCH_MAX ? ids.at(-1) : undefined
  if (last === undefined) await tx.prisma.targetRecomputation.delete({ where })
  else await tx.prisma.targetRecomputation.update({ where, data: { after_issue_id: last } })
  return true
}

const selectOpenIssues = (organizationId: number): Sql => sql`
  SELECT i.id FROM issues i
  JOIN request_types rt ON rt.id = i.request_type_id
  JOIN target_recomputations r ON r.organization_id = rt.organization_id
  WHERE r.organization_id = ${organizationId} AND i.id > r.after_issue_id AND i.moderation_state = 'passed' AND i.status IN ('Open', 'Acknowledged')
  ORDER BY i.id LIMIT ${BATCH_MAX}`
