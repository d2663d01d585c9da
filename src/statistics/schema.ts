import Type, { type Static } from 'typebox'

import { AreaQuery } from '../geo/area-query.ts'
import { Id, nullable, stringEnum } from '../http/schema/fields.ts'
import { ListIssuesQuery, OrganizationParameter } from '../issues/list/query.ts'
import { text } from '../locales/texts.ts'
import { intervals, YEARS_MAX } from './queries.ts'
import { COUNT_MIN } from './small-counts.ts'

const DateParameter = (description: string, example: string) =>
  Type.Optional(
    Type.String({
      format: 'date',
      pattern: '^[12]\\d{3}-',
      description,
      examples: [example],
      'x-allowed': text('date_in_address'),
    }),
  )

export const periodParameters = {
  from: DateParameter(
    'The first day, in UTC. The default is the first day of the month eleven months before `until`.',
    '2025-12-01',
  ),
  until: DateParameter(`The last day, in UTC; the default is today. A period has at most ${YEARS_MAX} years.`, '2026-11-30'),
}

export const OrganizationStatisticsQuery = Type.Object({
  ...AreaQuery.properties,
  ...periodParameters,
  request_types: ListIssuesQuery.properties.request_types,
  interval: Type.Optional(
    stringEnum(intervals, {
      default: 'month',
      description:
        'The length of the intervals, in UTC. Weeks begin on Monday (ISO 8601). The first and the last interval are cut to the period.',
      examples: ['month'],
    }),
  ),
  group_by: Type.Optional(stringEnum(['type'], { description: 'Adds the numbers of each request type.', examples: ['type'] })),
})

export type OrganizationStatisticsQuery = Static<typeof OrganizationStatisticsQuery>

export const OrganizationParams = Type.Object({ id: { ...Id, examples: [1], description: 'The id of the organisation.' } })

export const StatisticsQuery = Type.Object({
  ...OrganizationStatisticsQuery.properties,
  organization_id: OrganizationParameter,
})

export const csvExample = Type.String({
  examples: [
    'part,start,end,request_type_id,…,reported,…\r\ntotal,2025-12-01,2026-11-30,,…,120,…\r\ninterval,2025-12-01,2025-12-31,,…,9,…\r\n',
  ],
})

const ShownCount = (description: string, example: number) =>
  nullable(Type.Integer({ minimum: 0, description: `${description} Null if the count is left out.` }), { examples: [example] })
const Hours = (description: string, example: number) =>
  nullable(Type.Number({ minimum: 0, description: `${description} Null for fewer than ${COUNT_MIN} issues.` }), {
    examples: [example],
  })

const Share = (description: string, example: number) =>
  nullable(Type.Number({ minimum: 0, maximum: 1, description: `${description} Null for fewer than ${COUNT_MIN}.` }), {
    examples: [example],
  })

const numbers = {
  reported: ShownCount('Reports.', 120),
  acknowledged: ShownCount('Acknowledgements.', 88),
  closed: ShownCount('Closings. An issue that is closed again counts again.', 97),
  reopened: ShownCount('Closed issues that were opened again.', 7),
  median_acknowledge_hours: Hours('The median of the hours from a report to its acknowledgement.', 20.5),
  p90_acknowledge_hours: Hours('The 90th percentile of these hours.', 71.2),
  median_close_hours: Hours('The median of the hours from a report to its closing.', 120.4),
  p90_close_hours: Hours('The 90th percentile of these hours.', 480.9),
  acknowledged_in_time_share: Share('The share of acknowledgements in time, of those with a target.', 0.83),
  closed_in_time_share: Share('The share of closings in time, of those with a target.', 0.74),
  confirmed_share: Share(
    'The share of closings that residents confirmed, of those that residents answered: more than half of them say that the problem is fixed.',
    0.9,
  ),
}

const openAtEnd = { open_at_end: ShownCount('Open and acknowledged issues at the end.', 251) }
const dates = {
  start: Type.String({ format: 'date', description: 'The first day.', examples: ['2025-12-01'] }),
  end: Type.String({ format: 'date', description: 'The last day.', examples: ['2025-12-31'] }),
}

const closedBy = (description: string) => ShownCount(description, 12)
const ClosedByOutcome = Type.Object(
  {
    fixed: closedBy('The problem was fixed.'),
    duplicate: closedBy('Another issue is about the same problem.'),
    passed_on: closedBy('It was passed on to another organisation.'),
    not_ours: closedBy('The organisation is not responsible.'),
    cannot_fix: closedBy('It cannot be fixed.'),
    not_found: closedBy('Nothing was found at the place.'),
    reported_fixed: closedBy('A resident said that it is fixed.'),
    unknown: closedBy('The outcome was not given, or the issue was closed again later.'),
  },
  { title: 'ClosedByOutcome' },
)

export const Totals = Type.Object(
  {
    open_at_start: ShownCount('Open and acknowledged issues at the start.', 230),
    ...openAtEnd,
    ...numbers,
    closed_by_outcome: ClosedByOutcome,
  },
  { title: 'StatisticsTotals' },
)
export type Totals = Static<typeof Totals>

export const IntervalNumbers = Type.Object({ ...dates, ...openAtEnd, ...numbers }, { title: 'StatisticsInterval' })
export type IntervalNumbers = Static<typeof IntervalNumbers>

export const TypeNumbers = Type.Object(
  {
    id: nullable(Type.Integer({ description: 'The id of the request type; null for issues without one.' }), { examples: [1] }),
    title: Type.String({ examples: ['Pothole'] }),
    organization: nullable(Type.String({ description: 'The organisation of the type; null for a community type.' }), {
      examples: ['Denver Public Works'],
    }),
    ...openAtEnd,
    ...numbers,
  },
  { title: 'StatisticsType' },
)
export type TypeNumbers = Static<typeof TypeNumbers>

export const Statistics = Type.Object(
  {
    metadata: Type.Object({
      from: dates.start,
      until: dates.end,
      interval: stringEnum(intervals, { examples: ['month'] }),
      time_zone: Type.String({ description: 'The time zone in which days begin.', examples: ['UTC'] }),
      smallest_count: Type.Integer({
        description: 'Smaller counts, except 0, are left out, and so are other counts from which they would follow.',
        examples: [COUNT_MIN],
      }),
    }),
    total: Totals,
    intervals: Type.Array(IntervalNumbers, { description: 'The whole period, in order.' }),
    types: Type.Array(TypeNumbers, { description: 'With `group_by=type`, the type with most reports first; otherwise empty.' }),
    errors: Type.Object({}, { description: 'Empty on success.' }),
  },
  { title: 'Statistics' },
)
export type Statistics = Static<typeof Statistics>
