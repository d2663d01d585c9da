import type { FastifyInstance, FastifyRequest, FastifySchema } from 'fastify'
import type { FastifySchemaValidationError } from 'fastify'

import { readCursor } from '../lists/cursor.ts'
import { withoutWaiting } from '../request/hooks.ts'
import { readMailbox } from '../schema/mailbox.ts'
import { misspeltParameters } from './misspelt-parameters.ts'
import { readTimestamp } from '../schema/timestamps.ts'
import { type Faults, type Problem, problems } from '../../errors/problems.ts'
import { type ObjectSchema, valuesFromText } from './text-values.ts'
import { uploadKeyword } from '../request/upload.ts'

/** Ajv neither guesses types nor drops what it does not know: text-values.ts converts, the interface says that unknown things are ignored. */
export const ajvOptions = {
  customOptions: { coerceTypes: false, useDefaults: true, removeAdditional: false, allErrors: true, keywords: ['x-allowed'] },
  onCreate: (ajv: {
    addFormat: (name: string, check: (text: string) => boolean) => void
    addKeyword: (keyword: typeof uploadKeyword) => void
  }) => {
    ajv.addFormat('cursor', (text) => readCursor(text) !== undefined)
    ajv.addFormat('moment', (text) => readTimestamp(text) !== undefined)
    ajv.addFormat('mailbox', (text) => readMailbox(text) !== undefined)
    ajv.addKeyword(uploadKeyword)
  },
}

/** Converts the text of queries and path parameters before the schemas look at them. */
export function convertText(app: FastifyInstance): void {
  app.addHook(
    'preValidation',
    withoutWaiting((request) => {
      const schema: FastifySchema | undefined = request.routeOptions.schema
      if (schema?.querystring) request.query = valuesFromText(schema.querystring, request.query as Record<string, unknown>)
      if (schema?.params) request.params = valuesFromText(schema.params, request.params as Record<string, unknown>)
    }),
  )
}

/**
 * Drops what the schema of a body does not know: it is ignored (decisions.md, Addresses and content), and no handler that hands a body on
 * can hand on more than its route says.
 */
export function ignoreUnknownFields(api: FastifyInstance): void {
  api.addHook(
    'preValidation',
    withoutWaiting((request) => {
      const known = (request.routeOptions.schema?.body as ObjectSchema | undefined)?.properties
      // Whoever sends nothing gives no field; which of them are needed, the schema says.
      if (known && request.body === undefined) request.body = {}
      if (known && isPlain(request.body)) {
        request.body = Object.fromEntries(Object.entries(request.body).filter(([name]) => Object.hasOwn(known, name)))
      }
    }),
  )
}

/** A path that no thing can have is unknown, also where a route says itself what is wrong with its body (`attachValidation`). */
export function refuseUnknownPaths(app: FastifyInstance): void {
  app.addHook(
    'preHandler',
    withoutWaiting(({ validationError }) => {
      if (validationError?.validationContext === 'params') throw problems.notFound('What this address names')
    }),
  )
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** `config: { faults: 'nested' }` of a route whose faults the interface wants as `{errors: {<field>: [<text>]}}`, not as a flat map. */
    faults?: 'flat' | 'nested'
    /** `config: { namesBadText: true }` of a route that names `request.badText` together with all its other faults. */
    namesBadText?: true
  }
  interface FastifyRequest {
    /** Fields with text that no database keeps, for routes that name them themselves: such a field goes no further. */
    badText: Readonly<Record<string, readonly string[]>>
  }
}

/** Faults in the shape that the interface gives them at this route. */
export function invalid({ routeOptions }: FastifyRequest, faults: Readonly<Record<string, string>>): Problem {
  if (routeOptions.config.faults !== 'nested') return problems.invalid(faults)
  const nested = Object.entries(faults).map(([field, text]) => [field, [text]])
  return problems.invalidErrors(Object.fromEntries(nested) as Faults)
}

const NUL = 'must not contain the character U+0000'
const HALF = 'must be whole text: it holds one half of a character that takes two (an unpaired surrogate)'

/**
 * PostgreSQL has no text with a NUL, and none with half a surrogate pair, as a client makes that cuts a text in an emoji; so neither goes
 * further than this. What the schema does not know is ignored, whatever it holds. After validation, when bodies of all kinds have been read.
 */
export function refuseBadText(app: FastifyInstance): void {
  app.decorateRequest('badText', null as never)
  app.addHook(
    'preHandler',
    withoutWaiting((request) => {
      if (faultOfText(request.params)) throw problems.notFound('What this address names')
      const { querystring, body } = request.routeOptions.schema ?? {}
      const faulty = [
        ...faultyFields(querystring as ObjectSchema | undefined, request.query),
        ...faultyFields(body as ObjectSchema | undefined, request.body),
      ]
      request.badText = Object.fromEntries(faulty.map(([field, fault]) => [field, [fault]]))
      if (faulty.length > 0 && !request.routeOptions.config.namesBadText) throw invalid(request, Object.fromEntries(faulty))
    }),
  )
}

/** Each with what is wrong with it. Of a group, such as the answers of a report, those of its fields that are faulty. */
function faultyFields(schema: ObjectSchema | undefined, given: unknown): (readonly [string, string])[] {
  if (!schema?.properties || !isPlain(given)) return []
  const known = schema.properties
  const fields = Object.entries(given).filter(([field]) => Object.hasOwn(known, field))
  return fields.flatMap(([field, value]) => {
    const inner = isPlain(value) ? Object.entries(value).filter(([key]) => !faultOfText(key)) : []
    const named = inner.flatMap(([key, one]) => namedFault(key, one))
    return named.length > 0 ? named : namedFault(field, value)
  })
}

function namedFault(field: string, value: unknown): (readonly [string, string])[] {
  const fault = faultOfText(value)
  return fault === undefined ? [] : [[field, fault]]
}

function faultOfText(value: unknown): string | undefined {
  if (typeof value === 'string') return value.includes('\0') ? NUL : value.isWellFormed() ? undefined : HALF
  const parts = Array.isArray(value) ? value : isPlain(value) ? Object.entries(value).flat() : []
  for (const part of parts) {
    const fault = faultOfText(part)
    if (fault !== undefined) return fault
  }
  return undefined
}

/** Objects as JSON and forms make them; files and streams are not looked into. */
function isPlain(value: unknown): value is Record<string, unknown> {
  if (typeof value !== 'object' || value === null) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

/** What a schema refused, in words: the field, and what is allowed there. A path that no thing can have is unknown, hence 404. */
export function problemOfValidation(
  error: { validation: FastifySchemaValidationError[]; validationContext?: string },
  request: FastifyRequest,
): Problem {
  if (error.validationContext === 'params') return problems.notFound('What this address names')
  const schema = request.routeOptions.schema?.[error.validationContext as 'querystring' | 'body'] as AllowedSchema | undefined
  const faults = error.validationContext === 'querystring' ? misspeltParameters(request) : {}
  for (const fault of error.validation) {
    const name = fault.instancePath.split('/')[1] ?? fault.params['missingProperty']
    const field = typeof name === 'string' && name !== '' ? name.replaceAll('~1', '/').replaceAll('~0', '~') : 'base'
    faults[field] ??= textOf(fault, field, schema, valueOf(request, error.validationContext, field))
  }
  return invalid(request, faults)
}

/** For routes with `attachValidation`: what the schema of the body refused, in the shape of the route; undefined where it refused nothing. */
export function faultsOfSchema(request: FastifyRequest): Faults | undefined {
  const validation = request.validationError?.validation as FastifySchemaValidationError[] | undefined
  if (!validation) return undefined
  const { body } = problemOfValidation({ validation, validationContext: 'body' }, request)
  return body.kind === 'message' ? { base: [body.message] } : body.fields
}

interface AllowedSchema {
  readonly properties?: Readonly<Record<string, { readonly 'x-allowed'?: string } | undefined>>
}

function valueOf(request: FastifyRequest, context: string | undefined, field: string): unknown {
  const given = context === 'body' ? request.body : request.query
  return typeof given === 'object' && given !== null ? (given as Record<string, unknown>)[field] : undefined
}

/** Keywords that a list of values fails where one value is wanted. */
const ONE = new Set(['type', 'x-upload'])

function textOf(fault: FastifySchemaValidationError, field: string, schema: AllowedSchema | undefined, value: unknown): string {
  const allowed =
    schema?.properties && Object.hasOwn(schema.properties, field) ? schema.properties[field]?.['x-allowed'] : undefined
  if (fault.keyword === 'required' && fault.instancePath === '') return allowed ? `is required: ${allowed}` : 'is required'
  if (Array.isArray(value) && ONE.has(fault.keyword) && fault.instancePath === `/${field}`) return 'must be given once only'
  return allowed ? `must be ${allowed}` : (fault.message ?? 'is not allowed')
}
