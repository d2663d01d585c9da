import type { Queryable } from '../database/database.ts'
import type { Area } from '../geo/area.ts'
import { toTimestamp } from '../http/schema/fields.ts'
import type { Frequency } from './digest-times.ts'
import { DAYS, forecast, mailsByWeek, PROBABILITY } from './forecast.ts'
import { countEvents } from './forecast-queries.ts'
import type { MailForecast } from './forecast-schema.ts'
import type { About } from './schema.ts'

const DAY_MS = 86_400_000

/** Returns mails per week and the interval of four of five weeks. Own events of watchers count, so all callers see the same. */
export async function forecastMails(
  db: Queryable,
  area: Area,
  { frequency, about }: { readonly frequency: Frequency; readonly about: About },
  now: Date,
): Promise<MailForecast> {
  const counts = await countEvents(db, area, { now, days: DAYS })
  const days = Array.from({ length: DAYS }, () => 0)
  const totals = { new: 0, updates: 0 }
  for (const { kind, days_ago, events } of counts) {
    totals[kind] += events
    if (about === 'all' || about === kind) days[DAYS - 1 - days_ago] = (days[DAYS - 1 - days_ago] ?? 0) + events
  }
  const { expected, low, high } = forecast(days, frequency)
  return {
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
}
