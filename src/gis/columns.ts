import type { TObject } from 'typebox'

/** A column of a table of features. Every output has the same columns with the same types. */
export interface Column {
  readonly name: string
  readonly type: 'integer' | 'number' | 'text' | 'timestamp'
  readonly isNullable: boolean
  readonly description: string | undefined
}

interface PropertySchema {
  readonly type: string | readonly string[]
  readonly format?: string
  readonly description?: string
}

/** Returns the columns of flat properties, in the order of their schema. */
export function toColumns(properties: TObject): readonly Column[] {
  return Object.entries(properties.properties as unknown as Record<string, PropertySchema>).map(([name, schema]) => {
    const types = [schema.type].flat()
    return {
      name,
      type: columnType(name, types, schema.format),
      isNullable: types.includes('null'),
      description: schema.description,
    }
  })
}

function columnType(name: string, types: readonly string[], format: string | undefined): Column['type'] {
  if (types.includes('string')) return format === 'date-time' ? 'timestamp' : 'text'
  if (types.includes('integer')) return 'integer'
  if (types.includes('number')) return 'number'
  throw new Error(`Column ${name} is neither text nor a number`)
}
