import type { FastifyInstance, FastifySchema, RouteOptions } from 'fastify'
import { isDeepStrictEqual } from 'node:util'

import type { Urls } from '../request/urls.ts'
import { failsWith } from '../schema/fields.ts'
import { commonHeaders, failureRef, headerComponents, headerRefs, responseComponents } from './failure-responses.ts'
import { mediaTypes, type ExampleSchema, toExample, type BodyContent, describeContent, toPortableSchema } from './request-bodies.ts'

const HEADER = 'Idempotency-Key'

/** JSON Schema cannot mark a body as optional, so this extension does until the request body is described. */
const BODY_IS_OPTIONAL = 'x-body-is-optional'

const idempotencyKeyParameter = {
  name: HEADER,
  in: 'header',
  required: false,
  description:
    'A new key for each new request, such as a UUID. A retry with the same key within 24 hours returns the first response again and changes nothing (draft-ietf-httpapi-idempotency-key-header). For example `0f9c1b7a-6d1e-4f63-9d3b-2a7c5e8b1f40`.',
  schema: {
    type: 'string',
    minLength: 1,
    maxLength: 255,
    pattern: '^[\\x21-\\x7e]+$',
    examples: ['0f9c1b7a-6d1e-4f63-9d3b-2a7c5e8b1f40'],
  },
}
const idempotencyKeyRef = { $ref: '#/components/parameters/IdempotencyKey' }
const isIdempotencyKey = (parameter: { readonly name?: string }) => parameter.name === HEADER

/** JSON Schema of the header `If-Match` (RFC 9110) of operations that answer 428 without it. */
const version = {
  type: 'string',
  description:
    'The `ETag` of the GET, or the `version` of the issue, as `"7"`, or `*` for any version. Without it the response is 428.',
  examples: ['"7"'],
}

export function describeConventions(
  schema: FastifySchema,
  { method, config }: Pick<RouteOptions, 'method' | 'config'>,
): FastifySchema {
  const described = describeBody(schema, method, config)
  const isKeyed = method === 'POST' && config?.idempotency !== false
  const needsVersion = Object.hasOwn(described.response ?? {}, '428')
  if (!isKeyed && !needsVersion) return described
  const headers = (schema.headers ?? {}) as { readonly properties?: object }
  const properties = { ...(isKeyed ? { [HEADER]: { type: 'string' } } : {}), ...(needsVersion ? { 'If-Match': version } : {}) }
  return {
    ...described,
    headers: { type: 'object', ...headers, properties: { ...headers.properties, ...properties } },
    response: { ...(isKeyed ? failsWith(409, 422) : {}), ...(described.response as object) },
  }
}

/** A body is read even if the operation has no fields, so it may be too large or too slow. */
function describeBody(schema: FastifySchema, method: RouteOptions['method'], config: RouteOptions['config']): FastifySchema {
  const hasBody = method === 'POST' || method === 'PUT' || schema.body !== undefined
  const response = hasBody ? { ...failsWith(408, 413), ...(schema.response as object) } : schema.response
  if (schema.body === undefined) return { ...schema, response }
  return {
    ...schema,
    response,
    consumes: mediaTypes(config?.files !== undefined),
    body: withFiles(schema.body),
    ...(config?.bodyIsOptional === true ? { [BODY_IS_OPTIONAL]: true } : {}),
  }
}

/** OpenAPI describes files as binary strings; JSON Schema has no type for them. */
function withFiles(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(withFiles)
  if (typeof node !== 'object' || node === null) return node
  const { 'x-upload': isFile, ...inner } = Object.fromEntries(Object.entries(node).map(([key, value]) => [key, withFiles(value)]))
  return isFile === true ? { ...inner, type: 'string', format: 'binary' } : inner
}

/** Gives the operations of routes that are registered afterwards their tag in the API reference. */
export function tagRoutes(app: FastifyInstance, tag: string): void {
  app.addHook('onRoute', ({ schema }) => {
    if (schema) schema.tags ??= [tag]
  })
}

interface Parameter {
  readonly $ref?: string
  readonly name?: string
  readonly in?: string
  readonly required?: boolean
  readonly example?: unknown
  readonly description?: string
  readonly schema?: { readonly type?: unknown; readonly format?: string }
}
interface Media {
  readonly schema?: ExampleSchema
  readonly example?: unknown
  readonly examples?: unknown
}
interface Response {
  readonly description?: string
  readonly content?: Readonly<Record<string, Media>>
  /** Headers of this response alone, by name. */
  readonly headers?: object
}
interface Operation {
  readonly tags?: readonly string[]
  readonly parameters?: readonly Parameter[]
  readonly requestBody?: { readonly content?: BodyContent; readonly required?: boolean }
  readonly [BODY_IS_OPTIONAL]?: true
  readonly responses?: Readonly<Record<string, Response>>
}
interface Document {
  readonly paths?: object
  readonly components?: object
}

export const OPERATIONS = 'Operations'
export const FEEDS = 'Feeds'
export const EXPORTS = 'Exports'
/** Tags of operations outside the rate limit of the API. */
const unlimitedTags: readonly string[] = [OPERATIONS, FEEDS, EXPORTS]

/** Root of the URLs in examples. It is replaced by the public URL. */
const EXAMPLE_ROOT = 'http://127.0.0.1:3000'

export function describeOperations<Input extends Document>(document: Input, urls: Urls): Input {
  const paths = Object.entries(document.paths ?? {}).map(([path, operations]) => {
    const described = Object.entries(operations as Record<string, Operation>).map(([method, operation]) => [
      method,
      describeOperation(method, operation),
    ])
    return [path, Object.fromEntries(described) as object]
  })
  const complete = {
    ...document,
    paths: Object.fromEntries(paths) as object,
    components: {
      ...document.components,
      responses: responseComponents(`${EXAMPLE_ROOT}/docs`),
      headers: headerComponents(),
      parameters: { IdempotencyKey: idempotencyKeyParameter },
    },
  }
  const text = JSON.stringify(withNamedSchemas(complete)).replaceAll(EXAMPLE_ROOT, urls.root)
  return { ...(JSON.parse(text) as Input), servers: [{ url: urls.root }] }
}

function describeOperation(method: string, { [BODY_IS_OPTIONAL]: isOptional, ...operation }: Operation): Operation {
  const parameters = operation.parameters ?? []
  const isIdempotent = parameters.some(isIdempotencyKey)
  const isRateLimited = !operation.tags?.some((tag) => unlimitedTags.includes(tag))
  const isExport = operation.tags?.includes(EXPORTS)
  const isRead = method === 'get' && !operation.tags?.includes(OPERATIONS)
  const headers = [
    ...(isRateLimited ? commonHeaders : ['X-Request-Id']),
    ...(isRead ? ['ETag'] : []),
    ...(isRead && !isExport ? ['Last-Modified'] : []),
    ...(isExport ? ['X-Total-Count', 'X-Changes-Cursor', 'Content-Disposition', 'Link'] : []),
    ...(isIdempotent ? ['Idempotency-Replayed'] : []),
  ]
  const responses = Object.entries(operation.responses ?? {}).map(([status, response]) => [
    status,
    failureRef(status, response.description) ?? describeResponse(response, headers),
  ])
  const notModified: Record<string, object> = isRead ? { 304: { $ref: '#/components/responses/NotModified' } } : {}
  return {
    ...operation,
    ...(operation.requestBody
      ? {
          requestBody: {
            ...operation.requestBody,
            ...(isOptional ? { required: false } : {}),
            content: withExamples(describeContent(operation.requestBody.content ?? {})),
          },
        }
      : {}),
    parameters: parameters.map((parameter) => (isIdempotencyKey(parameter) ? idempotencyKeyRef : toClientParameter(parameter))),
    responses: { ...(Object.fromEntries(responses) as Record<string, Response>), ...notModified },
  }
}

function describeResponse(response: Response, headers: readonly string[]) {
  return {
    ...response,
    description: response.description === 'Default Response' ? 'Success.' : response.description,
    headers: headerRefs([...headers, ...Object.keys(response.headers ?? {})]),
    ...(response.content ? { content: withExamples(response.content) } : {}),
  }
}

const withExamples = (content: Readonly<Record<string, Media>>) =>
  Object.fromEntries(Object.entries(content).map(([type, media]) => [type, withExample(media)]))

function withExample(media: Media): Media {
  if (media.schema === undefined || media.example !== undefined || media.examples !== undefined) return media
  return { ...media, example: toExample(media.schema) }
}

/** Examples of optional parameters are in the schema, because the page would otherwise fill in all of them. */
function toClientParameter({ example, ...parameter }: Parameter): Parameter {
  const schema = parameter.schema?.format === 'timestamp' ? { ...parameter.schema, format: 'date-time' } : parameter.schema
  const exampleFields = parameter.required ? { schema, example } : { schema: { ...schema, examples: [example] } }
  const isList = parameter.in === 'query' && schema?.type === 'array'
  const description = `${parameter.description} For example \`${String(example)}\`.`
  return { ...parameter, description, ...exampleFields, ...(isList ? { style: 'form', explode: false } : {}) } as Parameter
}

type Json = { [key: string]: unknown }

const NOT_SCHEMAS = new Set(['example', 'examples', 'default', 'enum', 'const'])
const NAME = /^[A-Z]\w*$/

/** Schemas with a title become components, so that generated clients get one type for each. Only the first of one title does. */
function withNamedSchemas<Document extends { readonly components?: object }>(document: Document): Document {
  const schemas: Json = {}

  const named = (schema: Json): Json => {
    const { title } = schema
    if (typeof title !== 'string' || !NAME.test(title) || schema['type'] === undefined) return schema
    schemas[title] ??= schema
    return isDeepStrictEqual(schemas[title], schema) ? { $ref: `#/components/schemas/${title}` } : schema
  }
  const visit = (node: unknown): unknown => {
    if (Array.isArray(node)) return node.map(visit)
    if (typeof node !== 'object' || node === null) return node
    const visited = Object.entries(node).map(([key, value]) => [key, NOT_SCHEMAS.has(key) ? (value as unknown) : visit(value)])
    const { 'x-alternative': alternative, ...schema } = toPortableSchema(Object.fromEntries(visited) as Json)
    return alternative === undefined ? named(schema) : { anyOf: [named(schema), alternative] }
  }

  // The copy by JSON removes TypeBox's symbols.
  const visited = visit(JSON.parse(JSON.stringify(document))) as Document
  return { ...visited, components: { ...visited.components, schemas } }
}
