import { isDeepStrictEqual } from 'node:util'

import { toPortableSchema } from './portable-schema.ts'

type Json = { [key: string]: unknown }

const NOT_SCHEMAS = new Set(['example', 'examples', 'default', 'enum', 'const'])
const NAME = /^[A-Z]\w*$/

/** Schemas with a title become components, so that generated clients get one type for each. Only the first of one title does. */
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
    const { 'x-alternative': alternative, ...schema } = toPortableSchema(Object.fromEntries(visited) as Json)
    return alternative === undefined ? named(schema) : { anyOf: [named(schema), alternative] }
  }

  // The copy by JSON removes TypeBox's symbols.
  const visited = visit(JSON.parse(JSON.stringify(document))) as Document
  return { ...visited, components: { ...visited.components, schemas } }
}
