import { numberLocale } from '../../../html/format.ts'
import { validationErrorsFrom } from '../../../html/form.ts'
import { html, type SafeHtml } from '../../../html/template.ts'
import { addWorkingTime, type Calendar as WorkingHours, weekdays } from '../../../staff/targets/calendar.ts'
import { readCalendar, addCalendar, changeCalendar, deleteCalendar, listCalendars } from '../../../staff/targets/calendars.ts'
import {
  type CalendarInput,
  type Calendar,
  CalendarChange,
  TargetRuleChange,
  type TargetRule,
} from '../../../staff/targets/schema.ts'
import { type PartContext, type FormField, type Part, ofContent, typeChoices } from './part.ts'
import { addRule, changeRule, deleteRule, listRules } from '../../../staff/targets/rules.ts'
import { inLanguage } from '../../../html/page.ts'

interface Example {
  /** Null if all hours count. */
  readonly calendar: Required<CalendarInput> | null
  readonly acknowledge: number | null
  readonly close: number | null
}

const HOUR_MS = 3_600_000
const FRIDAY = 5

/** Returns when a report of the next Friday at 16:00 is late; a hint without valid values. */
function targetExample(context: PartContext, example: Example | undefined): SafeHtml {
  const { texts } = context
  const heading = html`<h2>${texts('manage.targets.example')}</h2>`
  const calendar = example?.calendar ? validCalendar(example.calendar) : null
  const hint = html`${heading}<p class="quiet">${texts('manage.targets.exampleHint')}</p>`
  if (!example || calendar === undefined) return hint
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
  if (steps.length === 0) return hint
  return html`${heading}<p>${texts('manage.targets.exampleStart', { time: format.format(start) })}</p><ul>${steps}</ul>`
}

function validCalendar(input: Required<CalendarInput>): WorkingHours | undefined {
  try {
    return readCalendar(input)
  } catch (error) {
    validationErrorsFrom(error)
    return undefined
  }
}

interface TargetRow extends TargetRule {
  readonly type: string | undefined
  readonly calendar: string | undefined
}

const targetRows = ofContent<TargetRule>({ list: listRules, add: addRule, change: changeRule, remove: deleteRule })
const calendarRows = ofContent<Calendar>({ list: listCalendars, add: addCalendar, change: changeCalendar, remove: deleteCalendar })

export const targets: Part<TargetRow> = {
  ...targetRows,
  ...{ name: 'targets', path: 'targets', schema: TargetRuleChange },
  list: async (context) => {
    const [stored, types, calendars] = [
      await targetRows.list(context),
      await typeChoices(context),
      await calendarRows.list(context),
    ]
    return stored.map((row) => ({
      ...row,
      type: types.find(({ key }) => key === String(row.request_type_id))?.name,
      calendar: calendars.find(({ id }) => id === row.calendar_id)?.name,
    }))
  },
  describe: ({ request_type_id, type, acknowledge_hours, close_hours, calendar }, { texts, organization }) => {
    const hours = [
      acknowledge_hours === null ? [] : texts('manage.targets.acknowledgeIn', { hours: acknowledge_hours }),
      close_hours === null ? [] : texts('manage.targets.closeIn', { hours: close_hours }),
      calendar ?? texts('manage.targets.allHours'),
    ]
    const named = inLanguage(type ?? `#${request_type_id}`, organization.language, texts.language)
    const title = request_type_id === null ? texts('manage.targets.allTypes') : named
    return { title, details: hours.flat().join(' · ') }
  },
  fields: async (context, item) => {
    const { texts } = context
    const calendars = await calendarRows.list(context)
    const types = await typeChoices(context, item?.request_type_id ? [item.request_type_id] : [])
    const hours = (step: 'acknowledge' | 'close'): FormField => ({
      ...{ path: `${step}_hours`, kind: 'number', label: texts(`manage.targets.${step}`), isNullable: true },
    })
    return [
      {
        ...{ path: 'request_type_id', kind: 'id', label: texts('manage.targets.type'), isNullable: true, required: true },
        choices: [{ key: '', name: texts('manage.targets.allTypes') }, ...types],
      },
      hours('acknowledge'),
      hours('close'),
      {
        ...{ path: 'calendar_id', kind: 'id', label: texts('manage.targets.calendar'), isNullable: true, required: true },
        choices: [
          { key: '', name: texts('manage.targets.allHours') },
          ...calendars.map(({ id, name }) => ({ key: String(id), name })),
        ],
      },
    ]
  },
  preview: async (context, { body, isValid }) => {
    const calendar = (await calendarRows.list(context)).find(({ id }) => id === body['calendar_id'])
    const { acknowledge_hours: acknowledge, close_hours: close } = body as {
      acknowledge_hours: number | null
      close_hours: number | null
    }
    return targetExample(context, isValid ? { calendar: calendar ?? null, acknowledge, close } : undefined)
  },
}

/** A calendar of the example has a target of so many hours. */
const EXAMPLE_HOURS = 8

export const calendars: Part<Calendar> = {
  ...calendarRows,
  ...{ name: 'calendars', path: 'calendars', schema: CalendarChange },
  describe: ({ name, time_zone }) => ({ title: name, details: time_zone }),
  fields: ({ texts }) => {
    const day = new Intl.DateTimeFormat(numberLocale(texts), { weekday: 'long', timeZone: 'UTC' })
    return Promise.resolve([
      { path: 'name', kind: 'line', label: texts('manage.calendars.name'), required: true, maxlength: 100 },
      {
        ...{ path: 'time_zone', kind: 'line', label: texts('manage.calendars.zone'), hint: texts('manage.calendars.zoneHint') },
        ...{ required: true, suggestions: Intl.supportedValuesOf('timeZone') },
      },
      ...weekdays.map((weekday, index): FormField => {
        const name = day.format(new Date(Date.UTC(2024, 0, index + 1)))
        const label = `${name[0]?.toUpperCase()}${name.slice(1)}`
        return {
          path: `weekly_hours.${weekday}`,
          kind: 'commas',
          label,
          ...(index === 0 ? { hint: texts('manage.calendars.hoursHint') } : {}),
        }
      }),
      { path: 'holidays', kind: 'lines', label: texts('manage.calendars.holidays'), hint: texts('manage.calendars.holidaysHint') },
    ])
  },
  preview: (context: PartContext, { body, isValid }) =>
    Promise.resolve(
      targetExample(
        context,
        isValid ? { calendar: body as Required<CalendarInput>, acknowledge: null, close: EXAMPLE_HOURS } : undefined,
      ),
    ),
}
