import { AjvCompiler } from '@fastify/ajv-compiler'
import { SerializerSelector } from '@fastify/fast-json-stringify-compiler'
import type { FastifySerializerCompiler } from 'fastify'

import { decodeCursor } from '../lists/pagination.ts'
import { uploadKeyword } from '../request/upload.ts'
import { readTimestamp } from '../schema/fields.ts'
import { readMailbox } from '../schema/mailbox.ts'
import type { Compiler } from './input-transforms.ts'

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

/** Fastify replaces the validated part of a request by the `value` of the result. */
function withReturnedValue(compile: Compiler): Compiler {
  return (route) => {
    // Fastify lower-cases header names for its own compiler only.
    if (route.httpPart === 'headers')
      throw new Error('Header schemas are unsupported: lower-case their names here first, as Fastify does')
    const validate = compile(route)
    return (input: unknown) => (validate(input) ? { value: input } : { error: validate.errors ?? [] })
  }
}
