import type { FastifyContextConfig, FastifyRequest } from 'fastify'

import { problems } from '../../errors/problems.ts'
import type { Point } from '../../geo/shapes.ts'
import { queryParameters } from '../../http/lists/pagination.ts'
import { Upload } from '../../http/request/upload.ts'
import { idMax } from '../../http/schema/fields.ts'
import { nestFields } from '../../http/validation/bodies.ts'
import { invalidCharacterError } from '../../http/validation/validation.ts'
import { text, type Text } from '../../locales/texts.ts'

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

export interface Body {
  /** The text fields by name, trimmed and without empty ones, which count as absent. */
  readonly fields: Parameters
  /** The values of `attribute[code]` by code. */
  readonly attributes: Readonly<Record<string, unknown>>
  readonly files: readonly Upload[]
}

export interface FieldLimits {
  /** The greatest number of characters of each text field. */
  readonly max: Readonly<Record<string, number>>
  /** Fields that may be repeated. Each value is a line of the text. */
  readonly repeatable?: readonly string[]
  /** The field of files. */
  readonly files: string
}

/**
 * Returns the fields of a form or of JSON. The query may have `jurisdiction_id` too. Unknown fields are ignored.
 * @throws Problem 400 for a body that is no object, 422 with the errors of all fields
 */
export function readBody(request: FastifyRequest, { max, repeatable = [], files: filesName }: FieldLimits): Body {
  const { jurisdiction_id } = request.query as Readonly<Record<string, unknown>>
  const input = { jurisdiction_id, ...toObject(request.body) }
  const errors: Record<string, Text> = {}
  const fields = new Map<string, string>()
  for (const [name, characters] of Object.entries({ jurisdiction_id: 200, ...max })) {
    const value = input[name as keyof typeof input]
    const read = readText(repeatable.includes(name) && Array.isArray(value) ? value.join('\n') : value, characters)
    if (typeof read === 'object') errors[name] = read
    else if (read !== '') fields.set(name, read)
  }
  const { attribute } = input as { readonly attribute?: unknown }
  const attributes = isPlainObject(attribute) ? attribute : {}
  if (!isPlainObject(attribute) && !isEmpty(attribute)) errors['attribute'] = text('attributes_not_by_code')
  for (const [code, value] of Object.entries(attributes)) {
    const error = invalidCharacterError([code, value])
    if (error) errors[invalidCharacterError(code) ? 'attribute' : `attribute[${code}]`] = error
  }
  const files = listFiles(input[filesName as keyof typeof input])
  if (!files) errors[filesName] = text('must_be', { allowed: text('uploaded_file') })
  if (Object.keys(errors).length > 0) throw problems.invalid(errors)
  return { fields, attributes, files: files ?? [] }
}

function toObject(body: unknown): Readonly<Record<string, unknown>> {
  if (body === undefined || body === null) return {}
  if (!isPlainObject(body)) throw problems.unreadableBody(text('must_be', { allowed: text('type_object') }))
  // JSON may have the names of a form, such as `attribute[12]`.
  return nestFields(
    Object.entries(body).flatMap(([name, value]) =>
      (name.endsWith('[]') ? [value].flat() : [value]).map((one): [string, unknown] => [name, one]),
    ),
  )
}

function readText(value: unknown, max: number): string | Text {
  if (Array.isArray(value)) return text('given_repeatedly')
  if (isEmpty(value)) return ''
  if (!['string', 'number', 'boolean'].includes(typeof value)) return text('must_be', { allowed: text('any_text') })
  const trimmed = String(value).trim()
  const error = invalidCharacterError(trimmed)
  if (error) return error
  return trimmed.length > max && [...trimmed].length > max ? text('has_too_many_characters', { max }) : trimmed
}

/** Returns undefined for anything that is no file. */
function listFiles(value: unknown): readonly Upload[] | undefined {
  const values: readonly unknown[] = isPlainObject(value) ? Object.values(value) : [value].flat()
  const present = values.filter((one) => !isEmpty(one))
  return present.every((one) => one instanceof Upload) ? present : undefined
}

export const isEmpty = (value: unknown): boolean =>
  value === undefined || value === null || (typeof value === 'string' && value.trim() === '')

const isPlainObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Upload)

const DECIMAL = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,3})?$/

/** @throws Problem 422 for half a point or a value that is no coordinate */
export function readPoint(parameters: Parameters): Point | undefined {
  const [lat, lng] = [readDegrees(parameters, 'lat', 90), readDegrees(parameters, 'long', 180)]
  if (lat === undefined && lng === undefined) return undefined
  if (lat === undefined) throw invalidParameter('lat', text('required_together', { names: 'long' }))
  if (lng === undefined) throw invalidParameter('long', text('required_together', { names: 'lat' }))
  return { lat, lng }
}

function readDegrees(parameters: Parameters, name: string, max: number): number | undefined {
  const value = parameters.get(name)
  if (value === undefined) return undefined
  const degrees = value.length <= 40 && DECIMAL.test(value) ? Number(value) : NaN
  if (Math.abs(degrees) <= max) return degrees
  throw mustBe(name, text('number_between', { min: -max, max }))
}
