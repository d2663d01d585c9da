type Json = { [key: string]: unknown }

/** Unicode classes and lookaround: regular expressions of other languages than JavaScript do not have them. */
const NOT_PORTABLE = /\\p\{|\(\?<?[=!]/

/**
 * The schema as the reference shows it, so that generators of clients in any language can use it. It allows no more than the schema that
 * requests are validated by, except where a pattern cannot be written in other languages:
 * - what is a boolean or its text in a form is a boolean,
 * - a value with several spellings has its first one, and a blank one is left out,
 * - a pattern that only JavaScript knows is left out; the description has its rule.
 */
export function portable(schema: Json): Json {
  const entries = Object.entries(schema).flatMap(([key, value]): [string, unknown][] => {
    if (key === 'pattern' && typeof value === 'string' && NOT_PORTABLE.test(value)) return []
    // A property may have the name enum.
    return key === 'enum' && Array.isArray(value) ? Object.entries(portableEnum(value)) : [[key, value]]
  })
  return Object.fromEntries(entries)
}

function portableEnum(values: readonly unknown[]): Json {
  if (values.includes(true)) return values.includes(false) ? { type: 'boolean' } : { type: 'boolean', const: true }
  const spelling = (value: unknown) => String(value).toLowerCase()
  const isFirst = (value: unknown, n: number) => values.findIndex((other) => spelling(other) === spelling(value)) === n
  return { enum: values.filter((value, n) => value !== '' && isFirst(value, n)) }
}
