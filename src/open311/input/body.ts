import type { FastifyRequest } from 'fastify'

import { text, type Text } from '../../locales/texts.ts'
import { problems } from '../../errors/problems.ts'
import { Upload } from '../../http/request/upload.ts'
import { nestFields } from '../../http/validation/nested-fields.ts'
import { invalidCharacterError } from '../../http/validation/validation.ts'
import type { Parameters } from './parameters.ts'

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
