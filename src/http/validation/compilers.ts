import { AjvCompiler } from '@fastify/ajv-compiler'
import { SerializerSelector } from '@fastify/fast-json-stringify-compiler'
import type { FastifyInstance, FastifySchemaCompiler, FastifySerializerCompiler } from 'fastify'

import { decodeCursor } from '../lists/cursor.ts'
import { uploadKeyword } from '../request/upload.ts'
import { readMailbox } from '../schema/fields.ts'
import { readTimestamp } from '../schema/timestamps.ts'
import { type ObjectSchema, convertTextValues } from './text-values.ts'

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
