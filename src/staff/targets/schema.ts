import Type, { type Static } from 'typebox'

import { Id, idMax, nullable, NullableTimestamp, stringEnum, visibleText } from '../../http/schema/fields.ts'
import { text } from '../../locales/texts.ts'
import { weekdays } from './calendar.ts'
import { lateKinds } from './conditions.ts'

export const CALENDARS_MAX = 20
export const RULES_MAX = 500
const NAME_MAX = 100
const HOLIDAYS_MAX = 1_000
const SPANS_MAX = 6
/** A year. */
const HOURS_MAX = 8_784

const Span = Type.String({ pattern: '^([01]\\d|2[0-3]):[0-5]\\d-(([01]\\d|2[0-3]):[0-5]\\d|24:00)$', examples: ['08:00-12:00'] })
const weeklyHours = Type.Object(
  Object.fromEntries(weekdays.map((weekday) => [weekday, Type.Optional(Type.Array(Span, { maxItems: SPANS_MAX }))])),
  { additionalProperties: false },
)
export type WeeklySpans = Readonly<Partial<Record<(typeof weekdays)[number], readonly string[]>>>
const WeeklyHours = Type.Unsafe<WeeklySpans>({
  ...weeklyHours,
  description: `Local times of each weekday, at most ${SPANS_MAX} spans a day. A day that is left out has no working hours.`,
  'x-allowed': text('weekly_hours'),
  examples: [{ monday: ['08:00-12:00', '13:00-17:00'], friday: ['08:00-12:00'] }],
})

const calendarFields = {
  name: visibleText(NAME_MAX, {
    examples: ['City hall'],
  }),
  time_zone: Type.String({
    maxLength: 64,
    description: 'A name of the IANA time zone database.',
    'x-allowed': text('time_zone'),
    examples: ['America/Denver'],
  }),
  weekly_hours: WeeklyHours,
  holidays: Type.Array(Type.String({ pattern: '^\\d{4}-\\d\\d-\\d\\d$' }), {
    maxItems: HOLIDAYS_MAX,
    description: 'Local dates without working hours.',
    'x-allowed': text('list_of_dates', { max: HOLIDAYS_MAX }),
    examples: [['2026-12-25']],
  }),
}

export const NewCalendar = Type.Object(
  { ...calendarFields, holidays: Type.Optional(calendarFields.holidays) },
  { title: 'NewCalendar' },
)
export const CalendarChange = Type.Partial(Type.Object(calendarFields), { title: 'CalendarChange' })
export type CalendarInput = Static<typeof CalendarChange>

export const Calendar = Type.Object({ id: Id, ...calendarFields }, { title: 'Calendar' })
export type Calendar = Static<typeof Calendar>
const idOrNull = (description: string, example: number | null) =>
  nullable(Type.Integer({ minimum: 1, maximum: idMax }), {
    description,
    'x-allowed': text('id_or_null'),
    examples: [example],
  })
const hours = (what: string) =>
  nullable(Type.Integer({ minimum: 1, maximum: HOURS_MAX }), {
    description: `Working hours from the publication until it should be ${what}; null for no such target.`,
    'x-allowed': text('hours_or_null', { max: HOURS_MAX }),
    examples: [8],
  })

const ruleFields = {
  request_type_id: idOrNull('One of the request types of the organisation; null is for all that have no rule of their own.', 12),
  acknowledge_hours: hours('acknowledged'),
  close_hours: hours('closed'),
  calendar_id: idOrNull('The calendar with the working hours. All hours count without one.', 3),
}

export const TargetRuleChange = Type.Partial(Type.Object(ruleFields), {
  title: 'TargetRuleChange',
  description: 'At least one of `acknowledge_hours` and `close_hours` is not null.',
})
export type RuleInput = Static<typeof TargetRuleChange>

export const TargetRule = Type.Object({ id: Id, ...ruleFields }, { title: 'TargetRule' })
export type TargetRule = Static<typeof TargetRule>
export const REASON_MAX = 1_000

const nullableEnum = <const Values extends readonly string[]>(values: Values, options: object) =>
  Type.Unsafe<Values[number] | null>({ type: ['string', 'null'], enum: [...values, null], ...options })

/** The target of an issue in a list of staff. */
export const WorkTarget = Type.Object(
  {
    acknowledge_by: NullableTimestamp,
    close_by: NullableTimestamp,
    paused_at: { ...NullableTimestamp, description: 'Start of the present pause.' },
    reason: nullable(Type.String({ description: 'Why staff paused or moved it.', examples: ['Waiting for a part.'] })),
    due: nullableEnum(['acknowledge', 'close'], { description: 'The next step; null if none is due.', examples: ['close'] }),
    due_at: NullableTimestamp,
    state: nullableEnum(['late', 'soon', 'due', 'paused'], { examples: ['soon'] }),
  },
  { title: 'WorkTarget' },
)
export type WorkTarget = Static<typeof WorkTarget>

/** The target of one issue, in what staff see of it. */
export const IssueTarget = Type.Object(
  {
    ...WorkTarget.properties,
    paused_seconds: Type.Integer({ description: 'Working time of ended pauses.', examples: [0] }),
    is_manual: Type.Boolean({ description: 'Staff have set the times, so that a changed rule does not change them.' }),
    late: Type.Array(stringEnum(lateKinds), {
      description: 'Late to be acknowledged or closed, or due within a day.',
      examples: [['close']],
    }),
  },
  { title: 'IssueTarget' },
)
export type IssueTarget = Static<typeof IssueTarget>

const time = (what: string) =>
  Type.Optional(
    nullable(Type.String({ format: 'timestamp' }), {
      description: `The time by which it should be ${what}; null for none.`,
      'x-allowed': text('timestamp_or_null'),
      examples: ['2026-12-01T16:00:00Z'],
    }),
  )

export const TargetChange = Type.Object(
  {
    paused: Type.Optional(
      Type.Boolean({
        description: 'True stops the clock, false lets it run again.',
        examples: [true],
      }),
    ),
    acknowledge_by: time('acknowledged'),
    close_by: time('closed'),
    reason: Type.Optional(
      visibleText(REASON_MAX, {
        description: 'Required, except to end a pause.',
        examples: ['Waiting for a part.'],
      }),
    ),
  },
  { title: 'TargetChange', description: 'Either `paused`, or one or both times.' },
)
export type TargetChange = Static<typeof TargetChange>
