import Type, { type Static } from 'typebox'

import { text } from '../locales/texts.ts'
import { stringEnum, Timestamp } from '../http/schema/fields.ts'
import { watchedAreaProperties } from './area-input.ts'
import { DAYS, PROBABILITY } from './forecast.ts'
import { frequencies } from './digest-times.ts'
import { watchTopics } from './schema.ts'

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
