import type { FastifyRequest } from 'fastify'
import { text } from '../../locales/texts.ts'
import type { AreaLookup } from '../../geo/area-query.ts'
import { badParameter } from '../../gis/ogc/bad-request.ts'
import type { Collection, Context, Selection } from '../collections/collection.ts'
import { filterLanguages } from '../../gis/cql2/parse.ts'
import { readFilter, type ReadFilter } from '../../gis/cql2/read-filter.ts'
import {
  readBox,
  readCrs,
  readCursor,
  readLimit,
  readOffset,
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
  const own = {
    box: readBox(parameters),
    order,
    position: readCursor(parameters, order),
    offset: readOffset(parameters),
    limit: readLimit(parameters),
    properties: readProperties(parameters, collection),
  }
  const time = readTime(parameters, collection)
  const properties = readPropertyConditions(parameters, collection)
  const cqlFilter = await readCqlFilter(parameters, collection, areas)
  const filter = await collection.readFilter?.({ reader, areas, viewer: request.viewer }, request.query)
  const selected = { ...own, filter }
  await cqlFilter?.limitRows(() => collection.countRows({ reader }, selected))
  return {
    ...selected,
    isCostly: cqlFilter?.isCostly === true,
    conditions: [...(time ? [time] : []), ...properties, ...(cqlFilter ? [cqlFilter.predicate] : [])],
  }
}

async function readCqlFilter(parameters: Parameters, { row }: Collection, areas: AreaLookup): Promise<ReadFilter | undefined> {
  const filter = parameters.get('filter')
  const crs = readCrs(parameters, 'filter-crs')
  const name = parameters.get('filter-lang') ?? 'cql2-text'
  const language = filterLanguages.find((known) => known === name)
  if (!language)
    throw badParameter('filter-lang', text('must_be', { allowed: text('one_of', { values: filterLanguages.join(', ') }) }))
  return filter === undefined ? undefined : readFilter({ filter, language, crs }, row, areas)
}
