import { type Compiler, type ObjectSchema, type PropertySchema, type RequestParts, transformInput } from './input-transforms.ts'

const INTEGER = /^-?\d+$/
const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,3})?$/

/** Returns only the parameters that the schema names and that are not blank, converted by `convertText`. */
export function convertTextValues(schema: ObjectSchema, parameters: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const values: Record<string, unknown> = {}
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const value =
      property.type === 'array' ? readList(parameters, name) : Object.hasOwn(parameters, name) ? parameters[name] : undefined
    if (!isBlank(value)) values[name] = typeof value === 'string' ? convertText(property, value) : value
  }
  return values
}

/**
 * Converts the texts of a form in a body: numbers and booleans as `convertText` does, and a blank to null where the schema allows null, because a form
 * has neither. JSON may have them as text, too.
 */
export function convertFormTexts(body: unknown, schema: ObjectSchema | undefined): unknown {
  if (!schema?.properties || typeof body !== 'object' || body === null || Array.isArray(body)) return body
  const { properties } = schema
  const convert = (name: string, value: unknown) => {
    const types = [properties[name]?.type ?? []].flat()
    const scalar = types.find((type) => SCALARS.includes(type))
    if (typeof value !== 'string' || scalar === undefined) return value
    return value.trim() === '' && types.includes('null') ? null : convertText({ type: scalar }, value)
  }
  return Object.fromEntries(Object.entries(body).map(([name, value]) => [name, convert(name, value)]))
}

const SCALARS: readonly string[] = ['integer', 'number', 'boolean']

const isBlank = (value: unknown) => value === undefined || (typeof value === 'string' && value.trim() === '')

/** Reads `name[]=a&name[]=b` and `name=a&name=b` like `name=a,b`. */
function readList(parameters: Readonly<Record<string, unknown>>, name: string): string | undefined {
  const parts = [name, `${name}[]`]
    .flatMap((key) => (Object.hasOwn(parameters, key) ? parameters[key] : []))
    .filter((part) => !isBlank(part))
  return parts.length > 0 ? parts.join(',') : undefined
}

/** Clamps numbers of more than 308 digits, since JSON has no infinity. */
const clampToFinite = (value: number) => Math.min(Math.max(value, -Number.MAX_VALUE), Number.MAX_VALUE)

/**
 * Converts text to the type of the schema. Text that is not exactly such a value, such as '0x10', ' 5' or '', stays text, which the schema
 * refuses. A number may have an exponent ('1e3'), an integer may not. The items of a list are trimmed first.
 */
function convertText(schema: PropertySchema, text: string): unknown {
  switch (schema.type) {
    case 'integer':
      return INTEGER.test(text) ? clampToFinite(Number(text)) : text
    case 'number':
      return NUMBER.test(text) && text.length <= 40 ? Number(text) : text
    case 'boolean':
      return text === 'true' ? true : text === 'false' ? false : text
    case 'array':
      return text.split(',').map((part) => (schema.items ? convertText(schema.items, part.trim()) : part.trim()))
    default:
      return text
  }
}

export function withTextConversion(compile: Compiler): Compiler {
  const convert = (input: RequestParts['querystring' | 'params'], schema: ObjectSchema) => convertTextValues(schema, input)
  return transformInput(transformInput(compile, 'querystring', convert), 'params', convert)
}
