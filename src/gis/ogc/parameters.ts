import type { FastifyRequest } from 'fastify'
import { text } from '../../locales/texts.ts'
import { queryParameters } from '../../http/lists/pagination.ts'
import { badParameter } from './bad-request.ts'

/** Parameters of the items of every collection. */
export const itemParameters: readonly string[] = [
  ...['f', 'limit', 'offset', 'cursor', 'bbox', 'bbox-crs', 'crs', 'datetime', 'filter', 'filter-lang', 'filter-crs'],
  ...['properties', 'sortby'],
]

/** Credentials may be in any URL. */
const CREDENTIALS = 'access_token'

/** Returns the parameters of a request by name. @throws Problem 400 for unknown or repeated parameters and text that cannot be stored */
export function readParameters(
  request: FastifyRequest,
  names: readonly string[],
  lists: readonly string[] = [],
): Map<string, string> {
  const known = new Set([...names, CREDENTIALS])
  const values = new Map<string, string>()
  for (const [name, value] of queryParameters(request)) {
    const listName = lists.find((list) => name === `${list}[]`)
    const key = listName ?? name
    if (!known.has(key)) throw badParameter(name, text('parameter_unknown', { names: names.join(', ') }))
    if (value.includes('\0')) throw badParameter(name, text('has_nul'))
    if (!value.isWellFormed()) throw badParameter(name, text('has_unpaired_surrogate'))
    if (values.has(key) && !lists.includes(key)) throw badParameter(name, text('given_repeatedly'))
    values.set(key, value)
  }
  return values
}
