import type { TSchema } from 'typebox'
import { Compile, type Validator } from 'typebox/compile'

import type { Sql } from '../../src/database/database.ts'
import type { StatementChecks } from '../../src/database/engine.ts'
import type { Description, PostgresType } from './describe-statement.ts'

const validators = new WeakMap<TSchema, Validator>()

/** @throws Error if a row has an additional or missing column or a value of another type than its schema */
function checkRows(schema: TSchema, rows: readonly unknown[]): void {
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

/** Compares rows, and each new statement as the database describes it, with the schema of the rows and the values. */
export function createStatementChecks(describe: (text: string) => Promise<Description>): StatementChecks {
  return {
    rows: checkRows,
    async statement(statement, schema) {
      const known = descriptions.get(statement.text)
      const description = known ?? (await describe(statement.text).catch(ignoreInvisible))
      if (!description) return
      descriptions.set(statement.text, description)
      const differences = [...compareColumns(description, schema), ...compareValues(description, statement)]
      if (differences.length > 0) throw new Error(`${differences.join('; ')}: ${statement.text}`)
    },
  }
}

const descriptions = new Map<string, Description>()

/** A test has created or locked a table in a transaction, or uses a temporary one: 42P01, 55P03 and 3F000. */
function ignoreInvisible(error: Error & { code?: string }): undefined {
  if (!['42P01', '55P03', '3F000'].includes(error.code ?? '')) throw error
}

function compareColumns({ columns }: Description, schema: TSchema | undefined): string[] {
  if (!schema) return []
  const properties = propertiesOf(schema)
  if (properties.size === 0) return []
  const missing = [...properties.keys()].filter((name) => !columns.some((column) => column.name === name))
  const different = columns.flatMap(({ name, type }) => {
    const property = properties.get(name)
    if (!property) return [`the schema has no column ${name}`]
    return property.some((one) => fits(type, one)) ? [] : [`column ${name} is ${type.name}, not as in the schema`]
  })
  return [...missing.map((name) => `there is no column ${name}`), ...different]
}

interface JsonSchema {
  readonly type?: string
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly anyOf?: readonly JsonSchema[]
  readonly properties?: Readonly<Record<string, JsonSchema>>
}

/** Returns the schemas of each column, several for the right side of a LEFT JOIN. */
function propertiesOf({ properties = {}, anyOf = [] }: JsonSchema): Map<string, JsonSchema[]> {
  const all = new Map(Object.entries(properties).map(([name, property]) => [name, [property]]))
  for (const part of anyOf) {
    for (const [name, schemas] of propertiesOf(part)) all.set(name, [...(all.get(name) ?? []), ...schemas])
  }
  return all
}

/** Types of JSON Schema by the category of pg_type. An undetermined type is that of a parameter or of NULL, and becomes text. */
const jsonTypes: Readonly<Record<string, readonly string[]>> = {
  N: ['integer', 'number'],
  S: ['string'],
  D: ['string'],
  E: ['string'],
  X: ['string', 'null'],
  B: ['boolean'],
  A: ['array'],
}

function fits(type: PostgresType, schema: JsonSchema): boolean {
  if (schema.anyOf) return schema.anyOf.some((part) => fits(type, part))
  if (schema.enum) return schema.enum.some((value) => fits(type, { const: value }))
  if (schema.const !== undefined) return fits(type, { type: schema.const === null ? 'null' : typeof schema.const })
  if (schema.type === undefined || type.name === 'json' || type.name === 'jsonb') return true
  if (schema.type === 'null' && type.name === 'text') return true
  const expected = type.name === 'uuid' ? ['string'] : type.name === 'bytea' ? ['object'] : (jsonTypes[type.category] ?? [])
  return expected.includes(schema.type)
}

function compareValues({ parameters }: Description, { values }: Sql): string[] {
  if (values.length !== parameters.length) return [`${values.length} values for ${parameters.length} parameters`]
  return parameters.flatMap((type, index) => {
    const value = values[index]
    const isFitting = value === null || value === undefined || isLiteral(type, value) || fits(type, { type: jsonTypeOf(value) })
    return isFitting ? [] : [`parameter ${index + 1} is ${type.name}, not ${typeof value}`]
  })
}

/** Types without one in JavaScript, such as tsquery, interval and regclass, have their values as text. */
const isLiteral = ({ name, category }: PostgresType, value: unknown) =>
  typeof value === 'string' && (!'NBA'.includes(category) || name.startsWith('reg'))

function jsonTypeOf(value: unknown): string {
  if (typeof value === 'bigint') return 'integer'
  if (value instanceof Date) return 'string'
  if (Array.isArray(value)) return 'array'
  return typeof value
}
