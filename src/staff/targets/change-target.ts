import { sql, type Transaction } from '../../database/database.ts'
import { copyDueTimes, editIssue, type IssueEdit } from '../../issue-lifecycle/edit-issue.ts'
import { problems } from '../../errors/problems.ts'
import { readTimestamp } from '../../http/schema/fields.ts'
import { text } from '../../locales/texts.ts'
import { shiftByPause, workingTimeBetween } from './calendar.ts'
import { type ClockRow, lockClocks } from './queries.ts'
import type { TargetChange } from './schema.ts'
import { calendarOf } from './update-targets.ts'

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
    const [clock] = await lockClocks(tx, [id])
    if (!clock) throw problems.notFound('the_issue')
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
