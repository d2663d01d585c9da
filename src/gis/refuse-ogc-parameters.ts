import type { FastifyInstance, FastifyRequest } from 'fastify'

import { text } from '../locales/texts.ts'
import { problems } from '../errors/problems.ts'
import { hasParameter, queryParameters } from '../http/lists/pagination.ts'
import { syncHook } from '../http/request/hooks.ts'
import { historyRow } from './history-row.ts'
import { issueRow } from './issue-row.ts'
import { itemParameters } from './ogc/parameters.ts'
import { FilterQuery } from './query.ts'

const ogcNames = new Set([
  ...itemParameters,
  ...Object.keys(FilterQuery.properties),
  ...issueRow.queryables.keys(),
  ...historyRow.queryables.keys(),
])

/**
 * Refuses parameters of the items of `/ogc` in operations without them: they would select there, and an operation that ignores them would
 * return more than the caller asked for.
 */
export function addRefusalOfOgcParameters(app: FastifyInstance): void {
  app.addHook('preHandler', syncHook(refuseOgcParameters))
}

/** @throws Problem 422 for parameters of the items of `/ogc` that the operation does not have */
export function refuseOgcParameters(request: FastifyRequest): void {
  const { own } = request.routeOptions.config.parameters ?? {}
  if (!own) return
  const parameters = queryParameters(request)
  const refused = [...new Set(parameters.keys())].filter((name) => {
    const meant = name.replace(/\[\]$/, '')
    return ogcNames.has(meant) && !own.includes(meant) && hasParameter(parameters, name)
  })
  if (refused.length > 0) throw problems.invalid(Object.fromEntries(refused.map((name) => [name, text('parameter_of_ogc')])))
}
