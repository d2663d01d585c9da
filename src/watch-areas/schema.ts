import Type, { type Static } from 'typebox'

import { listResponse, PageQuery } from '../http/lists/pagination.ts'
import { LOCALE } from '../http/errors/text-language.ts'
import { Id, nullable, stringEnum, Timestamp, urlLike } from '../http/schema/fields.ts'
import { text } from '../locales/texts.ts'
import { watchedAreaProperties } from './area-input.ts'

export const frequencies = ['instant', 'daily', 'weekly', 'never'] as const
export type Frequency = (typeof frequencies)[number]

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
const DUE_HOUR = 7
const HOURS_PER_DAY = 24
/** Unix time starts on a Thursday. */
const FIRST_MONDAY_MS = 4 * DAY_MS

/**
 * Returns the next 07:00 of mean solar time strictly after `at`, on a Monday if it is weekly, or null if the frequency has no
 * digests. Solar time needs no time zones and differs from local time by an hour or two.
 * @param lng of the centre of the area, in degrees
 */
export function nextDigestAt({ frequency, at, lng }: { frequency: Frequency; at: Date; lng: number }): Date | null {
  if (frequency !== 'daily' && frequency !== 'weekly') return null
  const solarOffset_ms = Math.round((lng / 360) * HOURS_PER_DAY * HOUR_MS)
  const first = DUE_HOUR * HOUR_MS - solarOffset_ms + (frequency === 'weekly' ? FIRST_MONDAY_MS : 0)
  const period = frequency === 'weekly' ? 7 * DAY_MS : DAY_MS
  return new Date(first + (Math.floor((at.getTime() - first) / period) + 1) * period)
}

export const watchTopics = ['new', 'updates', 'all'] as const
export type About = (typeof watchTopics)[number]

export const NAME_MAX = 100

const settings = {
  name: Type.Optional(
    nullable(
      Type.String({
        maxLength: NAME_MAX,
        description: 'Your name of the area. Mails show it.',
        examples: ['Around the school'],
      }),
    ),
  ),
  frequency: Type.Optional(
    stringEnum(frequencies, {
      description: 'Frequency of the mails: one for each event, one a day, one a week, or none.',
      examples: ['daily'],
    }),
  ),
  about: Type.Optional(
    stringEnum(watchTopics, { description: 'Events that send mails: new issues, updates of issues, or both.', examples: ['new'] }),
  ),
  locale: Type.Optional(
    Type.String({
      pattern: LOCALE,
      description: 'The language of the mails.',
      examples: ['en'],
      'x-allowed': text('language_tag'),
    }),
  ),
}

/** A body has one form of an area. */
const AREA_EXAMPLE = { lat: 39.7392, lng: -104.9903, radius: 500, name: 'Around the school', frequency: 'daily' }

export const NewWatchArea = Type.Object(
  { ...watchedAreaProperties, ...settings },
  { title: 'NewWatchArea', examples: [AREA_EXAMPLE] },
)
export type NewWatchArea = Static<typeof NewWatchArea>
export const WatchAreaChange = Type.Object(
  { ...watchedAreaProperties, ...settings },
  { title: 'WatchAreaChange', examples: [{ name: 'Around the school', frequency: 'weekly' }] },
)

const coordinates = Type.Unsafe<unknown[]>({
  type: 'array',
  items: {},
  examples: [
    [
      [
        [-105.007, 39.737],
        [-104.98, 39.737],
        [-104.98, 39.76],
        [-105.007, 39.737],
      ],
    ],
  ],
})

/** The `coordinates` are serialized JSON that is inserted unchanged. */
export const Shape = Type.Object(
  { type: stringEnum(['Polygon', 'MultiPolygon'], { examples: ['Polygon'] }), coordinates },
  { title: 'Shape', description: 'A GeoJSON Polygon or MultiPolygon.' },
)
export type Shape = Static<typeof Shape>

const Circle = Type.Object(
  {
    lat: Type.Number({ examples: [39.7392] }),
    lng: Type.Number({ examples: [-104.9903] }),
    radius: Type.Number({ description: 'Metres.', examples: [500] }),
  },
  { title: 'Circle' },
)
const Corners = Type.Object(
  {
    min_lat: Type.Number({ examples: [39.72] }),
    min_lng: Type.Number({ examples: [-105.02] }),
    max_lat: Type.Number({ examples: [39.76] }),
    max_lng: Type.Number({ examples: [-104.96] }),
  },
  { title: 'Corners' },
)

export const WatchArea = Type.Object(
  {
    id: { ...Id, examples: [12] },
    watcher_token: Type.String({
      description: 'Gives everyone who has it access to this area in lists and feeds, until it is replaced or the area is deleted.',
      examples: ['3sT0Yy0f7CwqJ1m8'],
    }),
    name: nullable(Type.String({ examples: ['Around the school'] })),
    kind: stringEnum(['polygon', 'circle', 'box', 'place'], {
      description: 'The form in which the area was requested.',
      examples: ['polygon'],
    }),
    area: Shape,
    area_simplified: Type.Boolean({
      description: 'Whether `area` is simplified because it has many corners. Lists simplify more.',
      examples: [false],
    }),
    circle: Type.Unsafe<Static<typeof Circle> | null>({ ...Circle, type: ['object', 'null'] }),
    box: Type.Unsafe<Static<typeof Corners> | null>({ ...Corners, type: ['object', 'null'] }),
    place_url: nullable(Type.String({ examples: ['denver'] })),
    frequency: stringEnum(frequencies, { examples: ['daily'] }),
    about: stringEnum(watchTopics, { examples: ['new'] }),
    locale: Type.String({ examples: ['en'] }),
    created_at: Timestamp,
    updated_at: Timestamp,
    url: urlLike('/api/v2/watchers/12'),
    issues_url: urlLike('/api/v2/issues?watcher_token=3sT0Yy0f7CwqJ1m8'),
    atom_url: urlLike('/feeds/issues.atom?watcher_token=3sT0Yy0f7CwqJ1m8'),
    geojson_url: urlLike('/feeds/issues.geojson?watcher_token=3sT0Yy0f7CwqJ1m8'),
  },
  { title: 'WatchArea' },
)
export type WatchArea = Static<typeof WatchArea>

export const WatchAreaList = listResponse('watchers', WatchArea)
export const ListWatchAreasQuery = PageQuery
export const WatchAreaParams = Type.Object({ id: { ...Id, examples: [12], description: 'The id of one of your watch areas.' } })
