import type { FastifyContextConfig, FastifyRequest } from 'fastify'

import { text, type Text } from '../../locales/texts.ts'
import { problems } from '../../errors/problems.ts'
import { queryParameters } from '../../http/lists/pagination.ts'
import { idMax } from '../../http/schema/fields.ts'

export type Parameters = ReadonlyMap<string, string>

/** Parameters that any request may have: credentials of either kind, and the organisation. */
const common = ['jurisdiction_id', 'api_key', 'access_token', 'format']

export const invalidParameter = (name: string, reason: Text) => problems.invalid({ [name]: reason })

/** Ids and service codes are texts in GeoReport v2. */
export const isId = (value: string): boolean => /^[1-9]\d{0,9}$/.test(value) && Number(value) <= idMax

export const mustBe = (name: string, allowed: Text) => invalidParameter(name, text('must_be', { allowed }))

/**
 * Lets `refuseMisspeltParameters` refuse names that are close to one of these. Other unknown parameters are ignored.
 * @param lists names of lists, which may also be written as `name[]`
 */
export function knownParameters(names: readonly string[], lists: readonly string[] = []): FastifyContextConfig {
  const own = [...common, ...names]
  return { parameters: { own, allNames: new Set([...own, ...lists.map((name) => `${name}[]`)]) } }
}

/**
 * Returns the parameters of a request by name, without empty ones, which count as absent (GeoReport v2, Optional Arguments). The values of a
 * repeated list are joined by commas.
 * @throws Problem 422 for a repeated parameter that is no list, and for text that cannot be stored
 */
export function readParameters(request: FastifyRequest, lists: readonly string[] = []): Parameters {
  const { own = common } = request.routeOptions.config.parameters ?? {}
  const values = new Map<string, string>()
  for (const [written, untrimmed] of queryParameters(request)) {
    const name = lists.find((list) => written === `${list}[]`) ?? written
    const value = untrimmed.trim()
    if (!own.includes(name) || value === '') continue
    if (value.includes('\0')) throw invalidParameter(name, text('has_nul'))
    if (!value.isWellFormed()) throw invalidParameter(name, text('has_unpaired_surrogate'))
    const before = values.get(name)
    if (before !== undefined && !lists.includes(name)) throw invalidParameter(name, text('given_repeatedly'))
    values.set(name, before === undefined ? value : `${before},${value}`)
  }
  return values
}

/** Returns the different values of a comma-separated list. @throws Problem 422 if there are more than `max` */
export function readList(parameters: Parameters, name: string, { max, allowed }: { max: number; allowed: Text }) {
  const value = parameters.get(name)
  if (value === undefined) return undefined
  const items = value
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '')
  const values = [...new Set(items)]
  if (values.length > max || values.length === 0) throw mustBe(name, allowed)
  return values
}

export function readInteger(parameters: Parameters, name: string, { min = 1, max }: { min?: number; max: number }) {
  const value = parameters.get(name)
  if (value === undefined) return undefined
  const number = /^\d{1,10}$/.test(value) ? Number(value) : NaN
  if (number >= min && number <= max) return number
  throw mustBe(name, text('integer_between', { min, max }))
}

export function readBoolean(parameters: Parameters, name: string): boolean {
  const value = parameters.get(name)?.toLowerCase() ?? 'false'
  if (value !== 'true' && value !== 'false') throw mustBe(name, text('true_or_false'))
  return value === 'true'
}
