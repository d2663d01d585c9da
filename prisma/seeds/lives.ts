import { habits, type Category } from './categories.ts'
import type { Chance } from './chance.ts'
import { DAY_MS, HOUR_MS, type DraftComment, type Life, type Move, type Status } from './drafts.ts'
import type { Organization } from './organizations.ts'
import type { Person } from './person.ts'
import { residentsClose, residentsReopen } from './phrases/conversation.ts'
import { phrases } from './phrases/index.ts'
import type { Spot } from './spots.ts'
import { sayAbout, type Report } from './texts.ts'

export interface Circumstances {
  readonly createdAt: number
  readonly now: number
  readonly category: Category
  readonly spot: Spot
  readonly report: Report
  /** The organisation that acts for the issue, and whether its request type belongs to it (otherwise to the community). */
  readonly organization: Organization
  readonly theirs: boolean
  readonly utcOffset: number
  /** Undefined where the reporter stays unknown: what they do later would tell who they are. */
  readonly knownReporter: Person | undefined
  readonly resident: () => Person
  readonly reporter: Person
}

const ARCHIVED_AFTER_MS = 7 * DAY_MS

/** Closings around the seventh day are moved away from it, so that nothing is due while the demo is being made. */
const EDGE_MS = 14 * HOUR_MS
const CLOSED_EVER = 0.6
const REOPENED = 0.07

/** From the report to now, by the interface's table of moves: what happened to an issue, and who said what about it. */
export function liveThrough(chance: Chance, given: Circumstances): Life {
  const { now, createdAt, reporter, organization } = given
  const official = () => chance.among(organization.employees)
  const moves: Move[] = [{ from: null, to: 'Open', at: createdAt, by: reporter, comment: undefined }]
  const stamps: Record<Exclude<Status, 'Archived'>, number | null> = { Open: null, Acknowledged: null, Closed: null }
  let [status, time] = ['Open' as Status, createdAt]

  /** Whether there was still time for it. */
  const move = (to: Exclude<Status, 'Archived'>, when: number, by: Person, texts: readonly string[]): boolean => {
    const at = wholeSecond(Math.max(when, time + 60_000))
    if (at >= now) return false
    const locale = texts === given.report.fixed ? given.report.locale : 'en'
    const comment: DraftComment = { by, at, text: sayAbout(chance, given.spot, texts), locale }
    moves.push({ from: status, to, at, by, comment })
    stamps[to] = at
    ;[status, time] = [to, at]
    return true
  }
  const acknowledge = () => {
    const at = officeTime(chance, time + chance.wait(1.6) * DAY_MS, given.utcOffset)
    return move('Acknowledged', at, official(), phrases[given.category].acknowledged)
  }
  const close = () => {
    const at = time + 0.1 * DAY_MS + chance.wait(habits[given.category].halfDone_days, 1.1) * DAY_MS
    if (status === 'Acknowledged' || chance.yes(given.theirs ? 0.75 : 0.35)) {
      return move('Closed', offTheEdge(officeTime(chance, at, given.utcOffset), now), official(), given.report.fixed)
    }
    const by = (chance.yes(0.6) ? given.knownReporter : undefined) ?? given.resident()
    return move('Closed', offTheEdge(at, now), by, residentsClose)
  }
  const reopen = () => {
    const by = (chance.yes(0.5) ? given.knownReporter : undefined) ?? given.resident()
    return move('Open', time + chance.between(0.2, 6.5) * DAY_MS, by, residentsReopen)
  }

  for (let round = 0; round < 3; round++) {
    const noticed = chance.yes(given.theirs ? 0.34 : 0.1)
    if (noticed && stamps.Acknowledged === null && !acknowledge()) break
    if (!chance.yes(CLOSED_EVER) || !close()) break
    if (!chance.yes(REOPENED) || !reopen()) break
  }
  if (status === 'Closed' && now - time >= ARCHIVED_AFTER_MS) {
    const at = time + ARCHIVED_AFTER_MS + chance.whole(1, 59) * 1000
    moves.push({ from: 'Closed', to: 'Archived', at, by: undefined, comment: undefined })
    status = 'Archived'
  }
  const assigned = stamps.Acknowledged !== null && chance.yes(0.65)
  return {
    ...{ status, moves, acknowledgedAt: stamps.Acknowledged, closedAt: stamps.Closed, reopenedAt: stamps.Open },
    assignee: assigned ? official() : undefined,
  }
}

const offTheEdge = (at: number, now: number): number => {
  const lastOfDay = now - ARCHIVED_AFTER_MS + DAY_MS + EDGE_MS
  const isNear = at > now - ARCHIVED_AFTER_MS - HOUR_MS && at < lastOfDay
  return isNear ? lastOfDay + ((at / 1000) % 3600) * 1000 : at
}

/** The next time from then on at which the town hall works: Monday to Friday, eight to five. */
export function officeTime(chance: Chance, at: number, utcOffset: number): number {
  let local = wholeSecond(at) + utcOffset * HOUR_MS
  const minutes = () => chance.whole(1, 59) * 60_000
  if (hourOf(local) >= 17) local = midnightAfter(local)
  while ([0, 6].includes(new Date(local).getUTCDay())) local = midnightAfter(local)
  if (hourOf(local) < 8) local = local - (local % DAY_MS) + 8 * HOUR_MS + chance.whole(0, 6) * HOUR_MS + minutes()
  return local - utcOffset * HOUR_MS
}

const hourOf = (local: number): number => new Date(local).getUTCHours()
const midnightAfter = (local: number): number => local - (local % DAY_MS) + DAY_MS
export const wholeSecond = (ms: number): number => Math.floor(ms / 1000) * 1000
