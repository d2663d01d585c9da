import type { FastifyRequest } from 'fastify'

import { text } from '../../errors/texts/text.ts'
import type { AreaLookup } from '../../geo/area-query.ts'
import { badParameter } from '../../gis/ogc/bad-request.ts'
import type { Collection, Context, Selection } from '../collections/collection.ts'
import type { Crs } from '../../gis/crs/crs.ts'
import type { Condition } from '../../gis/cql2/ast.ts'
import { FilterError } from '../../gis/cql2/error.ts'
import { CHEAP_NS, filterCost_ns, WORK_MAX_NS } from '../../gis/cql2/filter-cost.ts'
import { filterLanguages, parseFilterText, toPredicate } from '../../gis/cql2/parse.ts'
import {
  readBox,
  readCrs,
  readCursor,
  readLimit,
  readOrder,
  readProperties,
  readPropertyConditions,
  readTime,
} from './items-request.ts'

type Parameters = ReadonlyMap<string, string>

/**
 * Returns what the parameters of a request for items select.
 * @throws Problem 400 for an invalid parameter, 422 for an invalid area or unknown ids
 */
export async function readSelection(
  request: FastifyRequest,
  parameters: Parameters,
  collection: Collection,
  { reader, areas }: Pick<Context, 'reader'> & { readonly areas: AreaLookup },
): Promise<Selection> {
  const order = readOrder(parameters, collection)
  const condition = readFilter(parameters)
  const own = {
    box: readBox(parameters),
    order,
    position: readCursor(parameters, order),
    limit: readLimit(parameters),
    properties: readProperties(parameters, collection),
  }
  const time = readTime(parameters, collection)
  const properties = readPropertyConditions(parameters, collection)
  const filterCrs = readCrs(parameters, 'filter-crs')
  const predicate = condition && (await compile(condition, collection, filterCrs, areas))
  const filter = await collection.readFilter?.({ reader, areas, viewer: request.viewer }, request.query)
  const selected = { ...own, filter }
  const cost_ns = condition ? filterCost_ns(condition, collection.row) : 0
  const isCostly = cost_ns > CHEAP_NS
  if (isCostly) limitWork(cost_ns, await collection.countRows({ reader }, selected))
  return {
    ...selected,
    isCostly,
    conditions: [...(time ? [time] : []), ...properties, ...(predicate ? [predicate] : [])],
  }
}

/** @throws Problem 400 */
function limitWork(cost_ns: number, rows: number): void {
  if (cost_ns * rows > WORK_MAX_NS)
    throw badParameter('filter', text('filter_too_costly', { rows, max: Math.floor(WORK_MAX_NS / cost_ns) }))
}

function readFilter(parameters: Parameters): Condition | undefined {
  const filter = parameters.get('filter')
  const name = parameters.get('filter-lang') ?? 'cql2-text'
  const language = filterLanguages.find((known) => known === name)
  if (!language)
    throw badParameter('filter-lang', text('must_be', { allowed: text('one_of', { values: filterLanguages.join(', ') }) }))
  if (filter === undefined) return undefined
  return withFilterErrors(() => parseFilterText(filter, language))
}

const compile = (condition: Condition, collection: Collection, crs: Crs, areas: AreaLookup) =>
  toPredicate(condition, collection.row, crs, areas).catch((error: unknown) => {
    throw toFilterProblem(error)
  })

function withFilterErrors<Result>(parse: () => Result): Result {
  try {
    return parse()
  } catch (error) {
    throw toFilterProblem(error)
  }
}

const toFilterProblem = (error: unknown) => (error instanceof FilterError ? badParameter('filter', error.text) : error)
