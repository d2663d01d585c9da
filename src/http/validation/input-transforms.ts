import type { FastifyInstance, FastifySchemaCompiler } from 'fastify'

export type Compiler = FastifySchemaCompiler<unknown>
export interface RequestParts {
  readonly body: unknown
  readonly querystring: Readonly<Record<string, unknown>>
  readonly params: Readonly<Record<string, unknown>>
}

type InputTransform<Part extends keyof RequestParts> = (input: RequestParts[Part], schema: ObjectSchema) => unknown

/** Returns the compiler of `app` with a transform of one part of a request, for a scope or a route. */
export function withInputTransform<Part extends keyof RequestParts>(
  app: FastifyInstance,
  part: Part,
  transform: InputTransform<Part>,
): Compiler {
  return transformInput(app.validatorCompiler as Compiler, part, transform)
}

export function transformInput<Part extends keyof RequestParts>(
  compile: Compiler,
  part: Part,
  transform: InputTransform<Part>,
): Compiler {
  return (route) => {
    const validate = compile(route)
    if (route.httpPart !== part) return validate
    return (input: RequestParts[Part]) => validate(transform(input, route.schema as ObjectSchema))
  }
}

export interface PropertySchema {
  readonly type?: string | readonly string[]
  readonly items?: PropertySchema
}

export interface ObjectSchema {
  readonly properties?: Readonly<Record<string, PropertySchema>>
}

/** Returns the fields that the schema knows, so that a handler cannot pass on others. */
export function pickSchemaFields(body: unknown, schema: ObjectSchema | undefined): unknown {
  const properties = schema?.properties
  if (!properties) return body
  if (body === null) return {}
  if (typeof body !== 'object' || Array.isArray(body)) return body
  return Object.fromEntries(Object.entries(body).filter(([name]) => Object.hasOwn(properties, name)))
}
