import { isDeepStrictEqual } from 'node:util'

type Json = { [key: string]: unknown }

/** Values, not schemas: a `title` in them is somebody's data. */
const NOT_SCHEMAS = new Set(['example', 'examples', 'default', 'enum', 'const'])
const NAME = /^[A-Z]\w*$/

/**
 * Schemas that have a title become components of that name, which the others refer to: so clients that are generated from the
 * reference get one type for each thing. Where two different schemas bear one name, only the first is named.
 */
export function withNamedSchemas<Document extends { readonly components?: object }>(document: Document): Document {
  const schemas: Json = {}

  const visit = (node: unknown): unknown => {
    if (Array.isArray(node)) return node.map(visit)
    if (typeof node !== 'object' || node === null) return node
    const visited: Json = Object.fromEntries(
      Object.entries(node).map(([key, value]) => [key, NOT_SCHEMAS.has(key) ? (value as unknown) : visit(value)]),
    )
    const { title } = visited
    if (typeof title !== 'string' || !NAME.test(title) || visited['type'] === undefined) return visited
    schemas[title] ??= visited
    return isDeepStrictEqual(schemas[title], visited) ? { $ref: `#/components/schemas/${title}` } : visited
  }

  // As JSON, since the schemas carry marks of the library that made them.
  const visited = visit(JSON.parse(JSON.stringify(document))) as Document
  return { ...visited, components: { ...visited.components, schemas } }
}
