import { setTimeout as wait } from 'node:timers/promises'

import { type Language, textsIn } from '../../locales/texts.ts'
import type { Queryable } from '../../database/database.ts'
import type { Area } from '../../geo/area.ts'
import { limitConcurrency } from '../../http/request/concurrency-limit.ts'
import type { Frequency } from '../../watch-areas/digest-times.ts'
import { forecastWithContents } from '../../watch-areas/forecast-mails.ts'
import type { About } from '../../watch-areas/schema.ts'
import { describeForecast } from './describe-watch.ts'

/** A large polygon may use a core for a second, and every change of a drawn area asks again. */
const LIMITS = { concurrency: 2, queueMax: 20, waitMaxMs: 5_000 }
const TIME_MAX_MS = 3_000

export interface ForecastRequest {
  readonly area: Area
  readonly frequency: Frequency
  readonly about: About
}

export type DescribeForecast = (request: ForecastRequest, language: Language, timeMaxMs?: number) => Promise<string>

/** Returns a function that describes the forecast of an area, or says that it takes too long. */
export function boundedForecasts(db: Queryable, clock: () => Date): DescribeForecast {
  const limit = limitConcurrency(LIMITS)
  return async ({ area, ...settings }, language, timeMaxMs = TIME_MAX_MS) => {
    const timer = new AbortController()
    const late = wait(timeMaxMs, undefined, { signal: timer.signal }).catch(() => undefined)
    try {
      const work = limit(() => forecastWithContents(db, area, settings, clock()))
      // The result of a late forecast, or its failure, is not used.
      work.catch(() => undefined)
      const forecast = await Promise.race([work, late])
      return forecast ? describeForecast(forecast, textsIn(language)) : textsIn(language)('forecast.tooSlow')
    } finally {
      timer.abort()
    }
  }
}
