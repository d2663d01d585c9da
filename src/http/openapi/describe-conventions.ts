import type { FastifyInstance, FastifySchema, RouteOptions } from 'fastify'

import { failsWith } from '../schema/fields.ts'
import { mediaTypes } from './request-bodies.ts'

const HEADER = 'Idempotency-Key'

/** JSON Schema cannot mark a body as optional, so this extension does until the request body is described. */
export const BODY_IS_OPTIONAL = 'x-body-is-optional'

export const idempotencyKeyParameter = {
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
export const idempotencyKeyRef = { $ref: '#/components/parameters/IdempotencyKey' }
export const isIdempotencyKey = (parameter: { readonly name?: string }) => parameter.name === HEADER

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
  const response =
    method !== 'POST' && method !== 'PUT' ? schema.response : { ...failsWith(408, 413), ...(schema.response as object) }
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
