import type { Queryable } from '../database/database.ts'
import type { Area } from '../geo/area.ts'
import { toTimestamp } from '../http/schema/fields.ts'
import type { Frequency } from './digest-times.ts'
import type { Interval } from './count-distributions.ts'
import { DAYS, digestContents, forecast, mailsByWeek, PROBABILITY } from './forecast.ts'
import { countEvents } from './forecast-queries.ts'
import type { MailForecast } from './forecast-schema.ts'
import type { About } from './schema.ts'

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
