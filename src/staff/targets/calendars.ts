import type { Prisma } from '../../../prisma/generated/client.ts'
import type { PrismaHandle, Transaction } from '../../database/database.ts'
import { problems } from '../../errors/problems.ts'
import { text } from '../../locales/texts.ts'
import { type Calendar, type Hours, weekdays } from './calendar.ts'
import { type ContentChange, findItem } from '../../organizations/content.ts'
import { type CalendarInput, CALENDARS_MAX, type WeeklySpans } from './schema.ts'
import { scheduleTargets } from './update-targets.ts'

const select = { id: true, name: true, time_zone: true, weekly_hours: true, holidays: true } as const
const orderBy = { id: 'asc' } as const

export async function listCalendars(db: PrismaHandle, organization_id: number) {
  return (await db.prisma.calendar.findMany({ where: { organization_id }, select, orderBy })).map(present)
}

/** Returns the id. @throws Problem 422 that names the field */
export async function addCalendar(
  tx: Transaction,
  { organization_id }: ContentChange,
  { holidays = [], ...input }: Required<Omit<CalendarInput, 'holidays'>> & Pick<CalendarInput, 'holidays'>,
): Promise<number> {
  if ((await tx.prisma.calendar.count({ where: { organization_id } })) >= CALENDARS_MAX)
    throw problems.invalid({ base: text('too_many_calendars', { max: CALENDARS_MAX }) })
  const data = { organization_id, ...readCalendar({ holidays, ...input }) }
  const { id } = await tx.prisma.calendar.create({ data, select: { id: true } })
  return id
}

/** Changes the fields that are present. The targets of open issues follow. @throws Problem 404, or 422 that names the field */
export async function changeCalendar(
  tx: Transaction,
  { organization_id, now }: ContentChange,
  id: number,
  input: CalendarInput,
): Promise<void> {
  const { id: _, ...stored } = await findItem(listCalendars(tx, organization_id), id, 'the_calendar')
  await tx.prisma.calendar.update({ where: { id }, data: { ...readCalendar({ ...stored, ...input }), updated_at: now } })
  await scheduleTargets(tx, organization_id, now)
}

/** @throws Problem 404, or 422 `{base}` while a rule uses the calendar */
export async function deleteCalendar(tx: Transaction, { organization_id }: ContentChange, id: number): Promise<void> {
  await findItem(listCalendars(tx, organization_id), id, 'the_calendar')
  if ((await tx.prisma.targetRule.count({ where: { calendar_id: id } })) > 0)
    throw problems.invalid({ base: text('calendar_in_use') })
  await tx.prisma.calendar.delete({ where: { id } })
}

function present({ weekly_hours, ...calendar }: Prisma.CalendarGetPayload<{ select: typeof select }>) {
  const hours = weekly_hours as Calendar['weekly_hours']
  const spans = weekdays.map((weekday) => [weekday, (hours[weekday] ?? []).map(({ from, to }) => `${from}-${to}`)] as const)
  return { ...calendar, weekly_hours: Object.fromEntries(spans.filter(([, texts]) => texts.length > 0)) as WeeklySpans }
}

/** An hour a week, so that each target is in this century. */
const MINUTES_MIN = 60

/** @throws Problem 422 that names the field */
export function readCalendar({ name, time_zone, weekly_hours, holidays }: Required<CalendarInput>) {
  if (!isTimeZone(time_zone)) throw problems.invalid({ time_zone: text('must_be', { allowed: text('time_zone') }) })
  if (!holidays.every(isDate)) throw problems.invalid({ holidays: text('holiday_no_date') })
  const hours = weekdays.map(
    (weekday) => [weekday, (weekly_hours[weekday] ?? []).map(readSpan).toSorted((a, b) => a.from.localeCompare(b.from))] as const,
  )
  for (const [weekday, spans] of hours)
    if (spans.some(({ from, to }, n) => to <= from || from < (spans[n - 1]?.to ?? '')))
      throw problems.invalid({ [`weekly_hours.${weekday}`]: text('hours_overlap') })
  const minutes = hours.flatMap(([, spans]) => spans).reduce((sum, { from, to }) => sum + toMinutes(to) - toMinutes(from), 0)
  if (minutes < MINUTES_MIN) throw problems.invalid({ weekly_hours: text('hours_missing') })
  const named = hours
    .filter(([, spans]) => spans.length > 0)
    .map(([weekday, spans]) => [weekday, spans.map((span) => ({ ...span }))])
  return {
    name: name.trim(),
    time_zone,
    weekly_hours: Object.fromEntries(named) as Prisma.InputJsonObject & Calendar['weekly_hours'],
    holidays: [...new Set(holidays)].toSorted((a, b) => a.localeCompare(b)),
  }
}

const readSpan = (span: string): Hours => ({ from: span.slice(0, 5), to: span.slice(6) })

const toMinutes = (time: string) => Number(time.slice(0, 2)) * 60 + Number(time.slice(3))

const isDate = (date: string) => !Number.isNaN(Date.parse(date)) && new Date(date).toISOString().startsWith(date)

function isTimeZone(name: string): boolean {
  try {
    Temporal.Now.zonedDateTimeISO(name)
    return /^[A-Z]/i.test(name)
  } catch {
    return false
  }
}
