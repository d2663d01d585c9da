import type { TSchema } from 'typebox'
import { Compile, type Validator } from 'typebox/compile'

const validators = new WeakMap<TSchema, Validator>()

/** @throws Error if a row has an additional or missing column or a value of another type than its schema */
export function checkRows(schema: TSchema, rows: readonly unknown[]): void {
  if (rows.length === 0) return
  let validator = validators.get(schema)
  if (!validator) validators.set(schema, (validator = Compile(exact(schema) as TSchema)))
  const wrong = rows.find((row) => !validator.Check(row))
  if (wrong === undefined) return
  const errors = validator.Errors(wrong).map(({ instancePath, message }) => `${instancePath} ${message}`)
  throw new Error(`A row is not as its schema says: ${errors.join('; ')}: ${JSON.stringify(wrong)}`)
}

function exact(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(exact)
  if (typeof schema !== 'object' || schema === null) return schema
  const parts = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, exact(value)]))
  return 'properties' in parts && !('additionalProperties' in parts) ? { ...parts, additionalProperties: false } : parts
}
