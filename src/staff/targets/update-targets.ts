import { type Sql, sql, type Transaction, IdRow } from '../../database/database.ts'
import { copyDueTimes, editIssue, type IssueEdit } from '../../issue-lifecycle/edit-issue.ts'
import { addWorkingTime, type Calendar, shiftByPause, workingTimeBetween } from './calendar.ts'
import { type ClockRow, lockClocks, removeTargets, writeTargets } from './queries.ts'
import { problems, orNotFound } from '../../errors/problems.ts'
import { readTimestamp } from '../../http/schema/fields.ts'
import { text } from '../../locales/texts.ts'
import type { TargetChange } from './schema.ts'

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
function calendarOf({
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

interface NewTimes {
  readonly acknowledge_by: string | null
  readonly close_by: string | null
  readonly paused_at: string | null
  readonly paused_seconds: number
  readonly is_manual: boolean
  readonly reason: string | null
}

/**
 * Pauses or resumes the clock of an issue, or sets its times. A pause moves the times by its working time.
 * @throws Problem of `editIssue`, 422 that names the field, 422 `{base}` for an issue that is closed or has no target to pause
 */
export async function changeTarget(
  tx: Transaction,
  { change, ...edit }: Omit<IssueEdit, 'capability'> & { readonly change: TargetChange },
): Promise<void> {
  await editIssue(tx, { ...edit, capability: 'work_on_issues' }, async ({ id, status }) => {
    checkFields(change)
    if (status !== 'Open' && status !== 'Acknowledged') throw problems.invalid({ base: text('target_of_closed_issue') })
    const clock = orNotFound((await lockClocks(tx, [id]))[0], 'the_issue')
    const former = formerTimes(clock)
    const times =
      change.paused === undefined
        ? setTimes(former, change)
        : change.paused
          ? pause(clock, change, edit.now)
          : resume(clock, change, edit.now)
    if (!times) return undefined
    const started_at = clock.started_at ?? edit.now
    await tx.prisma.issueTarget.upsert({
      where: { issue_id: id },
      create: { issue_id: id, started_at, ...times },
      update: { ...times, updated_at: edit.now },
    })
    await tx.execute(copyDueTimes(sql`one.id = ${id}::integer`))
    return { log: { kind: 'target', before: toLog(former), after: toLog(times) } }
  })
}

/** @throws Problem 422 that names the field */
function checkFields({ paused, acknowledge_by, close_by, reason }: TargetChange): void {
  const hasTimes = acknowledge_by !== undefined || close_by !== undefined
  if (paused === undefined && !hasTimes) throw problems.invalid({ base: text('target_change_empty') })
  if (paused !== undefined && hasTimes)
    throw problems.invalid({ paused: text('excluded_by', { name: acknowledge_by === undefined ? 'close_by' : 'acknowledge_by' }) })
  if (paused !== false && reason === undefined) throw problems.invalid({ reason: text('is_required') })
}

const formerTimes = (clock: ClockRow): NewTimes => ({
  acknowledge_by: clock.acknowledge_by,
  close_by: clock.close_by,
  paused_at: clock.paused_at,
  paused_seconds: clock.paused_seconds ?? 0,
  is_manual: clock.is_manual ?? false,
  reason: clock.reason,
})

const toLog = ({ acknowledge_by, close_by, paused_at, reason }: NewTimes) => ({
  acknowledge_by,
  close_by,
  paused: paused_at !== null,
  reason,
})

const writeReason = ({ reason }: TargetChange) => reason?.trim() ?? null

function setTimes(former: NewTimes, change: TargetChange): NewTimes {
  const read = (time: string | null | undefined, stored: string | null) =>
    time === undefined ? stored : time === null ? null : new Date(readTimestamp(time) ?? time).toISOString()
  return {
    ...former,
    acknowledge_by: read(change.acknowledge_by, former.acknowledge_by),
    close_by: read(change.close_by, former.close_by),
    is_manual: true,
    reason: writeReason(change),
  }
}

function pause(clock: ClockRow, change: TargetChange, now: Date): NewTimes | undefined {
  const former = formerTimes(clock)
  if (former.acknowledge_by === null && former.close_by === null) throw problems.invalid({ base: text('target_missing') })
  const times = { ...former, paused_at: former.paused_at ?? now.toISOString(), reason: writeReason(change) }
  return former.paused_at !== null && former.reason === times.reason ? undefined : times
}

function resume(clock: ClockRow, change: TargetChange, now: Date): NewTimes | undefined {
  const former = formerTimes(clock)
  if (former.paused_at === null) return undefined
  const [calendar, from] = [calendarOf(clock), new Date(former.paused_at)]
  const shift = (time: string | null) => (time === null ? null : shiftByPause(new Date(time), [from, now], calendar).toISOString())
  return {
    ...former,
    acknowledge_by: clock.acknowledged_at === null ? shift(former.acknowledge_by) : former.acknowledge_by,
    close_by: shift(former.close_by),
    paused_at: null,
    paused_seconds: former.paused_seconds + Math.round(workingTimeBetween(from, now, calendar) / 1_000),
    reason: writeReason(change),
  }
}
