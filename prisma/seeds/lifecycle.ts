import { categoryProfiles, type Category } from './categories.ts'
import { weightedPicker, type Random } from './random.ts'
import { DAY_MS, HOUR_MS, type DraftComment, type Lifecycle, type StatusChange, type Status } from './drafts.ts'
import type { Organization } from './organizations.ts'
import type { Person } from './person.ts'
import { residentClosingComments, residentReopeningComments } from './phrases/phrases.ts'
import { phrases, staffTexts, templateFor } from './phrases/phrases.ts'
import type { Spot } from './spots.ts'
import { fillTemplate, type Report } from './texts.ts'

export interface IssueContext {
  readonly createdAt: number
  readonly now: number
  readonly category: Category
  readonly spot: Spot
  readonly report: Report
  readonly organization: Organization
  readonly isCityType: boolean
  readonly utcOffset: number
  /** It is undefined if the reporter is anonymous, because later actions would reveal the name. */
  readonly knownReporter: Person | undefined
  readonly resident: () => Person
  readonly reporter: Person
}

type Closing = Pick<StatusChange, 'outcome' | 'passedOnTo'>

const ARCHIVED_AFTER_MS = 7 * DAY_MS

/** Closings about seven days ago are moved by this, so that no issue becomes due for archiving during the seeding. */
const ARCHIVE_MARGIN_MS = 14 * HOUR_MS
const outcomes = weightedPicker(
  [
    { outcome: 'fixed', weight: 82 },
    { outcome: 'passed_on', weight: 7 },
    { outcome: 'not_found', weight: 5 },
    { outcome: 'cannot_fix', weight: 3 },
    { outcome: 'not_ours', weight: 3 },
  ] as const,
  ({ weight }) => weight,
)
const REOPENING_PROBABILITY = 0.07

/** Returns the status changes of an issue from the report to now. They follow the table of transitions (src/issue-lifecycle). */
export function simulateLifecycle(random: Random, context: IssueContext): Lifecycle {
  const { now, createdAt, reporter, organization } = context
  const official = () => random.pick(organization.employees)
  const statusChanges: StatusChange[] = [{ from: null, to: 'Open', at: createdAt, by: reporter, comment: undefined }]
  const stamps: Record<Exclude<Status, 'Archived'>, number | null> = { Open: null, Acknowledged: null, Closed: null }
  let [status, time] = ['Open' as Status, createdAt]

  /** Returns false if the change would be in the future. */
  const changeStatus = (
    to: Exclude<Status, 'Archived'>,
    when: number,
    by: Person,
    texts: readonly string[],
    closing?: Closing,
  ): boolean => {
    const at = wholeSecond(Math.max(when, time + 60_000))
    if (at >= now) return false
    const locale = closing && closing.outcome !== 'reported_fixed' ? context.report.locale : 'en'
    const comment: DraftComment = { by, at, text: fillTemplate(random, context.spot, texts), locale }
    statusChanges.push({ from: status, to, at, by, comment, ...closing })
    stamps[to] = at
    ;[status, time] = [to, at]
    return true
  }
  const acknowledge = () => {
    const at = officeTime(random, time + random.logNormal(1.6) * DAY_MS, context.utcOffset)
    return changeStatus('Acknowledged', at, official(), phrases[context.category].acknowledgements)
  }
  const close = () => {
    const at = time + 0.1 * DAY_MS + random.logNormal(categoryProfiles[context.category].medianClosing_days, 1.1) * DAY_MS
    if (status === 'Acknowledged' || random.chance(context.isCityType ? 0.75 : 0.35)) {
      const { outcome } = outcomes(random)
      const texts = outcome === 'fixed' ? context.report.closingComments : [templateFor(outcome).texts[context.report.locale]]
      const closing = { outcome, ...(outcome === 'passed_on' ? { passedOnTo: random.pick(staffTexts.passedOnTo) } : {}) }
      return changeStatus('Closed', avoidArchiveDate(officeTime(random, at, context.utcOffset), now), official(), texts, closing)
    }
    const by = (random.chance(0.6) ? context.knownReporter : undefined) ?? context.resident()
    return changeStatus('Closed', avoidArchiveDate(at, now), by, residentClosingComments, { outcome: 'reported_fixed' })
  }
  const reopen = () => {
    const by = (random.chance(0.5) ? context.knownReporter : undefined) ?? context.resident()
    return changeStatus('Open', time + random.between(0.2, 6.5) * DAY_MS, by, residentReopeningComments)
  }

  /** Staff finish almost all of the older issues of their types. */
  const finishing = !context.isCityType ? 0.55 : now - createdAt > 60 * DAY_MS ? 0.95 : 0.8
  for (let round = 0; round < 3; round++) {
    const noticed = random.chance(context.isCityType ? 0.6 : 0.1)
    if (noticed && stamps.Acknowledged === null && !acknowledge()) break
    if (!random.chance(finishing) || !close()) break
    if (!random.chance(REOPENING_PROBABILITY) || !reopen()) break
  }
  if (status === 'Closed' && now - time >= ARCHIVED_AFTER_MS) {
    const at = time + ARCHIVED_AFTER_MS + random.integer(1, 59) * 1000
    statusChanges.push({ from: 'Closed', to: 'Archived', at, by: undefined, comment: undefined })
    status = 'Archived'
  }
  const assigned = stamps.Acknowledged !== null && random.chance(0.65)
  return {
    ...{ status, statusChanges, acknowledgedAt: stamps.Acknowledged, closedAt: stamps.Closed, reopenedAt: stamps.Open },
    assignee: assigned ? official() : undefined,
  }
}

const avoidArchiveDate = (at: number, now: number): number => {
  const lastOfDay = now - ARCHIVED_AFTER_MS + DAY_MS + ARCHIVE_MARGIN_MS
  const isNear = at > now - ARCHIVED_AFTER_MS - HOUR_MS && at < lastOfDay
  return isNear ? lastOfDay + ((at / 1000) % 3600) * 1000 : at
}

/** Returns the next time in office hours: Monday to Friday, eight to five. */
export function officeTime(random: Random, at: number, utcOffset: number): number {
  let local = wholeSecond(at) + utcOffset * HOUR_MS
  const minutes = () => random.integer(1, 59) * 60_000
  if (hourOf(local) >= 17) local = midnightAfter(local)
  while ([0, 6].includes(new Date(local).getUTCDay())) local = midnightAfter(local)
  if (hourOf(local) < 8) local = local - (local % DAY_MS) + 8 * HOUR_MS + random.integer(0, 6) * HOUR_MS + minutes()
  return local - utcOffset * HOUR_MS
}

const hourOf = (local: number): number => new Date(local).getUTCHours()
const midnightAfter = (local: number): number => local - (local % DAY_MS) + DAY_MS
export const wholeSecond = (ms: number): number => Math.floor(ms / 1000) * 1000
