import { isDeepStrictEqual } from 'node:util'

import { portable } from './portable-schema.ts'

type Json = { [key: string]: unknown }

/** Values, not schemas: a `title` in them is somebody's data. */
const NOT_SCHEMAS = new Set(['example', 'examples', 'default', 'enum', 'const'])
const NAME = /^[A-Z]\w*$/

/**
 * Schemas become portable, and those that have a title become components of that name, which the others refer to: so clients that are generated from the
 * reference get one type for each thing. Where two different schemas bear one name, only the first is named. A schema with `x-or` is shown as
 * either of the two.
 */
export function withNamedSchemas<Document extends { readonly components?: object }>(document: Document): Document {
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
    const { 'x-or': other, ...schema } = portable(Object.fromEntries(visited) as Json)
    return other === undefined ? named(schema) : { anyOf: [named(schema), other] }
  }

  // As JSON, since the schemas carry marks of the library that made them.
  const visited = visit(JSON.parse(JSON.stringify(document))) as Document
  return { ...visited, components: { ...visited.components, schemas } }
}
