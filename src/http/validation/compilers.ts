import { AjvCompiler } from '@fastify/ajv-compiler'
import { SerializerSelector } from '@fastify/fast-json-stringify-compiler'
import type { FastifyInstance, FastifySchemaCompiler, FastifySerializerCompiler } from 'fastify'

import { decodeCursor } from '../lists/pagination.ts'
import { uploadKeyword } from '../request/upload.ts'
import { readMailbox, readTimestamp } from '../schema/fields.ts'

interface PropertySchema {
  readonly type?: string | readonly string[]
  readonly items?: PropertySchema
}
export interface ObjectSchema {
  readonly properties?: Readonly<Record<string, PropertySchema>>
}

const INTEGER = /^-?\d+$/
const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,3})?$/

/** Returns only the parameters that the schema names and that are not blank, converted by `convertText`. */
export function convertTextValues(schema: ObjectSchema, parameters: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const values: Record<string, unknown> = {}
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const value =
      property.type === 'array' ? readList(parameters, name) : Object.hasOwn(parameters, name) ? parameters[name] : undefined
    if (!isBlank(value)) values[name] = typeof value === 'string' ? convertText(property, value) : value
  }
  return values
}

/**
 * Converts the texts of a form in a body: numbers and booleans as `convertText` does, and a blank to null where the schema allows null, because a form
 * has neither. JSON may have them as text, too.
 */
export function convertFormTexts(body: unknown, schema: ObjectSchema | undefined): unknown {
  if (!schema?.properties || typeof body !== 'object' || body === null || Array.isArray(body)) return body
  const { properties } = schema
  const convert = (name: string, value: unknown) => {
    const types = [properties[name]?.type ?? []].flat()
    const scalar = types.find((type) => SCALARS.includes(type))
    if (typeof value !== 'string' || scalar === undefined) return value
    return value.trim() === '' && types.includes('null') ? null : convertText({ type: scalar }, value)
  }
  return Object.fromEntries(Object.entries(body).map(([name, value]) => [name, convert(name, value)]))
}

const SCALARS: readonly string[] = ['integer', 'number', 'boolean']

const isBlank = (value: unknown) => value === undefined || (typeof value === 'string' && value.trim() === '')

/** Reads `name[]=a&name[]=b` and `name=a&name=b` like `name=a,b`. */
function readList(parameters: Readonly<Record<string, unknown>>, name: string): string | undefined {
  const parts = [name, `${name}[]`]
    .flatMap((key) => (Object.hasOwn(parameters, key) ? parameters[key] : []))
    .filter((part) => !isBlank(part))
  return parts.length > 0 ? parts.join(',') : undefined
}

/** Clamps numbers of more than 308 digits, since JSON has no infinity. */
const clampToFinite = (value: number) => Math.min(Math.max(value, -Number.MAX_VALUE), Number.MAX_VALUE)

/**
 * Converts text to the type of the schema. Text that is not exactly such a value, such as '0x10', ' 5' or '', stays text, which the schema
 * refuses. A number may have an exponent ('1e3'), an integer may not. The items of a list are trimmed first.
 */
function convertText(schema: PropertySchema, text: string): unknown {
  switch (schema.type) {
    case 'integer':
      return INTEGER.test(text) ? clampToFinite(Number(text)) : text
    case 'number':
      return NUMBER.test(text) && text.length <= 40 ? Number(text) : text
    case 'boolean':
      return text === 'true' ? true : text === 'false' ? false : text
    case 'array':
      return text.split(',').map((part) => (schema.items ? convertText(schema.items, part.trim()) : part.trim()))
    default:
      return text
  }
}

/* The compiled validators return `{ value }` for valid input, and Fastify replaces that part of the request by the value. */

type Compiler = FastifySchemaCompiler<unknown>
interface RequestParts {
  readonly body: unknown
  readonly querystring: Readonly<Record<string, unknown>>
  readonly params: Readonly<Record<string, unknown>>
}
type InputTransform<Part extends keyof RequestParts> = (input: RequestParts[Part], schema: ObjectSchema) => unknown

/**
 * Ajv neither converts types nor removes properties. `convertTextValues` does both for parameters, and `pickSchemaFields` removes the unknown
 * fields of bodies in the API.
 */
const customOptions = {
  coerceTypes: false,
  useDefaults: true,
  removeAdditional: false,
  allErrors: true,
  allowUnionTypes: true,
  keywords: ['x-allowed', 'x-form-files'],
}

export interface SchemaCompilers {
  readonly validator: Compiler
  readonly serializer: FastifySerializerCompiler<unknown>
}

export const schemaCompilers: SchemaCompilers = {
  validator: withReturnedValue(
    AjvCompiler()(
      {},
      {
        customOptions,
        onCreate: (ajv) => {
          ajv.addFormat('cursor', (text) => decodeCursor(text) !== undefined)
          ajv.addFormat('timestamp', (text) => readTimestamp(text) !== undefined)
          ajv.addFormat('mailbox', (text) => readMailbox(text) !== undefined)
          ajv.addKeyword(uploadKeyword)
        },
      },
    ),
  ),
  serializer: SerializerSelector()({}, {}) as SchemaCompilers['serializer'],
}

/** Compiles each schema when a request needs it first: all of them take a third of a start. */
export const lazyCompilers: SchemaCompilers = {
  validator: atFirstUse(schemaCompilers.validator),
  serializer: atFirstUse(schemaCompilers.serializer),
}

function atFirstUse<Route, Input, Output>(compile: (route: Route) => (input: Input) => Output) {
  return (route: Route) => {
    let compiled: ((input: Input) => Output) | undefined
    return (input: Input) => (compiled ??= compile(route))(input)
  }
}

export function withTextConversion(compile: Compiler): Compiler {
  const convert = (input: RequestParts['querystring' | 'params'], schema: ObjectSchema) => convertTextValues(schema, input)
  return transformInput(transformInput(compile, 'querystring', convert), 'params', convert)
}

/** Returns the compiler of `app` with a transform of one part of a request, for a scope or a route. */
export function withInputTransform<Part extends keyof RequestParts>(
  app: FastifyInstance,
  part: Part,
  transform: InputTransform<Part>,
): Compiler {
  return transformInput(app.validatorCompiler as Compiler, part, transform)
}

/** Returns the fields that the schema knows, so that a handler cannot pass on others. */
export function pickSchemaFields(body: unknown, schema: ObjectSchema | undefined): unknown {
  const properties = schema?.properties
  if (!properties) return body
  if (body === null) return {}
  if (typeof body !== 'object' || Array.isArray(body)) return body
  return Object.fromEntries(Object.entries(body).filter(([name]) => Object.hasOwn(properties, name)))
}

function transformInput<Part extends keyof RequestParts>(compile: Compiler, part: Part, transform: InputTransform<Part>): Compiler {
  return (route) => {
    const validate = compile(route)
    if (route.httpPart !== part) return validate
    return (input: RequestParts[Part]) => validate(transform(input, route.schema as ObjectSchema))
  }
}

function withReturnedValue(compile: Compiler): Compiler {
  return (route) => {
    // Fastify lower-cases header names for its own compiler only.
    if (route.httpPart === 'headers')
      throw new Error('Header schemas are unsupported: lower-case their names here first, as Fastify does')
    const validate = compile(route)
    return (input: unknown) => (validate(input) ? { value: input } : { error: validate.errors ?? [] })
  }
}
