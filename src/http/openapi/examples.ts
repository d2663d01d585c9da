export interface ExampleSchema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly const?: unknown
  readonly enum?: readonly unknown[]
  readonly default?: unknown
  readonly examples?: readonly unknown[]
  readonly anyOf?: readonly ExampleSchema[]
  readonly properties?: Readonly<Record<string, ExampleSchema>>
  readonly required?: readonly string[]
  readonly items?: ExampleSchema
  readonly minimum?: number
}

export function toExample(schema: ExampleSchema): unknown {
  if (schema.examples && schema.examples.length > 0) return schema.examples[0]
  if (schema.const !== undefined) return schema.const
  if (schema.enum) return schema.enum[0]
  if (schema.default !== undefined) return schema.default
  if (schema.anyOf?.[0]) return toExample(schema.anyOf[0])
  switch (Array.isArray(schema.type) ? schema.type[0] : schema.type) {
    case 'object':
      return toObjectExample(schema)
    case 'array':
      return schema.items ? [toExample(schema.items)] : []
    case 'integer':
    case 'number':
      return schema.minimum ?? 0
    case 'boolean':
      return false
    case 'string':
      return ''
    default:
      return null
  }
}

function toObjectExample({ properties = {}, required = [] }: ExampleSchema): object {
  const included = Object.entries(properties).filter(([name]) => required.length === 0 || required.includes(name))
  return Object.fromEntries(included.map(([name, property]) => [name, toExample(property)]))
}
