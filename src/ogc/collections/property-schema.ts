import type { Collection } from './collection.ts'

interface PropertySchema {
  readonly type?: string | readonly string[]
  readonly format?: string
  readonly enum?: readonly string[]
  readonly description?: string
}

/** Returns type, format and values of a property as features have them. */
export function nullablePropertySchema({ properties }: Collection, name: string): PropertySchema {
  const { type, format, enum: values, description } = (properties.properties as Record<string, PropertySchema>)[name] ?? {}
  return Object.fromEntries(Object.entries({ type, format, enum: values, description }).filter(([, value]) => value !== undefined))
}

/** Returns the same without null. A nullable property has the type of its other values, as Part 5 describes it. */
export function propertySchema(collection: Collection, name: string): PropertySchema {
  const { type, enum: values, ...others } = nullablePropertySchema(collection, name)
  const [first = 'string'] = [type ?? []].flat().filter((one) => one !== 'null')
  return { type: first, ...others, ...(values === undefined ? {} : { enum: values.filter((value) => value !== null) }) }
}
