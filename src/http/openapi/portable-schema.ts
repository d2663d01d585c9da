import { inLanguage, type Text } from '../../locales/texts.ts'

type Json = { [key: string]: unknown }

/** Unicode classes and lookaround are unsupported by the regular expressions of other languages. */
const NOT_PORTABLE = /\\p\{|\(\?<?[=!]/

/** Returns a schema for clients in any language. Except for omitted patterns, it allows no more than the original schema. */
export function toPortableSchema(schema: Json): Json {
  const entries = Object.entries(schema).flatMap(([key, value]): [string, unknown][] => {
    if (key === 'pattern' && typeof value === 'string' && NOT_PORTABLE.test(value)) return []
    if (key === 'x-allowed') return [[key, inLanguage(value as Text, 'en')]]
    return key === 'enum' && Array.isArray(value) ? Object.entries(toPortableEnum(value)) : [[key, value]]
  })
  return Object.fromEntries(entries)
}

function toPortableEnum(values: readonly unknown[]): Json {
  if (values.includes(true)) return values.includes(false) ? { type: 'boolean' } : { type: 'boolean', const: true }
  const spelling = (value: unknown) => String(value).toLowerCase()
  const isFirst = (value: unknown, n: number) => values.findIndex((other) => spelling(other) === spelling(value)) === n
  return { enum: values.filter((value, n) => value !== '' && isFirst(value, n)) }
}
