import Type, { type Static } from 'typebox'

import type { Queryable } from '../database/database.ts'
import type { Area } from '../geo/area.ts'
import { stringEnum, Timestamp, toTimestamp } from '../http/schema/fields.ts'
import { text } from '../locales/texts.ts'
import { watchedAreaProperties } from './area-input.ts'
import { countEvents } from './forecast-queries.ts'
import { DAYS, PROBABILITY, type Interval, digestContents, forecast, mailsByWeek } from './forecast.ts'
import { frequencies, type Frequency, watchTopics, type About } from './schema.ts'

const settings = {
  frequency: Type.Optional(
    stringEnum(frequencies, {
      default: 'instant',
      description: 'Frequency of the mails: one for each event, one a day, one a week, or none.',
      examples: ['daily'],
    }),
  ),
  about: Type.Optional(
    stringEnum(watchTopics, {
      default: 'all',
      description: 'Events that send mails: new issues, updates of issues, or both.',
      examples: ['new'],
    }),
  ),
}

const { area: _area, ...others } = watchedAreaProperties

/** Query strings carry text only, and URLs are limited to about 8,000 characters. */
export const ForecastQuery = Type.Object({
  ...others,
  area: Type.Optional(
    Type.String({
      description:
        'A GeoJSON Polygon or MultiPolygon (RFC 7946) as JSON text. Send polygons that are too long for a URL in the body of a POST.',
      examples: ['{"type":"Polygon","coordinates":[[[-105.007,39.737],[-104.98,39.737],[-104.98,39.76],[-105.007,39.737]]]}'],
      'x-allowed': text('geojson_polygon'),
    }),
  ),
  ...settings,
})
export const ForecastBody = Type.Object(
  { ...watchedAreaProperties, ...settings },
  { title: 'ForecastRequest', examples: [{ lat: 39.7392, lng: -104.9903, radius: 500 }] },
)

const Count = Type.Integer({ minimum: 0, examples: [4] })

export const MailForecast = Type.Object(
  {
    mails_per_week: Type.Object({
      expected: Type.Number({
        description:
          'The mean, rounded to a tenth. It can be greater than `high` if a few weeks have many events and most weeks have none.',
        examples: [4.3],
      }),
      low: Type.Integer({ minimum: 0, description: 'The lower bound of the interval.', examples: [2] }),
      high: Type.Integer({ minimum: 0, description: 'The upper bound of the interval.', examples: [6] }),
      probability: Type.Number({
        description:
          'The probability that the number of the next seven days is between `low` and `high`, bounds included, as precisely as whole numbers allow.',
        examples: [PROBABILITY],
      }),
    }),
    frequency: stringEnum(frequencies, { examples: ['instant'] }),
    about: stringEnum(watchTopics, { examples: ['all'] }),
    based_on: Type.Object({
      days: Type.Integer({ examples: [DAYS] }),
      from: { ...Timestamp, examples: ['2026-08-22T09:30:00Z'] },
      to: Timestamp,
      new_issues: { ...Count, description: 'New issues of these days, for every value of `about`.', examples: [31] },
      updates: { ...Count, description: 'Comments and status changes of these days, for every value of `about`.', examples: [24] },
      weeks: Type.Array(Count, {
        description: 'The number of mails for each whole week of these days, the latest last.',
        examples: [[3, 5, 4, 2, 6, 4, 5, 3, 4, 7, 3, 4]],
      }),
    }),
  },
  { title: 'MailForecast' },
)
export type MailForecast = Static<typeof MailForecast>

const DAY_MS = 86_400_000

interface MailSettings {
  readonly frequency: Frequency
  readonly about: About
}

/** Returns mails per week and the interval of four of five weeks. Own events of watchers count, so all callers see the same. */
export async function forecastMails(db: Queryable, area: Area, settings: MailSettings, now: Date): Promise<MailForecast> {
  return (await forecastWithContents(db, area, settings, now)).mails
}

export interface DetailedForecast {
  readonly mails: MailForecast
  /** The number of events in four of five digests of the past, empty days included; undefined without digests. */
  readonly contents: Interval | undefined
}

/** Returns the forecast of mails, and how much the digests of the same days would have held. */
export async function forecastWithContents(
  db: Queryable,
  area: Area,
  { frequency, about }: MailSettings,
  now: Date,
): Promise<DetailedForecast> {
  const counts = await countEvents(db, area, { now, days: DAYS })
  const days = Array.from({ length: DAYS }, () => 0)
  const totals = { new: 0, updates: 0 }
  for (const { kind, days_ago, events } of counts) {
    totals[kind] += events
    if (about === 'all' || about === kind) days[DAYS - 1 - days_ago] = (days[DAYS - 1 - days_ago] ?? 0) + events
  }
  const { expected, low, high } = forecast(days, frequency)
  const mails = {
    mails_per_week: { expected: Math.round(expected * 10) / 10, low, high, probability: PROBABILITY },
    frequency,
    about,
    based_on: {
      days: DAYS,
      from: toTimestamp(new Date(now.getTime() - DAYS * DAY_MS).toISOString()),
      to: toTimestamp(now.toISOString()),
      new_issues: totals.new,
      updates: totals.updates,
      weeks: mailsByWeek(days, frequency),
    },
  }
  return { mails, contents: digestContents(days, frequency) }
}
