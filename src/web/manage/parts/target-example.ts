import { numberLocale } from '../../../html/format.ts'
import { validationErrorsFrom } from '../../../html/form.ts'
import { html, type SafeHtml } from '../../../html/template.ts'
import { addWorkingTime, type Calendar } from '../../../staff/targets/calendar.ts'
import { readCalendar } from '../../../staff/targets/calendars.ts'
import type { CalendarInput } from '../../../staff/targets/schema.ts'
import type { PartContext } from '../forms/part.ts'

interface Example {
  /** Null if all hours count. */
  readonly calendar: Required<CalendarInput> | null
  readonly acknowledge: number | null
  readonly close: number | null
}

const HOUR_MS = 3_600_000
const FRIDAY = 5

/** Returns when a report of the next Friday at 16:00 is late; a hint without valid values. */
export function targetExample(context: PartContext, example: Example | undefined): SafeHtml {
  const { texts } = context
  const heading = html`<h2>${texts('manage.targets.example')}</h2>`
  const calendar = example?.calendar ? validCalendar(example.calendar) : null
  if (!example || calendar === undefined) return html`${heading}<p class="quiet">${texts('manage.targets.exampleHint')}</p>`
  const zone = calendar?.time_zone ?? 'UTC'
  const today = Temporal.Instant.fromEpochMilliseconds(context.now.getTime()).toZonedDateTimeISO(zone)
  const friday = today.add({ days: 1 + ((FRIDAY + 6 - today.dayOfWeek) % 7) }).withPlainTime('16:00')
  const start = new Date(friday.epochMilliseconds)
  const format = new Intl.DateTimeFormat(numberLocale(context.texts), {
    ...({ weekday: 'long', day: 'numeric', month: 'long', hour: 'numeric', minute: '2-digit' } as const),
    timeZone: zone,
  })
  const steps = (['acknowledge', 'close'] as const).flatMap((step) => {
    const hours = example[step]
    if (hours === null) return []
    const end = addWorkingTime(start, hours * HOUR_MS, calendar)
    return [html`<li>${texts(`manage.targets.exampleSteps.${step}`, { hours, time: format.format(end) })}</li>`]
  })
  return html`${heading}<p>${texts('manage.targets.exampleStart', { time: format.format(start) })}</p><ul>${steps}</ul>`
}

function validCalendar(input: Required<CalendarInput>): Calendar | undefined {
  try {
    return readCalendar(input)
  } catch (error) {
    validationErrorsFrom(error)
    return undefined
  }
}
