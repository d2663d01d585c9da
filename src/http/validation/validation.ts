import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { FastifySchemaValidationError } from 'fastify'
import type { TStringOptions } from 'typebox'

import { text, type Text } from '../../locales/texts.ts'
import { syncHook } from '../request/hooks.ts'
import { misspeltParameters } from './misspelt-parameters.ts'
import { type ValidationErrors, type Problem, problems } from '../../errors/problems.ts'
import type { ObjectSchema } from './input-transforms.ts'

/** Responds with 404 to invalid path parameters, also on routes with `attachValidation`. */
export function refuseInvalidPathParameters(app: FastifyInstance): void {
  app.addHook(
    'preHandler',
    syncHook(({ validationError }) => {
      if (validationError?.validationContext === 'params') throw problems.notFound('the_resource')
    }),
  )
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Shape of validation errors: `nested` is `{errors: {<field>: [<text>]}}`, and the default is a flat map. */
    errorShape?: 'flat' | 'nested'
    /** The route returns `invalidCharacters` together with its other errors. All other routes refuse such a request at once. */
    reportsInvalidCharacters?: true
  }
  interface FastifyRequest {
    /** Fields whose text PostgreSQL cannot store, with their errors. A route with `reportsInvalidCharacters` must not use the values. */
    invalidCharacters: Readonly<Record<string, readonly Text[]>>
  }
}

export function invalid({ routeOptions }: FastifyRequest, errors: Readonly<Record<string, Text>>): Problem {
  if (routeOptions.config.errorShape !== 'nested') return problems.invalid(errors)
  const nested = Object.entries(errors).map(([field, error]) => [field, [error]])
  return problems.invalidErrors(Object.fromEntries(nested) as ValidationErrors)
}

const NUL_CHARACTER = text('has_nul')
const UNPAIRED_SURROGATE = text('has_unpaired_surrogate')

/** PostgreSQL cannot store NUL and unpaired surrogates, which clients produce when they truncate emojis. */
export function refuseInvalidCharacters(app: FastifyInstance): void {
  app.decorateRequest('invalidCharacters', null as never)
  app.addHook(
    'preHandler',
    syncHook((request) => {
      if (invalidCharacterError(request.params)) throw problems.notFound('the_resource')
      const { querystring, body } = request.routeOptions.schema ?? {}
      const badFields = [
        ...findInvalidFields(querystring as ObjectSchema | undefined, request.query),
        ...findInvalidFields(body as ObjectSchema | undefined, request.body),
      ]
      request.invalidCharacters = Object.fromEntries(badFields.map(([field, error]) => [field, [error]]))
      if (badFields.length > 0 && !request.routeOptions.config.reportsInvalidCharacters)
        throw invalid(request, Object.fromEntries(badFields))
    }),
  )
}

function findInvalidFields(schema: ObjectSchema | undefined, input: unknown): (readonly [string, Text])[] {
  if (!schema?.properties || !isPlainObject(input)) return []
  const properties = schema.properties
  const fields = Object.entries(input).filter(([field]) => Object.hasOwn(properties, field))
  return fields.flatMap(([field, value]) => {
    const inner = isPlainObject(value) ? Object.entries(value).filter(([key]) => !invalidCharacterError(key)) : []
    const badInner = inner.flatMap(([key, one]) => toInvalidField(key, one))
    return badInner.length > 0 ? badInner : toInvalidField(field, value)
  })
}

function toInvalidField(field: string, value: unknown): (readonly [string, Text])[] {
  const error = invalidCharacterError(value)
  return error === undefined ? [] : [[field, error]]
}

/** Returns why PostgreSQL cannot store a text in a value or its parts, or undefined if it can. */
export function invalidCharacterError(value: unknown): Text | undefined {
  if (typeof value === 'string') return value.includes('\0') ? NUL_CHARACTER : value.isWellFormed() ? undefined : UNPAIRED_SURROGATE
  const parts = Array.isArray(value) ? value : isPlainObject(value) ? Object.entries(value).flat() : []
  for (const part of parts) {
    const error = invalidCharacterError(part)
    if (error !== undefined) return error
  }
  return undefined
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

/**
 * Returns the problem for a schema violation: the field and its allowed values, or 404 for a path parameter.
 * @param own a schema that the route does not have
 */
export function toValidationProblem(
  error: { validation: FastifySchemaValidationError[]; validationContext?: string },
  request: FastifyRequest,
  own?: object,
): Problem {
  if (error.validationContext === 'params') return problems.notFound('the_resource')
  const ofRoute = request.routeOptions.schema?.[error.validationContext as 'querystring' | 'body']
  const schema = (own ?? ofRoute) as AllowedSchema | undefined
  const errors = error.validationContext === 'querystring' ? misspeltParameters(request) : {}
  for (const violation of error.validation) {
    const name = violation.instancePath.split('/')[1] ?? violation.params['missingProperty']
    const field = typeof name === 'string' && name !== '' ? name.replaceAll('~1', '/').replaceAll('~0', '~') : 'base'
    errors[field] ??= errorText(violation, field, schema, fieldValue(request, error.validationContext, field))
  }
  return invalid(request, errors)
}

/** Returns the errors of the body in the shape of the route, for routes with `attachValidation`. */
export function schemaErrors(request: FastifyRequest): ValidationErrors | undefined {
  const validation = request.validationError?.validation as FastifySchemaValidationError[] | undefined
  if (!validation) return undefined
  const { body } = toValidationProblem({ validation, validationContext: 'body' }, request)
  return body.kind === 'message' ? { base: [body.message] } : body.fields
}

interface FieldSchema extends TStringOptions {
  readonly 'x-allowed'?: Text
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly minimum?: number
  readonly maximum?: number
}

interface AllowedSchema {
  readonly properties?: Readonly<Record<string, FieldSchema | undefined>>
}

/** Returns what a field accepts: in the words of its schema, else by its type and bounds. */
export function allowedValues(field: object): Text | undefined {
  const { 'x-allowed': words, type, ...schema } = field as FieldSchema
  if (words) return words
  const { enum: values, minimum: min, maximum: max, minLength, maxLength, pattern, format } = schema
  if (values) return text('one_of', { values: values.filter((value) => typeof value === 'string' && value !== '').join(', ') })
  const hasBounds = min !== undefined && max !== undefined
  switch ([type].flat()[0]) {
    case 'boolean':
      return text('true_or_false')
    case 'integer':
      return hasBounds ? text('integer_between', { min, max }) : text('integer')
    case 'number':
      return hasBounds ? text('number_between', { min, max }) : undefined
    case 'string':
      if (maxLength === undefined || pattern !== undefined || format !== undefined) return undefined
      return minLength ? text('a_text_between', { min: minLength, max: maxLength }) : text('a_text_up_to', { max: maxLength })
    default:
      return undefined
  }
}

function fieldValue(request: FastifyRequest, context: string | undefined, field: string): unknown {
  const input = context === 'body' ? request.body : request.query
  return typeof input === 'object' && input !== null ? (input as Record<string, unknown>)[field] : undefined
}

const SINGLE_VALUE_KEYWORDS = new Set(['type', 'x-upload'])

function errorText(
  violation: FastifySchemaValidationError,
  field: string,
  schema: AllowedSchema | undefined,
  value: unknown,
): Text {
  const ofField = schema?.properties && Object.hasOwn(schema.properties, field) ? schema.properties[field] : undefined
  const allowed = ofField && allowedValues(ofField)
  if (violation.keyword === 'required' && violation.instancePath === '')
    return allowed ? text('is_required_as', { allowed }) : text('is_required')
  if (Array.isArray(value) && SINGLE_VALUE_KEYWORDS.has(violation.keyword) && violation.instancePath === `/${field}`)
    return text('given_repeatedly')
  return allowed ? text('must_be', { allowed }) : keywordText(violation)
}

const typeTexts: Readonly<Record<string, Text>> = { string: text('type_string'), object: text('type_object') }

function keywordText({ keyword, params }: FastifySchemaValidationError): Text {
  const type = typeTexts[String(params['type'])]
  if (type) return text('must_be', { allowed: type })
  return keyword === 'maxLength' ? text('longer_than', { max: Number(params['limit']) }) : text('not_allowed')
}
