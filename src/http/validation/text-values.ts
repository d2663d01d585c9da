/**
 * Parameters of an address and fields of a form are text. They become numbers, booleans and lists by what the schema says, and
 * only where the text is exactly that: '1e3', '0x10', ' 5' and '' stay text, which the schema then refuses.
 */
interface PropertySchema {
  readonly type?: string | readonly string[]
  readonly items?: PropertySchema
}
export interface ObjectSchema {
  readonly properties?: Readonly<Record<string, PropertySchema>>
}

/** However long: what is over a bound is for the bound to refuse or to cut. */
const INTEGER = /^-?\d+$/
const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,3})?$/

/** What the schema does not know is ignored (decisions.md, Addresses and content): no handler ever sees it. */
export function valuesFromText(schema: ObjectSchema, given: Record<string, unknown>): Record<string, unknown> {
  const values: Record<string, unknown> = {}
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const value = property.type === 'array' ? listIn(given, name) : Object.hasOwn(given, name) ? given[name] : undefined
    if (value !== undefined) values[name] = typeof value === 'string' ? valueFromText(property, value) : value
  }
  return values
}

/** `name[]=a&name[]=b` and `name=a&name=b` are the list `name=a,b`, as many clients write lists. */
function listIn(given: Record<string, unknown>, name: string): string | undefined {
  const parts = [name, `${name}[]`].flatMap((key) => (Object.hasOwn(given, key) ? given[key] : []))
  return parts.length > 0 ? parts.join(',') : undefined
}

/** JSON Schema has no infinite numbers, which more than 308 digits would be. */
const finite = (value: number) => Math.min(Math.max(value, -Number.MAX_VALUE), Number.MAX_VALUE)

function valueFromText(schema: PropertySchema, text: string): unknown {
  switch (schema.type) {
    case 'integer':
      return INTEGER.test(text) ? finite(Number(text)) : text
    case 'number':
      return NUMBER.test(text) && text.length <= 40 ? Number(text) : text
    case 'boolean':
      return text === 'true' ? true : text === 'false' ? false : text
    case 'array':
      return text.split(',').map((part) => (schema.items ? valueFromText(schema.items, part.trim()) : part.trim()))
    default:
      return text
  }
}
