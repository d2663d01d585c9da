type Json = Readonly<Record<string, unknown>>

/** Returns a schema without keywords that OpenAPI 3.0 lacks: `const`, and `examples`, of which it keeps the first. */
export function toOpenApiSchema({ examples, const: value, items, ...schema }: Json): Json {
  return {
    ...schema,
    ...(Array.isArray(examples) ? { example: examples[0] as unknown } : {}),
    ...(value === undefined ? {} : { enum: [value] }),
    ...(items === undefined ? {} : { items: toOpenApiSchema(items as Json) }),
  }
}
