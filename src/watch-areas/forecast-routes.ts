import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { Static } from 'typebox'

import { limitConcurrency } from '../http/request/request-limit.ts'
import { addClientLimits } from '../http/rate-limit/client-limits.ts'
import { failsWith } from '../http/schema/fields.ts'
import type { Services } from '../services.ts'
import { toArea, readWatchedArea } from './area-input.ts'
import { forecastMails, ForecastBody, ForecastQuery, MailForecast } from './forecast-mails.ts'
import { tagRoutes } from '../http/openapi/describe-operations.ts'

/** A large polygon may use a core for a second, so each client has limits. */
const SHARE = { concurrency: 1, queueMax: 20, waitMaxMs: 10_000, rateFactor: 1, networkConcurrency: 2 }
const FORECASTS = { concurrency: 4, queueMax: 50, waitMaxMs: 5_000 }

const description =
  'Takes an area like `POST /watchers`, saves nothing and requires no account. Returns the expected number of mails per week and the interval for four of five weeks, computed from the events of the last 90 days.'

export const forecastRoutes: FastifyPluginAsyncTypebox<Services> = async (app, { db, areas, clock, config }) => {
  tagRoutes(app, 'Watch areas')
  addClientLimits(app, config, SHARE)
  const limitForecasts = limitConcurrency(FORECASTS)

  app.get(
    '/watchers/forecast',
    {
      schema: {
        operationId: 'forecastMails',
        summary: 'Forecast the number of mails for an area',
        description,
        querystring: ForecastQuery,
        response: { 200: MailForecast, ...failsWith(422) },
      },
    },
    async ({ query }) => createForecast(query),
  )

  app.post(
    '/watchers/forecast',
    {
      config: { idempotency: false },
      schema: {
        operationId: 'forecastMailsOfBody',
        summary: 'Forecast the number of mails for a large area',
        description: `The same as \`GET /watchers/forecast\`, for polygons that are too long for a URL. ${description}`,
        body: ForecastBody,
        response: { 200: MailForecast, ...failsWith(400, 413, 415, 422) },
      },
    },
    async ({ body }) => createForecast(body),
  )

  function createForecast(input: Static<typeof ForecastBody>): Promise<MailForecast> {
    const { frequency = 'instant', about = 'all' } = input
    return limitForecasts(async () => {
      const watched = await readWatchedArea(input, areas)
      return forecastMails(db.reader, toArea(watched), { frequency, about }, clock())
    })
  }
}
